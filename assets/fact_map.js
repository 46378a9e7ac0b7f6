// The map: points from typed arrays by URL, one WebGL trace. Only the outline drawn around points, or the
// id of one point, goes to the server; sentences come by id.
const SPAN = 65536
const FAINT = 256
const TEXTS_KEPT = 2000
const TOOLS = [
  ["lasso", "Lasso", "Draw around points to select them"],
  ["select", "Box", "Drag a box over points to select them"],
  ["pan", "Move", "Drag to move the map; the wheel zooms"],
  ["reset", "Whole map", "Show the whole map"],
  ["clear", "Clear", "Clear the selection"],
]
const maps = new WeakMap()
const arrays = new Map()
let plotly = null

function loadPlotly(address) {
  plotly ??= new Promise((resolve, reject) => {
    if (window.Plotly) return resolve(window.Plotly)
    const script = document.createElement("script")
    script.src = address
    script.onload = () => (window.Plotly ? resolve(window.Plotly) : reject(new Error("The map's drawing library did not start.")))
    script.onerror = () => {
      plotly = null
      reject(new Error("The map's drawing library could not be loaded."))
    }
    document.head.append(script)
  })
  return plotly
}

async function fetchArray(url, Type) {
  if (arrays.has(url)) return arrays.get(url)
  const answer = await fetch(url)
  if (!answer.ok) throw new Error(answer.status === 404 ? await answer.text() : `The server answered ${answer.status}.`)
  const found = new Type(await answer.arrayBuffer())
  if (arrays.size > 12) arrays.delete(arrays.keys().next().value)
  arrays.set(url, found)
  return found
}

function element(tag, className, text) {
  const made = document.createElement(tag)
  if (className) made.className = className
  if (text !== undefined) made.textContent = text
  return made
}

class FactMap {
  constructor(root) {
    this.root = root
    this.plot = root.querySelector(".fl-map-plot")
    this.tip = root.querySelector(".fl-map-tip")
    this.status = root.querySelector(".fl-map-status")
    this.legend = root.querySelector(".fl-map-legend")
    this.texts = new Map()
    this.drawn = ""
    this.turn = 0
    this.makeTools(root.querySelector(".fl-map-tools"))
    this.watch = setInterval(() => this.look(), 700)
    this.plot.addEventListener("mouseleave", () => this.hideTip())
  }

  // A change of theme leaves no event; the colours are looked at instead.
  look() {
    if (!this.root.isConnected) return this.close()
    if (this.data && this.points && this.theme().key !== this.themeKey) this.draw()
  }

  close() {
    clearInterval(this.watch)
    if (window.Plotly) window.Plotly.purge(this.plot)
  }

  theme() {
    const css = getComputedStyle(this.root)
    const value = (name) => css.getPropertyValue(name).trim()
    const back = value("--st-background-color")
    const rgb = back.startsWith("#")
      ? [1, 3, 5].map((i) => parseInt(back.slice(i, i + 2), 16))
      : (back.match(/\d+/g) ?? [255, 255, 255]).map(Number)
    const dark = rgb[0] + rgb[1] + rgb[2] < 384
    const found = { dark, back, text: value("--st-text-color"), act: value("--st-link-color"), line: value("--st-border-color"), font: value("--st-font") }
    return { ...found, key: JSON.stringify(found) }
  }

  makeTools(bar) {
    this.buttons = {}
    for (const [key, label, help] of TOOLS) {
      const button = element("button", "", label)
      button.type = "button"
      button.title = help
      button.onclick = () => this.useTool(key)
      bar.append(button)
      this.buttons[key] = button
    }
    this.dragmode = "lasso"
    this.showTool()
  }

  showTool() {
    for (const key of ["lasso", "select", "pan"]) this.buttons[key].setAttribute("aria-pressed", String(key === this.dragmode))
  }

  useTool(key) {
    if (!this.ready) return
    if (key === "reset") return void window.Plotly.relayout(this.plot, this.wholeMap())
    if (key === "clear") {
      this.clearOutline()
      return this.pick({ kind: "none" })
    }
    this.dragmode = key
    this.showTool()
    window.Plotly.relayout(this.plot, { dragmode: key })
  }

  clearOutline() {
    window.Plotly.update(this.plot, { selectedpoints: [null] }, { selections: [] }, [0])
  }

  wholeMap() {
    const [x, y] = this.whole
    return { "xaxis.range": [...x], "yaxis.range": [...y] }
  }

  pick(value) {
    // The counter tells two equal choices in a row apart.
    this.setStateValue("picked", { ...value, turn: ++this.picks })
  }

