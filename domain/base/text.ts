import { unseen } from '../../schemas/patterns.ts'

/** Separates the parts of sort keys. It sorts before every character of a field, so "van" comes before "van dyk". */
export const SEPARATOR = '\u0001'

/** Letters whose mark Unicode does not separate, with the letters that most people type for them; and typographic signs. */
const plain: Readonly<Record<string, string>> = {
  ß: 'ss',
  ø: 'o',
  ł: 'l',
  æ: 'ae',
  œ: 'oe',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
  ħ: 'h',
  ς: 'σ',
  '’': "'",
  '‘': "'",
  ʼ: "'",
  '‐': '-',
  '–': '-',
}
const special = /[ßøłæœđðþıħς’‘ʼ‐–]/g
/** Marks that search ignores (Latin, Greek, Cyrillic, Hebrew, Arabic). Dakuten and vowel signs stay: they make another letter. */
const accents = /[[\p{M}&&[\p{sc=Zinh}\p{sc=Hebr}\p{sc=Arab}\p{sc=Cyrl}]]--[\u3099\u309a]]/gv
const controls = /[\u0000-\u001f\u007f-\u009f]/g
const beyondAscii = /[^\x20-\x7e]/

/** Text as search and sorting use it: without regard to case, accents and width. */
export function fold(text: string): string {
  if (!beyondAscii.test(text)) return text.toLowerCase()
  return text
    .normalize('NFKD')
    .replace(accents, '')
    .replace(controls, ' ')
    .toLowerCase()
    .replace(special, (letter) => plain[letter] ?? letter)
    .normalize('NFC')
}

const pairs = /[\ud800-\udbff][\udc00-\udfff]/g

/** The length of a text as limits count it: in code points. */
export const charactersIn = (text: string): number => text.length - (text.match(pairs)?.length ?? 0)

const seen = new RegExp(`[^\\p{Cc}${unseen}]`, 'u')

/** Whether a text has a visible character. */
export const isVisible = (text: string): boolean => seen.test(text)

/** The most bytes of UTF-8 that one UTF-16 unit takes. */
const MOST_BYTES = 3

/** The longest beginning of a text that fits into `bytes` of UTF-8, never half a character. */
export const cut = (text: string, bytes: number): string =>
  text.length * MOST_BYTES <= bytes
    ? text
    : text.slice(0, new TextEncoder().encodeInto(text, new Uint8Array(bytes)).read)

/** Compares as DynamoDB orders strings, by UTF-8 bytes: UTF-16 puts emoji before some letters, bytes do not. */
export function compareBytes(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) {
    const x = a.charCodeAt(i)
    const y = b.charCodeAt(i)
    if (x !== y) return byteRank(x) - byteRank(y)
  }
  return a.length - b.length
}

/** Surrogates encode characters beyond U+FFFF, whose bytes come after those of U+E000…U+FFFF. */
const byteRank = (unit: number): number => (unit >= 0xe000 ? unit - 0x800 : unit >= 0xd800 ? unit + 0x2000 : unit)

const punctuation = /[\p{P}\p{S}]/u

/**
 * The words of a field: the texts between white space, their parts between punctuation, and the whole host of an e-mail
 * address.
 */
export function wordsOf(folded: string): string[] {
  return folded
    .split(/\s/u)
    .filter((word) => word !== '')
    .flatMap((word) => {
      const parts = word.split(punctuation).filter((part) => part !== '')
      const at = word.lastIndexOf('@')
      return [word, ...parts, ...(at > 0 && at < word.length - 1 ? [word.slice(at + 1)] : [])]
    })
}

const syntax = /[\\^$.*+?()[\]{}|/]/g

/**
 * Returns a test: whether each of these words is the beginning of a word of a text, whose fields may be joined by SEPARATOR.
 * `wordsOf` would give the same result, but a search tests tens of thousands of users, so no text is split into words.
 */
