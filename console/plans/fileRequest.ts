// What somebody says about a file before it is sent, and what is sent of it. Pure.
import type { Schemas } from '../data/api.ts'
import { csvRows } from './csv.ts'

export const keys = ['EXTERNAL_ID', 'USERNAME', 'ID'] as const
export const absences = ['KEEP', 'DEACTIVATE', 'DELETE'] as const

/** A file that would change more than these is refused: it may be cut off, or have its columns mixed up. With what holds by itself. */
export const limits = { changed_percent: 20, lifecycle_percent: 5, cleared_percent: 5 } as const
export type Limit = keyof typeof limits
const limitNames = Object.keys(limits) as Limit[]

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
  /** At most so many percent of the people may be changed; '' for what the service allows by itself. */
  limits: Readonly<Record<Limit, string>>
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
  limits: { changed_percent: '', lifecycle_percent: '', cleared_percent: '' },
  columns: {},
}

/** What keeps a file from being sent. Of two columns for one field the service would refuse the file. */
export type Lack = 'FILE' | 'KEY' | 'HEADERS' | 'REQUIRED' | 'TWICE'

/**
 * What is missing before a file can be sent, by the name of the field. `fields`: what the columns of the file are, if that is known; without
 * the one by which people are found the service refuses the file.
 */
export function missingIn(
  asked: Asked,
  hasFile: boolean,
  fields: readonly (string | null | undefined)[] = [],
): ReadonlyMap<string, Lack> {
  const { matchBy, absent, attribute, value } = asked
  const lacks = new Map<string, Lack>()
  if (!hasFile) lacks.set('file', 'FILE')
  if (fields.length > 0 && fields.every((field) => field === undefined)) lacks.set('file', 'HEADERS')
  else if (fields.length > 0 && !fields.includes(matchBy.toLowerCase())) lacks.set('match_by', 'KEY')
  fields.forEach((field, n) => {
    if (field && fields.indexOf(field) < n) lacks.set(`column-${n}`, 'TWICE')
  })
  if (absent !== 'KEEP' && attribute && !value.trim()) lacks.set('value', 'REQUIRED')
  if (absent !== 'KEEP' && rowsOf(asked) === undefined) lacks.set('rows', 'REQUIRED')
  return lacks
}

export const longestTitle = 120

/** What is sent of it. A plan without a title is called like its file. */
export function planOf(asked: Asked, fileName: string) {
  const { title, matchBy, absent, attribute, value, clearsEmpty, restores, unlocks, columns } = asked
  const given = limitNames.filter((name) => asked.limits[name].trim())
  const among = attribute ? { attribute_technical_name: attribute, attribute_value: value } : { all: true as const }
  return {
    kind: 'FILE' as const,
    format: 'CSV' as const,
    match_by: matchBy,
    title: title.trim() || [...fileName].slice(0, longestTitle).join(''),
    ...(absent === 'KEEP' ? {} : { mode: 'FULL' as const, absent, absent_among: among }),
    ...(clearsEmpty ? { empty: 'CLEAR' as const } : {}),
    ...(restores ? { pending: 'RESTORE' as const } : {}),
    ...(unlocks ? { unlock: true } : {}),
    ...(given.length > 0
      ? { limits: Object.fromEntries(given.map((name) => [name, Number(asked.limits[name])])) }
      : {}),
    ...(Object.keys(columns).length > 0 ? { columns } : {}),
  } satisfies Record<string, unknown>
}

type Among = { attribute_technical_name?: string; attribute_value?: string; all?: true }
type InRequest = Partial<{
  match_by: Asked['matchBy']
  absent: Asked['absent']
  absent_among: Among & Record<string, unknown>
  empty: string
  pending: string
  unlock: boolean
  limits: Partial<Record<Limit, number>>
  columns: Asked['columns']
}>

/**
 * The values of a form, from an earlier plan. If the form cannot show which people may be missing, missing people stay as they are.
 * The user enters the number of rows again, as the file may be another one.
 */