  async update(data, setStateValue) {
    this.setStateValue = setStateValue
    this.picks ??= Date.now()
    const key = JSON.stringify(data)
    if (key === this.drawn) return
    this.drawn = key
    const turn = ++this.turn
    this.status.textContent = this.points ? "" : "Loading the map…"
    try {
      const [, xy, codes, mask] = await Promise.all([
        loadPlotly(data.plotly),
        fetchArray(data.places, Uint16Array),
        fetchArray(data.colours, Uint8Array),
        data.mask ? fetchArray(data.mask, Uint8Array) : null,
      ])
      if (turn !== this.turn || !this.root.isConnected) return
      if (xy.length !== 2 * codes.length) throw new Error("The map and its colours do not fit; reload the page.")
      this.data = data
      this.points = this.arrange(xy, codes, mask)
      this.xy = xy
      await this.draw()
      this.status.textContent = ""
    } catch (error) {
      if (turn !== this.turn) return
      this.drawn = ""
      this.status.textContent = error.message
    }
  }

  // Points in drawing order: filtered out first, then from the highest code to the lowest.
  arrange(xy, codes, mask) {
    const n = codes.length
    const shown = new Uint16Array(n)
    const starts = new Uint32Array(FAINT + 2)
    for (let i = 0; i < n; i++) {
      shown[i] = mask && !((mask[i >> 3] >> (i & 7)) & 1) ? FAINT : codes[i]
      starts[FAINT - shown[i] + 1]++
    }
    for (let k = 0; k <= FAINT; k++) starts[k + 1] += starts[k]
    const order = new Uint32Array(n)
    for (let i = 0; i < n; i++) order[starts[FAINT - shown[i]]++] = i
    const x = new Float32Array(n)
    const y = new Float32Array(n)
    const code = new Float32Array(n)
    for (let j = 0; j < n; j++) {
      const i = order[j]
      x[j] = xy[2 * i]
      y[j] = xy[2 * i + 1]
      code[j] = shown[i]
    }
    this.whole = [x, y].map((values) => {
      const low = values.reduce((a, b) => Math.min(a, b), SPAN)
      const high = values.reduce((a, b) => Math.max(a, b), 0)
      const room = 0.04 * SPAN
      return [low - room, high + room]
    })
    return { n, x, y, code, order }
  }

  colourscale(theme) {
    const palette = [...(theme.dark ? this.data.dark : this.data.light), theme.dark ? "#222a32" : "#eceff2"]
    return palette.flatMap((colour, i) => [[i / 257, colour], [(i + 1) / 257, colour]])
  }

  traces(theme) {
    const { n, x, y, code } = this.points
    const size = n < 1500 ? 8 : n < 20000 ? 5 : 3.5
    const marks = this.data.marks.filter((i) => i < n)
    return [
      {
        type: "scattergl", mode: "markers", x, y, hoverinfo: "none", showlegend: false, visible: this.pointsShown(),
        marker: { color: code, colorscale: this.colourscale(theme), cmin: -0.5, cmax: 256.5, size, opacity: n < 20000 ? 0.9 : 0.75, line: { width: 0 } },
        selected: { marker: { opacity: 1 } }, unselected: { marker: { opacity: 0.12 } },
      },
      {
        type: "scatter", mode: "markers", x: marks.map((i) => this.xy[2 * i]), y: marks.map((i) => this.xy[2 * i + 1]),
        hoverinfo: "skip", showlegend: false,
        marker: {
          color: "rgba(0,0,0,0)", size: marks.map((_, k) => (k ? 13 : 17)),
          line: { color: theme.text, width: marks.map((_, k) => (k ? 1.5 : 3)) },
        },
        selected: { marker: { opacity: 1 } }, unselected: { marker: { opacity: 1 } },
      },
    ]
  }

  pointsShown() {
    if (!this.data.density) return true
    const range = this.ready ? this.plot.layout.xaxis.range : null
    return Boolean(range) && Math.abs(range[1] - range[0]) < SPAN / 4
  }

  images(theme) {
    if (!this.data.density || this.pointsShown()) return []
    const source = `${this.data.density}&dark=${theme.dark ? 1 : 0}`
    return [{ source, xref: "x", yref: "y", x: 0, y: SPAN, sizex: SPAN, sizey: SPAN, sizing: "stretch", layer: "below" }]
  }

  annotations(theme) {
    return this.data.labels.map((label) => ({
      x: label.x, y: label.y, text: label.text.replaceAll("&", "&amp;").replaceAll("<", "&lt;"), showarrow: true, arrowhead: 0, arrowwidth: 1, arrowcolor: theme.text, ax: 0, ay: -30, bgcolor: theme.back, opacity: 0.88, borderpad: 2,
      bordercolor: label.code >= 0 && this.data.coloured_labels ? (theme.dark ? this.data.dark : this.data.light)[label.code] : theme.line,
      borderwidth: 1.5, font: { color: theme.text, size: 12, family: theme.font }, captureevents: false,
    }))
  }

