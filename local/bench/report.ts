/** One measurement and its limit. */
export type Row = { bar: string; what: string; measured: string; limit: string; passed: boolean }

/** Prints the progress of a measurement. */
export type Say = (text: string) => void

const heads = ['bar', 'what', 'measured', 'promised', ''] as const

/** The results as a table of Markdown. */
export function reportOf(rows: readonly Row[]): string {
  const cells = rows.map(({ bar, what, measured, limit, passed }, index) => [
    rows[index - 1]?.bar === bar ? '' : bar,
    what,
    measured,
    limit,
    limit === '' || passed ? '' : 'missed',
  ])
  const widths = heads.map((head, column) => Math.max(head.length, 3, ...cells.map((row) => row[column]?.length ?? 0)))
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, n) => cell.padEnd(widths[n] ?? 0)).join(' | ')} |`
  return [line(heads), line(widths.map((width) => '-'.repeat(width))), ...cells.map(line)].join('\n')
}

/** A number that must not be larger than another; `also` is shown with it. */
export const atMost = (bar: string, what: string, value: number, limit: number, unit = '', also = ''): Row => ({
  bar,
  what,
  measured: `${shown(value)}${unit}${also}`,
  limit: `≤ ${shown(limit)}${unit}`,
  passed: value <= limit,
})

/** A number that must not be smaller than another. */
export const atLeast = (bar: string, what: string, value: number, limit: number, unit = ''): Row => ({
  bar,
  what,
  measured: `${shown(value)}${unit}`,
  limit: `≥ ${shown(limit)}${unit}`,
  passed: value >= limit,
})

/** A result that must equal the wanted one. */
export const exactly = (bar: string, what: string, measured: string, wanted: string): Row => ({
  bar,
  what,
  measured,
  limit: `= ${wanted}`,
  passed: measured === wanted,
})

/** A measurement that is missing because the call was refused. */
export const notMeasured = (bar: string, what: string, why: string, limit: string): Row => ({
  bar,
  what,
  measured: why.slice(0, 80),
  limit,
  passed: false,
})

/** A number without a limit, which explains others. */
export const info = (bar: string, what: string, measured: string): Row => ({
  bar,
  what,
  measured,
  limit: '',
  passed: true,
})

/** A number with three digits: measurements are no more precise. */
export const shown = (value: number): string =>
  Number.isInteger(value) ? String(value) : value >= 100 ? value.toFixed(0) : value.toPrecision(3)