export function askedOf(request: object, title: string | null): Asked {
  const {
    match_by,
    absent = 'KEEP',
    absent_among = {},
    empty,
    pending,
    unlock,
    limits: given,
    columns,
  } = request as InRequest
  const { attribute_technical_name: attribute = '', attribute_value: value = '', all, ...others } = absent_among
  const isSayable = (attribute !== '' || all === true) && Object.keys(others).length === 0
  return {
    ...nothingAsked,
    // A plan without a title was called like its file.
    title: title && !/\.(?:csv|txt)$/i.test(title) ? title : '',
    matchBy: match_by ?? nothingAsked.matchBy,
    ...(isSayable ? { absent, attribute, value } : {}),
    clearsEmpty: empty === 'CLEAR',
    restores: pending === 'RESTORE',
    unlocks: unlock ?? false,
    limits: {
      ...nothingAsked.limits,
      ...Object.fromEntries(
        limitNames.flatMap((name) => (given?.[name] === undefined ? [] : [[name, String(given[name])]])),
      ),
    },
    columns: columns ?? {},
  }
}

/** What the form is opened with, to try once more what a plan was to do: the state of that visit. */
export type Again = { plan: string; asked: Asked }
export const againIn = (state: { again?: Again } | null): Again | undefined => state?.again

/** How many rows are said to be in the file; undefined where it does not matter, and where it is no number. */
export const rowsOf = ({ absent, rows }: Asked): number | undefined => (absent === 'KEEP' ? undefined : numberIn(rows))

