// Comma-separated texts for spreadsheets, by RFC 4180.

type Cell = string | number | null

/** Spreadsheets run what looks like a formula, and take the first apostrophe off. One more in front of it stops both. */
const guarded = (text: string): string => (/^[=+\-@'\t\r]/.test(text) ? `'${text}` : text)

const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)

/** Texts are guarded against spreadsheets, numbers are not: they cannot be formulas. */
const shown = (cell: Cell): string => quoted(typeof cell === 'string' ? guarded(cell) : String(cell ?? ''))

/** A text with a line for each row, the first one with the names of the columns. Null is an empty cell. */
export const csvOf = <Column extends string>(
  columns: readonly Column[],
  rows: readonly Readonly<Record<Column, Cell>>[],
): string => [columns, ...rows.map((row) => columns.map((name) => row[name]))].map(lineOf).join('')

const lineOf = (cells: readonly Cell[]): string => `${cells.map(shown).join(',')}\r\n`
