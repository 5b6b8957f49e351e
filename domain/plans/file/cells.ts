import type { ErrorCode } from '../../../schemas/errors.ts'
import { isDay } from '../../base/moments.ts'
import { charactersIn } from '../../base/text.ts'
import type { AttributeType } from '../../people/records/attributeDefinition.ts'
import { attributeOfField } from '../change.ts'
import type { FileField } from './columns.ts'

// What cells say. Texts are checked as far as the form of a file goes; what PATCH says about a value is asked later.

/** The text of a cell; null for an empty one. JSON may also have a list of texts, or something else. */
export type Cell = string | null | readonly string[] | typeof noText
export const noText: unique symbol = Symbol('something else')

/** The value of a cell: undefined if it does not count; or why there is none, in words that follow the name of the field. */
type CellValue = { value: string | string[] | null | undefined } | { fault: string; code: ErrorCode }

const wrong = (fault: string, code: ErrorCode = 'VALIDATION_ERROR'): CellValue => ({ fault, code })

/** Fields of which the API drops outer white space. */
const trimmed: ReadonlySet<string> = new Set([
  'external_id',
  'username',
  'first_name',
  'last_name',
] satisfies FileField[])
/** Fields that can be cleared. */
const clearable: ReadonlySet<string> = new Set([
  'external_id',
  'email',
  'primary_user_group',
  'preferred_language',
  'tags',
] satisfies FileField[])

/** The most characters of what names a user. */
const LONGEST_NAME = 255

/** A long number as spreadsheets write it when they have lost its last digits. */
const SHORTENED = /^[+-]?\d+(?:[.,]\d+)?E\+\d+$/i

/** How cells are read; `key` is the field by which users are found. */
export type Reading = {
  key: FileField
  empty: 'IGNORE' | 'CLEAR'
  typeOf: (attribute: string) => AttributeType | undefined
}

/** The value that a cell gives a field. */
export function cellValue(field: string, cell: Cell, reading: Reading): CellValue {
  if (isEmpty(field, cell)) return emptyValue(field, reading)
  if (typeof cell !== 'string') return field === 'tags' && Array.isArray(cell) ? tagsIn(cell) : wrong('must be a text')
  const text = trimmed.has(field) ? cell.trim() : cell
  const unreadable = faultOfText(text)
  if (unreadable) return wrong(unreadable)
  const attribute = attributeOfField(field)
  if (attribute !== undefined && reading.typeOf(attribute) === 'DATE') return dayIn(text)
  return readers[field]?.(text) ?? { value: text }
}

/** How the texts of some fields are read. */
const readers: Readonly<Record<string, (text: string) => CellValue>> = {
  external_id: nameIn,
  username: nameIn,
  id: nameIn,
  role: (text) => wordIn(text, ['USER', 'ADMIN']),
  status: (text) => wordIn(text, ['ACTIVE', 'LOCKED', 'DEACTIVATED']),
  tags: (text) => tagsIn(splitTags(text)),
}

function nameIn(text: string): CellValue {
  if (charactersIn(text) > LONGEST_NAME) return wrong(`must have at most ${LONGEST_NAME} characters`)
  if (!SHORTENED.test(text)) return { value: text }
  return wrong('must not be a number that a spreadsheet has shortened: format the column as text, and fill it again')
}

const dayIn = (text: string): CellValue =>
  isDay(text) ? { value: text } : wrong('must be a date of the form YYYY-MM-DD', 'INVALID_DATE_ATTRIBUTE_FORMAT')

const isEmpty = (field: string, cell: Cell): boolean =>
  cell === null || cell === '' || (typeof cell === 'string' && trimmed.has(field) && cell.trim() === '')

function emptyValue(field: string, { key, empty }: Reading): CellValue {
  if (field === key) return wrong('must not be empty: it says which user the row is about')
  if (empty === 'IGNORE' || field === 'id') return { value: undefined }
  if (field === 'tags') return { value: [] }
  if (clearable.has(field) || attributeOfField(field) !== undefined) return { value: null }
  return wrong('must not be empty, as it cannot be cleared')
}

/** Why a text cannot be stored; undefined if it can. */
function faultOfText(text: string): string | undefined {
  if (text.includes('\ufffd') || !text.isWellFormed())
    return 'must be UTF-8, or UTF-16 with a byte order mark: it has characters that cannot be read'
  return text.includes('\0') ? 'must not have the character NUL: is the file encoded as UTF-8?' : undefined
}

function wordIn(text: string, known: readonly string[]): CellValue {
  const word = text.trim().toUpperCase()
  const list = `${known.slice(0, -1).join(', ')} or ${known.at(-1)}`
  return known.includes(word) ? { value: word } : wrong(`must be ${list}`)
}

function tagsIn(tags: readonly string[]): CellValue {
  const unreadable = tags.map(faultOfText).find((one) => one !== undefined)
  if (unreadable) return wrong(unreadable)
  if (tags.includes('')) return wrong('must not have an empty tag: one | separates two tags')
  return { value: [...tags] }
}

/**
 * The tags in a text, separated by `|`. Of backslashes directly before a `|`, each two are one backslash, and a last one makes the
 * `|` a character. Other backslashes are characters.
 */
export function splitTags(text: string): string[] {
  const tags: string[] = []
  let tag = ''
  for (const [, before = '', slashes = '', bar] of text.matchAll(/([^|\\]*)(\\*)(\|?)/g)) {
    tag += before
    if (!bar) tag += slashes
    else {
      tag += '\\'.repeat(slashes.length / 2)
      if (slashes.length % 2 === 1) tag += '|'
      else {
        tags.push(tag)
        tag = ''
      }
    }
  }
  return [...tags, tag]
}

/** The text of a CSV cell: without the apostrophe that keeps spreadsheets from reading a text as a formula. */
export const withoutApostrophe = (text: string): string => (/^'[=+\-@'\t\r]/.test(text) ? text.slice(1) : text)
