// What a form says about a file before it is sent, by the first rows of the file. Pure.
import { csvRows } from './csv.ts'
import type { Asked, Unfit } from './fileRequest.ts'
import {
  fieldOfHeader,
  fieldsOf,
  headersIn,
  type NamedAttribute,
  separatorOf,
  textOfFile,
  unfitIn,
} from './fileRequest.ts'

/** A column: its header, and the cells below it that were looked at. */
export type Column = { header: string; cells: readonly string[] }
export type Beginning = { columns: readonly Column[]; headers: readonly string[]; unfit: Unfit | undefined }

const bytesLookedAt = 1_048_576

/** The columns of a file, and why it cannot be sent. */
export async function beginningOf(file: Blob): Promise<Beginning> {
  const unfit = await unfitIn(file)
  if (unfit) return { columns: [], headers: [], unfit }
  const isWhole = file.size <= bytesLookedAt
  const text = await textOfFile(file.slice(0, bytesLookedAt))
  const [first = [], ...rows] = csvRows(text, separatorOf(text))
  // The last row is cut.
  if (!isWhole) rows.pop()
  const columns = first
    .map((header, n) => ({ header: header.trim(), cells: rows.map((cells) => cells[n]?.trim() ?? '') }))
    .filter(({ header }) => header)
  return { columns, headers: headersIn(text), unfit: isWhole ? emptiness(columns, rows) : undefined }
}

function emptiness(columns: readonly Column[], rows: readonly string[][]): Unfit | undefined {
  if (columns.length === 0) return 'EMPTY'
  return rows.length === 0 ? 'NO_ROWS' : undefined
}

/** By what people are found, as far as the file tells: a file of an export has ids, while not everybody needs to have an external id. */
export function keyOf(columns: readonly Column[], attributes: readonly NamedAttribute[]): Asked['matchBy'] {
  const cellsOf = (field: string) => columns.find(({ header }) => fieldOfHeader(header, attributes) === field)?.cells
  if (!cellsOf('id')) return 'EXTERNAL_ID'
  return cellsOf('external_id')?.every(Boolean) ? 'EXTERNAL_ID' : 'ID'
}

/** Days as spreadsheets write them: 31.12.2026, 31/12/26. */
const spreadsheetDay = /^\d{1,2}([./])\d{1,2}\1(?:\d{2}|\d{4})$/
const statuses = ['', 'ACTIVE', 'LOCKED', 'DEACTIVATED']

/** The headers of columns whose cells the service will not take: dates in another form, and other words for a status. */
export function unfitCells(
  columns: readonly Column[],
  chosen: Asked['columns'],
  attributes: readonly NamedAttribute[],
): { dates: string[]; statuses: string[] } {
  const fields = fieldsOf(
    columns.map(({ header }) => header),
    chosen,
    attributes,
  )
  const days = new Set(attributes.flatMap(({ name, type }) => (type === 'DATE' ? `attribute:${name}` : [])))
  const having = (isField: (field: string) => boolean, isUnfit: (cell: string) => boolean) =>
    columns.filter((column, n) => isField(fields[n] ?? '') && column.cells.some(isUnfit)).map(({ header }) => header)
  return {
    dates: having(
      (field) => days.has(field),
      (cell) => spreadsheetDay.test(cell),
    ),
    statuses: having(
      (field) => field === 'status',
      (cell) => !statuses.includes(cell.toUpperCase()),
    ),
  }
}
