import { hash } from 'node:crypto'

// Texts as they are stored and compared: by bytes, as JSON, by hashes, and moments.

/** Separates the parts of sort keys. It sorts before every character of a field, so "van" comes before "van dyk". */
export const SEPARATOR = '\u0001'

const pairs = /[\ud800-\udbff][\udc00-\udfff]/g

/** The length of a text as limits count it: in code points. */
export const charactersIn = (text: string): number => text.length - (text.match(pairs)?.length ?? 0)

/** The most bytes of UTF-8 that one UTF-16 unit takes. */
const MOST_BYTES_PER_UNIT = 3

/** The longest beginning of a text that fits into `bytes` of UTF-8, never half a character. */
export const cut = (text: string, bytes: number): string =>
  text.length * MOST_BYTES_PER_UNIT <= bytes
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

/** The SHA-256 of a text, in the letters of URLs. */
export const sha256 = (text: string): string => hash('sha256', text, 'base64url')

const OFFSET = 0x811c9dc5
const PRIME = 0x01000193

/** A hash of 32 bits: FNV-1a, which is quick. Each `seed` gives another one. */
export function hash32(text: string, seed = 0): number {
  let hash = OFFSET + seed
  for (let n = 0; n < text.length; n++) hash = Math.imul(hash ^ text.charCodeAt(n), PRIME)
  return hash >>> 0
}

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

export const DAY_MS = 86_400_000

/** The day of a moment, or of a sort key that begins with one. */
export const dayOf = (moment: string): string => moment.slice(0, '2026-01-01'.length)

/** The moment `ms` milliseconds after another one; before it if `ms` is negative. */
export const momentAfter = (moment: string, ms: number): string => new Date(Date.parse(moment) + ms).toISOString()

/** Whether a moment has passed. Stored moments compare as text, as all have the same form. */
export const isPast = (moment: string | undefined, now: string): boolean => moment !== undefined && moment <= now