  async draw() {
    const theme = this.theme()
    this.themeKey = theme.key
    const fresh = this.data.places !== this.shownPlaces
    const axis = { visible: false, showgrid: false, zeroline: false }
    const kept = this.ready && !fresh ? this.plot.layout : null
    const layout = {
      dragmode: this.dragmode, hovermode: "closest", clickmode: "event", hoverdistance: 8, showlegend: false,
      margin: { l: 0, r: 0, t: 0, b: 0 }, paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
      xaxis: { ...axis, range: [...(kept ? kept.xaxis.range : this.whole[0])] },
      yaxis: { ...axis, range: [...(kept ? kept.yaxis.range : this.whole[1])], scaleanchor: "x" },
      annotations: this.annotations(theme), images: this.images(theme),
      selections: kept && this.data.outlined ? kept.selections ?? [] : [],
      newselection: { mode: "immediate", line: { color: theme.text, width: 1.5, dash: "dot" } },
      activeselection: { fillcolor: theme.act, opacity: 0.08 }, font: { family: theme.font },
    }
    const config = { displayModeBar: false, responsive: true, scrollZoom: true, doubleClick: false }
    await window.Plotly.react(this.plot, this.traces(theme), layout, config)
    this.shownPlaces = this.data.places
    if (!this.ready) this.listen()
    this.ready = true
    this.drawLegend(theme)
    this.root.dataset.points = String(this.points.n)
  }

  listen() {
    this.plot.on("plotly_selected", (event) => this.onSelected(event))
    this.plot.on("plotly_deselect", () => this.pick({ kind: "none" }))
    this.plot.on("plotly_click", (event) => {
      const id = this.idOf(event)
      if (id === null) return
      this.clearOutline()
      this.pick({ kind: "point", id })
    })
    this.plot.on("plotly_hover", (event) => this.onHover(event))
    this.plot.on("plotly_unhover", () => this.hideTip())
    this.plot.on("plotly_relayout", () => {
      if (!this.data.density) return
      const shown = this.pointsShown()
      if (shown === this.plot.data[0].visible) return
      window.Plotly.update(this.plot, { visible: shown }, { images: this.images(this.theme()) }, [0])
    })
  }

  onSelected(event) {
    if (!event) return
    const outline = event.lassoPoints ?? event.range
    if (!outline?.x) return
    const { x, y } = outline
    const polygon = event.lassoPoints
      ? x.map((v, i) => [v, y[i]])
      : [[x[0], y[0]], [x[1], y[0]], [x[1], y[1]], [x[0], y[1]]]
    if (polygon.length >= 3) this.pick({ kind: "polygon", polygon })
  }

  idOf(event) {
    const point = event.points?.find((p) => p.curveNumber === 0)
    if (!point || this.points.code[point.pointNumber] === FAINT) return null
    return this.points.order[point.pointNumber]
  }

  onHover(event) {
    const id = this.idOf(event)
    if (id === null) return this.hideTip()
    this.hovered = id
    const box = this.root.getBoundingClientRect()
    this.tipAt = [event.event.clientX - box.left, event.event.clientY - box.top, box.width]
    clearTimeout(this.waiting)
    if (this.texts.has(id)) return this.showTip(id)
    this.waiting = setTimeout(() => this.fetchText(id), 50)
  }

  async fetchText(id) {
    try {
      const answer = await fetch(`${this.data.texts}&ids=${id}`)
      if (!answer.ok) return
      const found = await answer.json()
      if (this.texts.size > TEXTS_KEPT || this.textsOf !== this.data.texts) this.texts.clear()
      this.textsOf = this.data.texts
      this.texts.set(id, found[id])
      if (this.hovered === id) this.showTip(id)
    } catch {
      this.hideTip()
    }
  }

  showTip(id) {
    const { text, alignment } = this.texts.get(id)
    const short = text.length > 260 ? `${text.slice(0, 260)}…` : text
    this.tip.replaceChildren(element("span", "", short), element("small", "", `Alignment: ${alignment}`))
    const [x, y, width] = this.tipAt
    this.tip.hidden = false
    this.tip.style.left = `${Math.min(Math.max(8, x + 14), width - this.tip.offsetWidth - 8)}px`
    this.tip.style.top = `${y + 16}px`
  }

  hideTip() {
    clearTimeout(this.waiting)
    this.hovered = null
    this.tip.hidden = true
  }

  drawLegend(theme) {
    const colours = theme.dark ? this.data.dark : this.data.light
    const items = [element("b", "", this.data.title)]
    if (this.data.low) {
      const ramp = element("span", "fl-map-ramp")
      const bar = element("i")
      bar.style.background = `linear-gradient(to right, ${[0, 63, 127, 190, 254].map((i) => colours[i]).join(", ")})`
      ramp.append(element("span", "", this.data.low), bar, element("span", "", this.data.high))
      items.push(ramp)
    }
    for (const { code, name, n } of this.data.categories) {
      const line = element("span", "fl-map-key")
      const dot = element("i")
      dot.style.background = colours[code]
      line.append(dot, element("span", "", name), element("em", "", n.toLocaleString("en")))
      items.push(line)
    }
    this.legend.replaceChildren(...items)
  }
}

export default function ({ data, parentElement, setStateValue }) {
  const root = parentElement.querySelector(".fl-map")
  if (!maps.has(root)) maps.set(root, new FactMap(root))
  maps.get(root).update(data, setStateValue)
}
