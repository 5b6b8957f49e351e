/** A measured figure, and what is promised; empty if nothing is. */
export type Figure = { part: string; what: string; measured: string; promised: string; isMissed: boolean }

/** What a part gets: a database, a way to print progress, and the notes of its figures. */
export type Bench = { endpoint: string; say: (text: string) => void } & ReturnType<typeof noteIn>

/** The notes of a part. `unit` follows the numbers at once (' ms', '/s'); `also` is shown behind the measured one. */
export function noteIn(figures: Figure[], part: string) {
  const note = (what: string, measured: string, promised: string, isKept: boolean) =>
    void figures.push({ part, what, measured, promised, isMissed: !isKept })
  return {
    atMost: (what: string, value: number, most: number, unit = '', also = '') =>
      note(what, `${shown(value)}${unit}${also}`, `≤ ${shown(most)}${unit}`, value <= most),
    atLeast: (what: string, value: number, least: number, unit = '') =>
      note(what, `${shown(value)}${unit}`, `≥ ${shown(least)}${unit}`, value >= least),
    exactly: (what: string, measured: string, wanted: string) =>
      note(what, measured, `= ${wanted}`, measured === wanted),
    /** A figure that explains others: nothing is promised. Numbers are shown with one unit. */
    info: (what: string, measured: string | readonly number[], unit = '') =>
      note(
        what,
        typeof measured === 'string' ? measured : measured.map((one) => shown(one) + unit).join(', '),
        '',
        true,
      ),
  }
}

/** The figures as a table of Markdown. */
export function tableOf(figures: readonly Figure[]): string {
  const rows = [
    ['part', 'what', 'measured', 'promised', ''],
    ...figures.map(({ part, what, measured, promised, isMissed }, n) => [
      figures[n - 1]?.part === part ? '' : part,
      what,
      measured,
      promised,
      isMissed ? 'missed' : '',
    ]),
  ]
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(3, ...rows.map((row) => row[column]?.length ?? 0)))
  const lines = rows.map((row) => `| ${row.map((cell, n) => cell.padEnd(widths[n] ?? 0)).join(' | ')} |`)
  return lines.toSpliced(1, 0, `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`).join('\n')
}

/** A number with three digits: measurements are no more precise. */
export const shown = (value: number): string =>
  Number.isInteger(value) ? String(value) : value >= 100 ? value.toFixed(0) : value.toPrecision(3)
