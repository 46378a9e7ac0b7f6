// The ranked findings as a real table: a click, Enter, or the link opens one; up and down move between rows.
const COLUMNS = [
  ["#", "", "Rank: 1 = strongest", false],
  ["Finding", "error ← what it goes with", "t ← v: captions say t wrongly when v is in the image", true],
  ["Sentences", "in the cluster", "Size of the cluster of similar sentences", false],
  ["Mean alignment", "higher = better aligned", "How well the sentences of the cluster fit their images; line: 95 % interval", false],
  ["Risk ratio", "1× = no link, log scale", "How many times as often the error occurs with v as without it; line: 95 % interval", false],
  ["Cramér's V", "0 to 1", "Strength of the link between error and v; 0 = none, 1 = perfect", false],
  ["p", "one-sided", "Chance of a link at least this strong if there were none (Fisher's exact test)", false],
  ["q", "over all tests", "Share of false findings to expect among those at least this strong, counting every pair tested", false],
  ["Replicated", "on other images", "Whether one random half of the images leads to this v and the other half confirms it", true],
  ["Verdict", "", "What people decided", true],
]

function element(tag, className, text) {
  const made = document.createElement(tag)
  if (className) made.className = className
  if (text !== undefined) made.textContent = text
  return made
}

function at(className, left, width) {
  const made = element("i", className)
  made.style.left = `${left}%`
  if (width !== undefined) made.style.width = `${Math.max(0, width)}%`
  return made
}

function barOf(bar, reference, description) {
  const box = element("span", "bar")
  box.setAttribute("role", "img")
  box.setAttribute("aria-label", description)
  if (bar.value === null) return box
  if (reference !== null) box.append(at("tick", reference))
  if (bar.low !== null && bar.high !== null) {
    const ends = `${bar.cut_low ? " cut-low" : ""}${bar.cut_high ? " cut-high" : ""}`
    box.append(at(`whisker${ends}`, bar.low, bar.high - bar.low))
  }
  box.append(at("dot", bar.value))
  return box
}

function cell(text, className) {
  return element("td", className, text)
}

function numberWithBar(shown, interval, bar, reference) {
  const made = cell(undefined)
  made.title = interval
  made.append(element("span", "number", shown), barOf(bar, reference, `${shown} ${interval}`))
  return made
}

function rowOf(row, data, open) {
  const made = element("tr")
  const name = cell(undefined, "text")
  const link = element("a")
  link.href = `finding?run=${encodeURIComponent(data.run)}&finding=${encodeURIComponent(row.finding_id)}`
  link.append(element("span", "t", row.textual_fact), element("span", "arrow", " ← "), element("span", "v", row.visual_feature))
  name.append(link)
  const verdict = cell(undefined, "text")
  verdict.title = row.verdict_detail
  const belief = cell(row.replication, "text")
  if (!row.believed) {
    belief.title = "q is 0.05 or more, or the finding is not replicated"
    belief.append(element("small", "", " not yet to be believed"))
  }
  const label = row.verdict ? row.verdict[0].toUpperCase() + row.verdict.slice(1) : "open"
  verdict.append(element("span", row.verdict ? `verdict ${row.verdict}` : "open", label))
  made.append(
    cell(String(row.rank), "rank"),
    name,
    cell(row.cluster_size),
    numberWithBar(row.alignment, row.alignment_interval, row.alignment_bar, null),
    numberWithBar(row.risk_ratio, row.risk_ratio_interval, row.risk_ratio_bar, data.no_effect),
    cell(row.cramers_v),
    cell(row.p),
    cell(row.q),
    belief,
    verdict,
  )
  made.onclick = (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return
    event.preventDefault()
    open(row.finding_id)
  }
  return made
}

function moveFocus(event, body) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
  if (!step) return
  const links = [...body.querySelectorAll("a")]
  const here = links.indexOf(event.target)
  const next = links[Math.min(links.length - 1, Math.max(0, here + step))]
  if (next) {
    event.preventDefault()
    next.focus()
  }
}

export default function ({ data, parentElement, setTriggerValue }) {
  const table = parentElement.querySelector("table")
  const head = element("tr")
  for (const [title, hint, help, isText] of COLUMNS) {
    const made = element("th", isText ? "text" : "", title)
    made.scope = "col"
    made.title = help
    if (hint) made.append(element("small", "", hint))
    head.append(made)
  }
  table.querySelector("thead").replaceChildren(head)
  const body = table.querySelector("tbody")
  const open = (findingId) => setTriggerValue("open", findingId)
  body.replaceChildren(...data.rows.map((row) => rowOf(row, data, open)))
  body.onkeydown = (event) => moveFocus(event, body)
}
