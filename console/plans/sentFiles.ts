// Files that were sent from this page, while it is open: the service answers no cell of a file, and people look for theirs.
import { csvRows } from './csv.ts'
import { type Asked, fieldsOf, type NamedAttribute, separatorOf, textOfFile } from './fileRequest.ts'

export type Sent = { file: Blob; asked: Pick<Asked, 'matchBy' | 'columns'>; attributes: readonly NamedAttribute[] }

/** Who a row is about, as the file says: the key and the name; and the cell of the column at fault. */
export type SaidInFile = { who: string; value: string }

/** The longest file that is read once more here. */
const mostBytes = 20_000_000

const sent = new Map<string, Promise<(row: number, column: string | null) => SaidInFile | undefined>>()

/** Keeps the file of a plan for its faults. */
export function keepFile(plan: string, given: Sent): void {
  if (given.file.size <= mostBytes) sent.set(plan, cellsOf(given))
}

/** What the file of a plan says in a row, as the service counts; undefined if this page has not sent it. */
export async function saidInFile(plan: string, row: number | null, column: string | null) {
  return row === null ? undefined : (await sent.get(plan))?.(row, column)
}

/** Returns what a file says in a row. */
export async function cellsOf({ file, asked, attributes }: Sent) {
  const text = await textOfFile(file)
  const [headers = [], ...rows] = csvRows(text, separatorOf(text))
  const names = headers.map((header) => header.trim())
  const fields = fieldsOf(names, asked.columns, attributes)
  const [key, first, last] = [asked.matchBy.toLowerCase(), 'first_name', 'last_name'].map((one) => fields.indexOf(one))
  return (row: number, column: string | null): SaidInFile | undefined => {
    const cells = rows[row - 1]
    if (!cells) return undefined
    const at = (place = -1) => cells[place]?.trim() ?? ''
    const name = [at(first), at(last)].filter(Boolean).join(' ')
    const value = column === null ? '' : at(names.indexOf(column.trim()))
    return { who: [at(key), name].filter(Boolean).join(' · '), value }
  }
}
