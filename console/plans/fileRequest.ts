// What somebody says about a file before it is sent, and what is sent of it. Pure.
import type { Schemas } from '../data/api.ts'

export const keys = ['EXTERNAL_ID', 'USERNAME', 'ID'] as const
export const absences = ['KEEP', 'DEACTIVATE', 'DELETE'] as const

/** What a form asks about a file. */
export type Asked = {
  title: string
  matchBy: (typeof keys)[number]
  /** What becomes of people who are in no row. */
  absent: (typeof absences)[number]
  /** Which people can be missing: everybody, or those with a value of an attribute. */
  attribute: string
  value: string
  /** How many rows the file has, as somebody knows from elsewhere. */
  rows: string
  clearsEmpty: boolean
  restores: boolean
  unlocks: boolean
  /** The field of a header, where the header does not say it; null leaves the column out. */
  columns: Readonly<Record<string, string | null>>
}

export const nothingAsked: Asked = {
  title: '',
  matchBy: 'EXTERNAL_ID',
  absent: 'KEEP',
  attribute: '',
  value: '',
  rows: '',
  clearsEmpty: false,
  restores: false,
  unlocks: false,
  columns: {},
}

/** What is missing before a file can be sent, by the name of the field. */
export function missingIn({ absent, attribute, value, rows }: Asked, hasFile: boolean): string[] {
  return [
    ...(hasFile ? [] : ['file']),
    ...(absent !== 'KEEP' && !/^\d+$/.test(rows.trim()) ? ['rows'] : []),
    ...(absent !== 'KEEP' && attribute && !value.trim() ? ['value'] : []),
  ]
}

export function planOf(asked: Asked) {
  const { title, matchBy, absent, attribute, value, clearsEmpty, restores, unlocks, columns } = asked
  const among = attribute ? { attribute_technical_name: attribute, attribute_value: value } : { all: true as const }
  return {
    kind: 'FILE' as const,
    format: 'CSV' as const,
    match_by: matchBy,
    ...(title.trim() ? { title: title.trim() } : {}),
    ...(absent === 'KEEP' ? {} : { mode: 'FULL' as const, absent, absent_among: among }),
    ...(clearsEmpty ? { empty: 'CLEAR' as const } : {}),
    ...(restores ? { pending: 'RESTORE' as const } : {}),
    ...(unlocks ? { unlock: true } : {}),
    ...(Object.keys(columns).length > 0 ? { columns } : {}),
  } satisfies Record<string, unknown>
}

/** How many rows are said to be in the file; undefined where it does not matter. */
export const rowsOf = ({ absent, rows }: Asked): number | undefined =>
  absent === 'KEEP' ? undefined : Number(rows.trim())

/** What a column can be, beside attributes. */
export const fieldsOfFiles = [
  'external_id',
  'id',
  'username',
  'first_name',
  'last_name',
  'email',
  'role',
  'status',
  'primary_user_group',
  'preferred_language',
  'tags',
] as const satisfies readonly (keyof Schemas['User'] | 'primary_user_group' | 'id')[]

const bytesLookedAt = 65_536

/** The headers of a file, as far as its beginning shows them: to choose what a column is. The service reads the file itself. */
export async function headersOf(file: Blob): Promise<string[]> {
  const bytes = new Uint8Array(await file.slice(0, bytesLookedAt).arrayBuffer())
  const [first, second] = bytes
  const encoding =
    first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8'
  return headersIn(new TextDecoder(encoding).decode(bytes))
}

/** The cells of the first record: by the separator of which there are most, quotes as in RFC 4180. */
export function headersIn(text: string): string[] {
  const line = firstRecord(text)
  const separator =
    [',', ';', '\t'].toSorted((one, other) => line.split(other).length - line.split(one).length)[0] ?? ','
  const cells: string[] = []
  let [cell, isQuoted] = ['', false]
  for (const character of line) {
    if (character === '"') isQuoted = !isQuoted
    else if (character === separator && !isQuoted) {
      cells.push(cell)
      cell = ''
    } else cell += character
  }
  return [...cells, cell].map((one) => one.trim()).filter(Boolean)
}

function firstRecord(text: string): string {
  let isQuoted = false
  for (const [at, character] of [...text].entries()) {
    if (character === '"') isQuoted = !isQuoted
    if ((character === '\n' || character === '\r') && !isQuoted) return [...text].slice(0, at).join('')
  }
  return text
}
