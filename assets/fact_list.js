// Sentences with their alignment; a click or Enter opens one. Text is set as text, never as HTML.
function element(tag, className, text) {
  const made = document.createElement(tag)
  if (className) made.className = className
  if (text !== undefined) made.textContent = text
  return made
}

export default function ({ data, parentElement, setTriggerValue }) {
  const table = parentElement.querySelector("table")
  table.setAttribute("aria-label", data.label)
  const head = element("tr")
  for (const [name, help, className] of data.columns) {
    const cell = element("th", className, name)
    cell.scope = "col"
    cell.title = help
    head.append(cell)
  }
  table.querySelector("thead").replaceChildren(head)
  const rows = data.rows.map((row) => {
    const line = element("tr", row.wrong ? "wrong" : "")
    line.append(element("td", "number", row.value))
    const cell = element("td")
    const button = element("button", "", row.text)
    button.type = "button"
    button.title = row.from
    cell.append(button)
    line.append(cell)
    line.onclick = () => setTriggerValue("open", row.point)
    return line
  })
  table.querySelector("tbody").replaceChildren(...rows)
}