export function beginsWords(terms: readonly string[]): (text: string) => boolean {
  const patterns = terms.map((term) => {
    const word = term.replace(syntax, '\\$&')
    if (!punctuation.test(term)) return { term, begins: new RegExp(`(?<![^\\s\\p{P}\\p{S}${SEPARATOR}])${word}`, 'u') }
    // A word with punctuation must begin a text between white space, or the host of an address.
    const inWord = `[^\\s${SEPARATOR}]`
    const host = term.includes('@') ? '' : `|(?<=${inWord}@)${word}(?!${inWord}*@)`
    return { term, begins: new RegExp(`(?<!${inWord})${word}${host}`) }
  })
  return (text) => patterns.every(({ term, begins }) => text.includes(term) && begins.test(text))
}

/** The words of a search term, folded, longest first, without words that another word begins with. */
export function termWords(term: string): string[] {
  const words = new Set(
    fold(term)
      .split(/\s/u)
      .filter((word) => word !== ''),
  )
  const needed = [...words].filter((word) => ![...words].some((other) => other !== word && other.startsWith(word)))
  return needed.sort((a, b) => b.length - a.length)
}

const DAY = /^\d{4}-\d{2}-\d{2}$/
const MOMENT = /^\d{4}-\d{2}-\d{2}T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d+)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i

/** JSON with sorted properties: DynamoDB does not keep their order. */
export const canonicalJson = (value: unknown): string => JSON.stringify(withSortedKeys(value))

/** No stored value is nested this deep. A deeper body is refused later, but must not exhaust the stack before that. */
const DEEPEST = 500

/** A copy whose objects have their keys in order: a replacer would make JSON.stringify take twice as long. */
export function withSortedKeys(value: unknown, depth = 0): unknown {
  if (depth > DEEPEST) return null
  if (Array.isArray(value)) return value.map((one) => withSortedKeys(one, depth + 1))
  if (typeof value !== 'object' || value === null) return value
  const members = value as Readonly<Record<string, unknown>>
  // Without a prototype, as `__proto__` may be a property of settings.
  const copy = Object.create(null)
  for (const name of Object.keys(members).sort()) copy[name] = withSortedKeys(members[name], depth + 1)
  return copy
}

/** The messages for an invalid day and an invalid moment. They follow the property's name. */
export const invalidDay = 'must be a date that the calendar has'
export const invalidMoment = 'must be a moment that the calendar has'

/** Whether a text is a day of the calendar, YYYY-MM-DD, in the years 0001 to 9999. */
export const isDay = (text: string): boolean => isCalendarDay(text) && !text.startsWith('0000')

/**
 * The moment in a text, in the form that is stored and answered: UTC with milliseconds, finer fractions cut off. Undefined if
 * the text is not a moment.
 *
 * Moments have the form of RFC 3339: any offset, `-00:00` included, any number of fraction digits, `t` and `z` in either case.
 * These are no moments: days that the calendar does not have, 24:00:00, leap seconds (computer clocks have none), and years
 * outside 0001 to 9999 in UTC, as stored moments are compared as text and need four digits for the year.
 */
export function momentOf(text: string): string | undefined {
  // Date turns 30 February into 2 March, so the day is checked by itself.
  if (!MOMENT.test(text) || !isCalendarDay(text.slice(0, 10))) return undefined
  const moment = new Date(text).toISOString()
  return isDay(moment.slice(0, 10)) ? moment : undefined
}

function isCalendarDay(text: string): boolean {
  if (!DAY.test(text)) return false
  const time = Date.parse(text)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}

export const DAY_MS = 86_400_000

/** The moment `ms` milliseconds after another one; before it if `ms` is negative. */
export const momentAfter = (moment: string, ms: number): string => new Date(Date.parse(moment) + ms).toISOString()

/** Whether a moment has passed. Stored moments compare as text, as all have the same form. */
export const isPast = (moment: string | undefined, now: string): boolean => moment !== undefined && moment <= now
