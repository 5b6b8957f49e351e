import { type AppError, refuse, refuseFault } from '../../base/errors.ts'
import type { AttributeDefinition } from '../../people/records/attributeDefinition.ts'
import { attributeField, attributeOfField } from '../change.ts'

// What the headers of a file mean.

/** The fields of users that a file can give, besides attributes. */
export const fileFields = [
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
] as const
export type FileField = (typeof fileFields)[number]

/** Which headers mean which fields, where the caller says so; null for a column that is left out. */
export type NamedColumns = Readonly<Record<string, string | null>>

/** What a header means: a field as `FileField` or `attribute:NAME`; nothing; or, by its title, one of several attributes. */
export type Meaning = { field: string } | 'NOTHING' | 'LEFT_OUT' | { oneOf: string[] }

/** Definitions as far as columns need them. */
type Definition = Pick<AttributeDefinition, 'technical_name' | 'title' | 'attribute_type'>

/** Headers are compared so: in any case, by the rules of no language, and without `_`, `-` and white space. */
export const plain = (header: string): string =>
  header
    .normalize('NFC')
    .toLowerCase()
    .replace(/[\s_-]+/gu, '')

type Known = { text: string; field: string }

/** Returns what a header means by itself: the name of a field, or an attribute's technical name or title, in this order. */
export function meaningsOf(definitions: readonly Definition[]): (header: string) => Meaning {
  const prefix = attributeField('')
  const names = definitions.map(({ technical_name: name }) => ({ text: name, field: attributeField(name) }))
  const tiers: Map<string, Known[]>[] = [
    fileFields.map((field) => ({ text: field, field })),
    names.map(({ field }) => ({ text: field, field })),
    names,
    definitions.flatMap(({ technical_name, title }) =>
      title.map(({ text }) => ({ text, field: attributeField(technical_name) })),
    ),
  ].map((known) => Map.groupBy(known, ({ text }) => plain(text)))
  return (header) => {
    const word = plain(header)
    const known = word === '' ? undefined : tiers.map((tier) => tier.get(word)).find((found) => found)
    if (!known) return 'NOTHING'
    const exact = known.filter(({ text }) => text === header.trim())
    const found = [...new Set((exact.length > 0 ? exact : known).map(({ field }) => field))]
    const [field = prefix, ...others] = found
    return others.length === 0 ? { field } : { oneOf: found }
  }
}

/** The same where the caller says what some headers mean. Throws if one of these fields does not exist. */
export function meaningsBy(columns: NamedColumns, definitions: readonly Definition[]): (header: string) => Meaning {
  const byItself = meaningsOf(definitions)
  const named = new Map(
    Object.entries(columns).map(([header, field]) => [
      plain(header),
      field === null ? 'LEFT_OUT' : fieldOf(field, byItself),
    ]),
  )
  return (header) => named.get(plain(header)) ?? byItself(header)
}

function fieldOf(text: string, byItself: (header: string) => Meaning): Meaning {
  const meaning = byItself(text)
  if (typeof meaning === 'object' && 'field' in meaning) return meaning
  throw refuseFault('VALIDATION_ERROR', 'columns', `must name fields of users, and ${shown(text)} is none`)
}

/** The most columns of a file. */
const MOST_COLUMNS = 1_000

/** A column: its header as the file has it, and its field; null for one that is left out. */
export type Column = { header: string; field: string | null }

/** The columns of a header row. Throws if the file cannot be read by it. */
export function columnsOf(
  headers: readonly string[],
  meaningOf: (header: string) => Meaning,
  key: FileField,
): Column[] {
  if (headers.length > MOST_COLUMNS) throw refusal(`The file has more than ${MOST_COLUMNS} columns`)
  const columns = headers.map((header) => ({ header, field: requireClear(header, meaningOf(header)) }))
  for (const [field, [first, second]] of Map.groupBy(columns, (column) => column.field))
    if (field !== null && first && second)
      throw refusal(
        `The headers ${shown(first.header)} and ${shown(second.header)} both name ${field}: leave one of them out, for example with null in columns`,
      )
  if (!columns.some(({ field }) => field === key)) throw refusal(missing(columns.length, key))
  return columns
}

const missing = (count: number, key: FileField): string =>
  `No header names ${key}, by which rows and users are matched: the header row has ${count} ${count === 1 ? 'cell' : 'cells'}. ` +
  'Is the first row the header row, and are its cells separated by comma, semicolon or tab?'

/** The field of a header; null for none. Throws if it names several attributes. */
export function requireClear(header: string, meaning: Meaning): string | null {
  if (typeof meaning === 'string') return null
  if ('field' in meaning) return meaning.field
  const names = meaning.oneOf.map((field) => attributeOfField(field) ?? field).join(' and ')
  throw refusal(`The header ${shown(header)} names the attributes ${names}: say in columns which one it is`)
}

/** A refusal of the whole file. */
export const refusal = (detail: string): AppError => refuse('VALIDATION_ERROR', undefined, detail)

const LONGEST_SHOWN = 64

/** A header as messages and `ignored_columns` show it. */
export const shortened = (header: string): string => {
  const characters = [...header.toWellFormed().trim()]
  return characters.length > LONGEST_SHOWN ? `${characters.slice(0, LONGEST_SHOWN).join('')}…` : characters.join('')
}
const shown = (header: string): string => `"${shortened(header)}"`
