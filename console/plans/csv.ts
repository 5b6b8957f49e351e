// CSV as the service reads and writes it. Pure.

/** What a file for spreadsheets can have between its cells. */
export const separators = [',', ';'] as const
export type Separator = (typeof separators)[number]

/** What spreadsheets in this language expect: in German a comma is a part of the text for Excel. */
export const usualSeparator = (language: string): Separator => (language === 'de' ? ';' : ',')

/** The rows of a text. Empty lines are no rows. A quote counts only around a whole cell; within it two stand for one. */
export function* csvRows(text: string, separator: string): Generator<string[]> {
  const end = `[${separator}\\r\\n]|$`
  const cell = new RegExp(`(?:"((?:[^"]|"")*)"(?=${end})|([^${separator}\\r\\n]*))(${separator}|\\r\\n|\\r|\\n)?`, 'y')
  let cells: string[] = []
  while (cell.lastIndex < text.length || cells.length > 0) {
    const [, quoted, plain = '', after] = cell.exec(text) ?? []
    cells.push(quoted?.replaceAll('""', '"') ?? plain)
    if (after === separator) continue
    if (cells.length > 1 || cells[0] !== '' || quoted !== undefined) yield cells
    cells = []
  }
}

/** The text of some rows. */
export const csvText = (rows: Iterable<readonly string[]>, separator = ','): string =>
  Array.from(rows, (cells) => `${cells.map((cell) => quoted(cell, separator)).join(separator)}\r\n`).join('')

const quoted = (cell: string, separator: string): string =>
  /["\r\n]/.test(cell) || cell.includes(separator) ? `"${cell.replaceAll('"', '""')}"` : cell
