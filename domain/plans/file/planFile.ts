import { hash } from 'node:crypto'
import { refuse } from '../../base/errors.ts'
import { canonicalJson } from '../../base/text.ts'
import type { AttributeDefinition } from '../../people/records/attributeDefinition.ts'
import { readDefinitions } from '../../people/records/definitionSlots.ts'
import type { Store } from '../../table/store.ts'
import type { Plan } from '../plan.ts'
import { withoutApostrophe } from './cells.ts'
import { type Column, columnsOf, type Meaning, meaningsBy, refusal, requireClear, shortened } from './columns.ts'
import { csvRows } from './csvRows.ts'
import { bytesOf, readParts } from './fileParts.ts'
import { type FileRequest, fileRequest } from './fileRequest.ts'
import { type Encoding, encodingOf, type FileBytes, utf8From } from './fileText.ts'
import { planFiles } from './planFiles.ts'
import type { Columns } from './row.ts'

/** A file that was opened: how it is encoded and what its columns mean. `readRows` reads it. */
export type PlanFile = {
  bytes: FileBytes
  encoding: Encoding
  form: CsvForm | JsonlForm
  request: Pick<FileRequest, 'match_by' | 'empty'>
  columns: Columns
  typeOf: (attribute: string) => AttributeDefinition['attribute_type'] | undefined
  /** Where the first row begins. */
  start: number
  /** How the columns are understood: see FilePosition. */
  digest: string
}
type CsvForm = { format: 'CSV'; separator: string; columns: Column[] }
/** `fieldOf` gives the field that a name means; null for none. */
type JsonlForm = { format: 'JSONL'; fieldOf: (name: string) => string | null }

/** The most bytes of a row. */
export const LONGEST_ROW = 64 * 1024

/** The file of a plan, whose parts are complete. Throws if it cannot be read, or has no column by which users are matched. */
export async function openFile(store: Store, plan: Pick<Plan, 'id' | 'request'>): Promise<PlanFile> {
  const [parts, definitions] = await Promise.all([readParts(store, plan.id), readDefinitions(store)])
  return openBytes(bytesOf(planFiles(plan.id), parts), fileRequest(plan.request), definitions)
}

/** The same of any bytes. */
export async function openBytes(
  bytes: FileBytes,
  request: Pick<FileRequest, 'format' | 'match_by' | 'empty' | 'columns'>,
  definitions: readonly AttributeDefinition[],
): Promise<PlanFile> {
  const { encoding, mark } = encodingOf(await headOf(bytes))
  if (encoding !== 'UTF-8' && bytes.size % 2 === 1)
    throw refuse('PLAN_FILE_INCOMPLETE', undefined, 'The file ends in the middle of a character')
  const meaningOf = meaningsBy(request.columns, definitions)
  const types = new Map(definitions.map(({ technical_name, attribute_type }) => [technical_name, attribute_type]))
  const text = { bytes, encoding, mark }
  const read = request.format === 'JSONL' ? jsonl(text, request, meaningOf) : await csv(text, request, meaningOf)
  const digest = digestOf({
    encoding,
    request,
    definitions,
    separator: 'separator' in read.form && read.form.separator,
  })
  return { bytes, encoding, request, typeOf: (name) => types.get(name), digest, ...read }
}

const digestOf = (what: object): string => hash('sha256', canonicalJson(what)).slice(0, 16)

/** The longest byte order mark. */
const MARK = 3

/** The first bytes: the first part may have only one of them. */
async function headOf(bytes: FileBytes): Promise<Uint8Array> {
  let head: Uint8Array = new Uint8Array()
  for await (const piece of bytes.read(0)) {
    head = Buffer.concat([head, piece.subarray(0, MARK)])
    if (head.length >= MARK) break
  }
  return head
}

type Text = { bytes: FileBytes; encoding: Encoding; mark: number }
type Read = Pick<PlanFile, 'form' | 'columns' | 'start'>
type Request = Pick<FileRequest, 'match_by'>

// JSONL.

/** The most names in the lines of a file. */
const MOST_NAMES = 1_000

function jsonl({ mark }: Text, _: Request, meaningOf: (header: string) => Meaning): Read {
  const known = new Map<string, string | null>()
  const ignored: string[] = []
  const fieldOf = (name: string): string | null => {
    const field = known.get(name)
    if (field !== undefined) return field
    if (known.size === MOST_NAMES) throw refusal(`The lines of the file have more than ${MOST_NAMES} names`)
    const meaning = meaningOf(name)
    const found = requireClear(name, meaning)
    known.set(name, found)
    if (meaning === 'NOTHING') ignored.push(shortened(name))
    return found
  }
  const headerOf = (field: string) => [...known].find(([, one]) => one === field)?.[0] ?? null
  return { form: { format: 'JSONL', fieldOf }, columns: { headerOf, ignored }, start: mark }
}

// CSV.

const separators = [',', ';', '\t']

async function csv(text: Text, { match_by }: Request, meaningOf: (header: string) => Meaning): Promise<Read> {
  const found = await Promise.all(separators.map((separator) => headerRow(text, separator)))
  const { separator, cells, end } = bestOf(found, meaningOf)
  if (cells.length === 0) throw refusal('The file is empty: it has no header row')
  if (cells.join('').includes('\0'))
    throw refusal('The header row has the character NUL: is the file UTF-16 without a byte order mark?')
  if (cells.join('').includes('\ufffd'))
    throw refusal('The header row cannot be read: save the file as UTF-8, or as UTF-16 with a byte order mark')
  const columns = columnsOf(cells, meaningOf, keyFields[match_by])
  const ignored = cells.filter((header) => header.trim() !== '' && meaningOf(header) === 'NOTHING').map(shortened)
  const headerOf = (field: string) => columns.find((one) => one.field === field)?.header ?? null
  return { form: { format: 'CSV', separator, columns }, columns: { headerOf, ignored }, start: end }
}

/** The field by which rows and users are matched. */
export const keyFields = { EXTERNAL_ID: 'external_id', USERNAME: 'username', ID: 'id' } as const

type HeaderRow = { separator: string; cells: string[]; end: number }

/** The first row, if this is the separator: without cells if the file has none. */
async function headerRow({ bytes, encoding, mark }: Text, separator: string): Promise<HeaderRow> {
  const { chunks, offsetAt } = utf8From(bytes, encoding, mark)
  const faults = {
    tooLong: () => refusal(`The header row has more than ${LONGEST_ROW / 1024} kB`),
    endsInQuote: () => refuse('PLAN_FILE_INCOMPLETE', undefined, 'The file ends inside a quote, in its header row'),
  }
  for await (const { cells, end } of csvRows(chunks, { separator, longest: LONGEST_ROW, faults, most: 1 }))
    return { separator, cells: cells.map(withoutApostrophe), end: offsetAt(end) }
  return { separator, cells: [], end: mark }
}

/** The header row in which most headers mean something; of equal ones that with most cells, then the first. */
function bestOf(rows: readonly HeaderRow[], meaningOf: (header: string) => Meaning): HeaderRow {
  const known = ({ cells }: HeaderRow) => cells.filter((header) => meaningOf(header) !== 'NOTHING').length
  const [best] = rows.toSorted((one, other) => known(other) - known(one) || other.cells.length - one.cells.length) as [
    HeaderRow,
  ]
  return best
}
