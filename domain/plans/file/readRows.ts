import { refuse } from '../../base/errors.ts'
import { linesOf } from '../../base/lines.ts'
import { asRecord } from '../../base/values.ts'
import { attributeOfField } from '../change.ts'
import { type Cell, cellValue, noText, withoutApostrophe } from './cells.ts'
import { refusal, shortened } from './columns.ts'
import { type CsvFaults, csvRows } from './csvRows.ts'
import { utf8From } from './fileText.ts'
import { keyFields, LONGEST_ROW, type PlanFile } from './planFile.ts'
import type { FilePosition, FileRow, RowFault, RowValues } from './row.ts'

/** The most rows of a file. */
const MOST_ROWS = 1_000_000

/** A row, and where the next one begins. */
export type ReadRow = { row: FileRow; at: FilePosition }

/**
 * The rows of a file from a position on. No more than a few pieces of the file are held at once. Throws what refuses the whole
 * file.
 */
export async function* readRows(file: PlanFile, from: FilePosition): AsyncGenerator<ReadRow> {
  if (from.columns !== undefined && from.columns !== file.digest)
    throw refusal('The attribute definitions have changed while the file was checked')
  const at = { ...from, offset: from.offset === 0 ? file.start : from.offset }
  for await (const { row, offset } of file.form.format === 'CSV' ? csvOf(file, at) : linesIn(file, at)) {
    if (row.row > MOST_ROWS) throw refusal(`The file has more than ${MOST_ROWS} rows`)
    yield { row, at: { offset, row: row.row, columns: file.digest } }
  }
}

type Found = { row: FileRow; offset: number }

const tooLong = (row: number) =>
  refusal(`Row ${row} has more than ${LONGEST_ROW / 1024} kB: does a cell lack its closing quote?`)

async function* csvOf(file: PlanFile, from: FilePosition): AsyncGenerator<Found> {
  const { form } = file
  if (form.format !== 'CSV') return
  const { chunks, offsetAt } = utf8From(file.bytes, file.encoding, from.offset)
  let row = from.row
  const faults: CsvFaults = {
    tooLong: (before) => tooLong(from.row + before + 1),
    endsInQuote: (before) =>
      refuse('PLAN_FILE_INCOMPLETE', undefined, `The file ends inside a quote, in row ${from.row + before + 1}`),
  }
  for await (const { cells, end } of csvRows(chunks, { separator: form.separator, longest: LONGEST_ROW, faults })) {
    row++
    yield { row: csvRow(file, form.columns, cells, row), offset: offsetAt(end) }
  }
}

type CsvColumns = Extract<PlanFile['form'], { format: 'CSV' }>['columns']

function csvRow(file: PlanFile, columns: CsvColumns, cells: readonly string[], row: number): FileRow {
  if (cells.length !== columns.length)
    return unreadable(row, `The row has ${cells.length} cells, and the header row ${columns.length}`)
  const known = columns.map(({ header, field }, n) => ({ header, field, cell: withoutApostrophe(cells[n] ?? '') }))
  return rowOf(file, known, row)
}

/** A row of which not even the key is certain. */
const unreadable = (row: number, detail: string): FileRow => ({
  ...{ row, key: null, values: {} },
  faults: [{ column: null, code: 'VALIDATION_ERROR', detail }],
})

async function* linesIn(file: PlanFile, from: FilePosition): AsyncGenerator<Found> {
  const { chunks, offsetAt } = utf8From(file.bytes, file.encoding, from.offset)
  const lines = linesOf(chunks, { offset: 0, line: from.row }, { longest: LONGEST_ROW, tooLong })
  for await (const { text, line, end } of lines) {
    const offset = offsetAt(end)
    if (text.trim() !== '') yield { row: jsonlRow(file, text, line), offset }
  }
}

function jsonlRow(file: PlanFile, text: string, row: number): FileRow {
  const { form } = file
  const object = objectIn(text)
  if (!object || form.format !== 'JSONL') return unreadable(row, 'The line must be one JSON object')
  if (hasDoubleNames(text, object)) return unreadable(row, 'The line has a name twice')
  const cells = Object.entries(object).map(
    ([header, value]): Given => ({ header, field: form.fieldOf(header), cell: cellOf(value) }),
  )
  for (const [field, [first, second]] of Map.groupBy(cells, (one) => one.field))
    if (field !== null && first && second)
      return unreadable(row, `The names ${shortened(first.header)} and ${shortened(second.header)} both name ${field}`)
  return rowOf(file, cells, row)
}

function objectIn(text: string): Record<string, unknown> | undefined {
  try {
    return asRecord(JSON.parse(text))
  } catch {
    return undefined
  }
}

function cellOf(value: unknown): Cell {
  if (value === null || typeof value === 'string') return value
  return Array.isArray(value) && value.every((one) => typeof one === 'string') ? value : noText
}

/** Texts, with the colon behind a name, and brackets. */
const tokens = /"(?:[^"\\]|\\.)*"(\s*:)?|[{}[\]]/g
const depths: Readonly<Record<string, number>> = { '{': 1, '[': 1, '}': -1, ']': -1 }

/** Whether an object in JSON has a name twice: the parser keeps only the last one. */
function hasDoubleNames(text: string, object: object): boolean {
  const names = Object.keys(object).length
  // A colon follows each name, so most lines need no second look.
  if (text.match(/"\s*:/g)?.length === names) return false
  let [depth, found] = [0, 0]
  for (const [token, colon] of text.matchAll(tokens)) {
    depth += depths[token] ?? 0
    if (colon && depth === 1) found++
  }
  return found > names
}

type Given = { header: string; field: string | null; cell: Cell }

/** The row of some cells, of which each field has at most one. */
function rowOf({ request, typeOf }: PlanFile, given: readonly Given[], row: number): FileRow {
  const key = keyFields[request.match_by]
  const faults: RowFault[] = []
  const found: [field: string, value: string | string[] | null][] = []
  for (const { header, field, cell } of given) {
    if (field === null) continue
    const one = cellValue(field, cell, { key, typeOf, empty: request.empty })
    if ('fault' in one) faults.push({ column: header, code: one.code, detail: `${field} ${one.fault}` })
    else if (one.value !== undefined) found.push([field, one.value])
  }
  if (!given.some(({ field }) => field === key))
    faults.push({
      column: null,
      code: 'VALIDATION_ERROR',
      detail: `${key} must be given: it says which user the row is about`,
    })
  const values = valuesOf(found)
  return { row, key: values[key] ?? null, values, faults }
}

function valuesOf(found: readonly (readonly [field: string, value: unknown])[]): RowValues {
  const isAttribute = ([field]: readonly [string, unknown]) => attributeOfField(field) !== undefined
  const attributes = found.filter(isAttribute).map(([field, value]) => [attributeOfField(field), value])
  return {
    ...Object.fromEntries(found.filter((one) => !isAttribute(one))),
    ...(attributes.length > 0 ? { attributes: Object.fromEntries(attributes) } : {}),
  }
}
