// Runs in the browser. Draws the values of /status/values.json every few seconds.
const colours = ['#1f6fb4', '#d9822b', '#c23030', '#2e8b57', '#7a4fb0', '#8a6d3b', '#c2185b', '#00838f']
const width = 360
const height = 140
const [left, right, top, bottom] = [44, 352, 8, 120]
const everyMs = 5_000

const make = (name, attributes = {}, text = '') => {
  const isGraphic = ['svg', 'path', 'line', 'text', 'circle'].includes(name)
  const element = isGraphic
    ? document.createElementNS('http://www.w3.org/2000/svg', name)
    : document.createElement(name)
  for (const [attribute, value] of Object.entries(attributes)) element.setAttribute(attribute, value)
  element.textContent = text
  return element
}

const round = (value) => (value === null ? '–' : value >= 100 ? Math.round(value) : Math.round(value * 10) / 10)
const clock = (ms) => new Date(ms).toTimeString().slice(0, 5)

/** The next larger 1, 2 or 5 with zeros: the end of the axis. */
const ceiling = (value) => {
  const power = 10 ** Math.floor(Math.log10(value))
  return [1, 2, 5, 10].map((factor) => factor * power).find((end) => end >= value)
}

const draw = ({ title, unit, lines }, { step, until }) => {
  const end = ceiling(Math.max(1, ...lines.flatMap(({ values }) => values)))
  const steps = lines[0]?.values.length ?? 2
  const x = (n) => left + ((right - left) * n) / (steps - 1)
  const y = (value) => bottom - ((bottom - top) * value) / end
  const svg = make('svg', { viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': title })
  for (const value of [0, end / 2, end]) {
    svg.append(make('line', { x1: left, x2: right, y1: y(value), y2: y(value), stroke: '#e4e4e4' }))
    svg.append(make('text', { x: left - 6, y: y(value) + 4, 'text-anchor': 'end' }, round(value)))
  }
  svg.append(make('text', { x: left, y: height - 4 }, clock(until - steps * step * 1000)))
  svg.append(make('text', { x: right, y: height - 4, 'text-anchor': 'end' }, clock(until)))
  const coloured = lines.map((line, n) => ({ ...line, colour: colours[n % colours.length] }))
  svg.append(...coloured.flatMap((line) => drawn(line, x, y)))
  const caption = make('figcaption', {}, `${title} `)
  caption.append(make('small', {}, unit || `in ${step} s`))
  const figure = make('figure')
  figure.append(caption, svg, legendOf(coloured))
  return figure
}

const drawn = ({ values, colour }, x, y) => {
  const isGap = (n) => (values[n] ?? null) === null
  const to = (value, n) => (value === null ? '' : `${isGap(n - 1) ? 'M' : 'L'}${x(n)} ${y(value)}`)
  // A value between two gaps is not a line.
  const isAlone = (n) => !isGap(n) && isGap(n - 1) && isGap(n + 1)
  const alone = [...values.keys()].filter(isAlone)
  return [
    make('path', { d: values.map(to).join(''), fill: 'none', stroke: colour, 'stroke-width': 1.5 }),
    ...alone.map((n) => make('circle', { cx: x(n), cy: y(values[n]), r: 2, fill: colour })),
  ]
}

const legendOf = (lines) => {
  const legend = make('ul')
  for (const { label, values, colour } of lines) {
    const last = values.findLast((value) => value !== null) ?? null
    const entry = make('li')
    entry.append(make('i', { style: `background: ${colour}` }), make('span', {}, `${label} ${round(last)}`))
    legend.append(entry)
  }
  return legend
}

const show = async () => {
  const state = document.getElementById('state')
  try {
    const shown = await (await fetch('/status/values.json')).json()
    document.getElementById('charts').replaceChildren(...shown.charts.map((chart) => draw(chart, shown)))
    state.textContent = `The last quarter of an hour, up to ${clock(Date.now())}`
  } catch {
    state.textContent = 'The service does not answer.'
  }
}

await show()
setInterval(show, everyMs)
