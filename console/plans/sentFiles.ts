// Files of plans, while this page is open: the service answers no cell of a file, and people look for theirs.
import { csvRows } from './csv.ts'
import { type Asked, fieldsOf, type NamedAttribute, separatorOf, textOfFile } from './fileRequest.ts'
import type { Plan } from './planQuery.ts'

type Given = { file: File; asked: Pick<Asked, 'matchBy' | 'columns'>; attributes: readonly NamedAttribute[] }

/** Who a row is about, as the file says: the key and the name; and the cell of the column at fault. */
export type SaidInFile = { key: string; name: string; value: string }

/** What can be looked up in a file, by its rows as the service counts them. */
type Cells = {
  rows: number
  separator: string
  saidIn: (row: number, column: string | null) => SaidInFile | undefined
}

/** The longest file that is read once more here. */
const mostBytes = 20_000_000

const known = new Map<string, Promise<Cells>>()
const files = new Map<string, File>()

/** Keeps the file of a plan for its faults, and to send it once more. */
export function keepFile(plan: string, given: Given): void {
  files.set(plan, given.file)
  if (given.file.size <= mostBytes) known.set(plan, cellsOf(given))
}

/** Whether the file of a plan is known to this page. */
export const hasFile = (plan: string): boolean => known.has(plan)

/** The file of a plan, if this page has sent it or was shown it. */
export const fileOf = (plan: string): File | undefined => files.get(plan)

type InRequest = {
  match_by?: Asked['matchBy']
  columns?: Asked['columns']
  file?: { bytes: number; sha256: string }
}

/** Takes the file of a plan that somebody has chosen once more. Answers whether it is that file, or can be it, by its rows. */
export async function chooseFileOf({ id, request, counts }: Plan, file: File): Promise<boolean> {
  const { match_by: matchBy = 'EXTERNAL_ID', columns = {}, file: sent } = request as InRequest
  if (file.size > mostBytes || (sent && !(await isSame(file, sent)))) return false
  const cells = await cellsOf({ file, asked: { matchBy, columns }, attributes: [] })
  // Plans from before the service kept the sum have only that.
  if (!sent && cells.rows !== counts.rows) return false
  files.set(id, file)
  known.set(id, Promise.resolve(cells))
  return true
}

async function isSame(file: File, { bytes, sha256 }: { bytes: number; sha256: string }): Promise<boolean> {
  if (file.size !== bytes) return false
  const sum = new Uint8Array(await crypto.subtle.digest('SHA-256', await file.arrayBuffer()))
  return Array.from(sum, (byte) => byte.toString(16).padStart(2, '0')).join('') === sha256.toLowerCase()
}

/** What the file of a plan says in a row, as the service counts; undefined if this page has not seen it. */
export async function saidInFile(plan: string, row: number | null, column: string | null) {
  return row === null ? undefined : (await known.get(plan))?.saidIn(row, column)
}

/** What separates the cells in the file of a plan; undefined if this page has not seen it. */
export const separatorInFile = async (plan: string): Promise<string | undefined> => (await known.get(plan))?.separator

/** Reads a file, to look up what it says in a row. */
export async function cellsOf({ file, asked, attributes }: Omit<Given, 'file'> & { file: Blob }): Promise<Cells> {
  const text = await textOfFile(file)
  const separator = separatorOf(text)
  const [headers = [], ...rows] = csvRows(text, separator)
  const names = headers.map((header) => header.trim())
  const fields = fieldsOf(names, asked.columns, attributes)
  const [key, first, last] = [asked.matchBy.toLowerCase(), 'first_name', 'last_name'].map((one) => fields.indexOf(one))
  const saidIn = (row: number, column: string | null) => {
    const cells = rows[row - 1]
    if (!cells) return undefined
    const at = (place = -1) => cells[place]?.trim() ?? ''
    const name = [at(first), at(last)].filter(Boolean).join(' ')
    return { key: at(key), name, value: column === null ? '' : at(names.indexOf(column.trim())) }
  }
  return { rows: rows.length, separator, saidIn }
}