/** A whole number, also with the separators that people and spreadsheets put between thousands. */
function numberIn(text: string): number | undefined {
  const digits = text.trim().replaceAll(/(?<=\d)[\s.,'’](?=\d{3}(?!\d))/g, '')
  return /^\d+$/.test(digits) ? Number(digits) : undefined
}

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

/** An attribute, as columns need it. `titles`: in all languages. */
export type NamedAttribute = {
  name: string
  title: string
  titles?: readonly string[]
  type?: Schemas['AttributeDefinition']['attribute_type']
}

/** The service compares headers so. */
const plain = (header: string) =>
  header
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/[\s_-]+/gu, '')

/** The field that a header means by itself, as the service says; undefined if it does not know it. */
export function fieldOfHeader(header: string, attributes: readonly NamedAttribute[]): string | undefined {
  const tiers: { text: string; field: string }[][] = [
    fieldsOfFiles.map((field) => ({ text: field, field })),
    attributes.map(({ name }) => ({ text: `attribute:${name}`, field: `attribute:${name}` })),
    attributes.map(({ name }) => ({ text: name, field: `attribute:${name}` })),
    attributes.flatMap(({ name, title, titles = [title] }) =>
      titles.map((text) => ({ text, field: `attribute:${name}` })),
    ),
  ]
  const same = tiers.map((tier) => tier.filter(({ text }) => plain(text) === plain(header)))
  const known = same.find(({ length }) => length > 0) ?? []
  const exact = known.filter(({ text }) => text === header.trim())
  const fields = new Set((exact.length > 0 ? exact : known).map(({ field }) => field))
  // A title that several attributes have says nothing.
  return fields.size === 1 ? [...fields][0] : undefined
}

/** What columns are often called, in English and German. The service does not know these, so they are only suggested. */
const labels: Readonly<Record<string, readonly string[]>> = {
  external_id: [
    'Fremde Nummer',
    'Externe ID',
    'Personalnummer',
    'Personal-Nr.',
    'Pers.-Nr.',
    'Mitarbeiternummer',
    'Mitarbeiter-Nr.',
    'Mitarbeiter-ID',
    'Staff number',
    'Staff ID',
    'Personnel number',
    'Employee number',
    'Employee no.',
    'Employee ID',
    'Employee code',
    'Staff no.',
    'Personnel no.',
    'Payroll number',
    'Worker ID',
    'HR ID',
  ],
  id: ['Kennung'],
  username: ['Benutzername', 'Benutzer', 'Anmeldename', 'User', 'Login', 'Login name', 'Account'],
  first_name: ['Vorname', 'Rufname', 'Given name', 'Forename'],
  last_name: ['Nachname', 'Familienname', 'Zuname', 'Surname', 'Family name'],
  email: ['E-Mail-Adresse', 'Mail', 'Mailadresse', 'E-mail address', 'Mail address'],
  role: ['Rolle', 'Rolle in Rollcall', 'Role in Rollcall'],
  status: ['Zustand', 'State', 'Account status'],
  primary_user_group: ['Hauptgruppe', 'Stammgruppe', 'Gruppe', 'Primary group', 'Main group', 'Group'],
  preferred_language: ['Sprache', 'Bevorzugte Sprache', 'Language', 'Locale'],
  tags: ['Schlagwörter', 'Schlagworte', 'Labels'],
  // Attributes count where the organisation has them.
  'attribute:department': ['Abteilung', 'Bereich', 'Department', 'Dept.', 'Division'],
  'attribute:location': ['Standort', 'Ort', 'Arbeitsort', 'Dienstort', 'Location', 'Site', 'Office', 'Work location'],
  'attribute:job_title': [
    'Berufsbezeichnung',
    'Stelle',
    'Stellenbezeichnung',
    'Position',
    'Funktion',
    'Tätigkeit',
    'Job',
    'Job title',
  ],
}
const withoutDots = (header: string) => plain(header).replaceAll(/[.:]/g, '')
const suggestions = new Map(
  Object.entries(labels).flatMap(([field, names]) => names.map((name) => [withoutDots(name), field] as const)),
)

/** The fields that headers may mean which the service does not know, as long as no other column is that field. */
export function suggestedIn(
  headers: readonly string[],
  attributes: readonly NamedAttribute[],
): Readonly<Record<string, string>> {
  const taken = new Set(fieldsOf(headers, {}, attributes))
  const isThere = (field: string) =>
    !field.startsWith('attribute:') || attributes.some(({ name }) => field === `attribute:${name}`)
  const found: [string, string][] = []
  for (const header of headers) {
    const field = fieldOfHeader(header, attributes) ? undefined : suggestions.get(withoutDots(header))
    if (field === undefined || taken.has(field) || !isThere(field)) continue
    taken.add(field)
    found.push([header, field])
  }
  return Object.fromEntries(found)
}

/** What columns are said to be when a file is chosen: what is suggested, and what was said of them `before`. */
export function columnsFor(
  headers: readonly string[],
  attributes: readonly NamedAttribute[],
  before: Asked['columns'],
): Asked['columns'] {
  const said = Object.entries(before).filter(([header]) => headers.includes(header))
  return { ...suggestedIn(headers, attributes), ...Object.fromEntries(said) }
}

/** Whether somebody should look at what the columns are: the one by which people are found, or a name, is not there by its header. */
export function needsLook(
  headers: readonly string[],
  { matchBy }: Pick<Asked, 'matchBy'>,
  attributes: readonly NamedAttribute[],
): boolean {
  const fields = fieldsOf(headers, {}, attributes)
  if (!fields.includes(matchBy.toLowerCase())) return true
  return fields.includes(undefined) && !['first_name', 'last_name'].every((name) => fields.includes(name))
}

/** What each column is: what somebody says, null for one that is left out, else what its header means; undefined if that is not known. */
export const fieldsOf = (
  headers: readonly string[],
  columns: Asked['columns'],
  attributes: readonly NamedAttribute[],
): (string | null | undefined)[] =>
  headers.map((header) => (Object.hasOwn(columns, header) ? columns[header] : fieldOfHeader(header, attributes)))

/** Why a file cannot be sent: it is one of Excel itself, its letters cannot be read, or there is nothing in it. */
export type Unfit = 'EXCEL' | 'ENCODING' | 'EMPTY' | 'NO_ROWS'

/** The first bytes of files of Excel: packed ones, and those of old versions. */
const excel = [
  [0x50, 0x4b, 0x03, 0x04],
  [0xd0, 0xcf, 0x11, 0xe0],
]
/** Umlauts may come late. */
const bytesJudged = 4_194_304

/** Why a file cannot be read; undefined if its beginning can. */
export async function unfitIn(file: Blob): Promise<'EXCEL' | 'ENCODING' | undefined> {
  const bytes = new Uint8Array(await file.slice(0, bytesJudged).arrayBuffer())
  if (excel.some((mark) => mark.every((byte, n) => bytes[n] === byte))) return 'EXCEL'
  if (encodingOf(bytes) !== 'utf-8') return undefined
  try {
    // What is looked at may end within a letter.
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
    return undefined
  } catch {
    return 'ENCODING'
  }
}

/** By the mark that it begins with. */
function encodingOf([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8'
}

/** The text of a whole file. */
export async function textOfFile(file: Blob): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer())
  return new TextDecoder(encodingOf(bytes)).decode(bytes)
}

const firstRow = (text: string, separator: string): string[] => csvRows(text, separator).next().value ?? []

/** The separator that makes most cells of the first row. */
export function separatorOf(text: string): string {
  const count = (separator: string) => firstRow(text, separator).length
  const [separator = ','] = [',', ';', '\t'].toSorted((one, other) => count(other) - count(one))
  return separator
}

/** The cells of the first row that is not empty. */
export const headersIn = (text: string): string[] =>
  firstRow(text, separatorOf(text))
    .map((cell) => cell.trim())
    .filter(Boolean)
