import { MIMEType } from 'node:util'
import { type Found, faultAt } from '../../domain/base/errors.ts'
import { damage, damagedAt } from '../../domain/request/input.ts'
import type { Contract, Schema } from '../../schemas/contract.ts'
import type { Event } from './call.ts'

const LARGEST_BODY = 1024 * 1024
const MOST_NAMES = 2000

type Query = { values: Record<string, unknown>; ignored: string[] }

/**
 * Query parameters as their schema wants them: lists in all three spellings (`a=1,2`, `a=1&a=2`, `a[]=1&a[]=2`),
 * numbers as numbers, and in upper case those that the contract takes in any letter case. Empty ones count as not given,
 * unknown ones are set aside. What does not fit stays as it came, for validation to name.
 */
export function readQuery(
  rawQuery: string,
  { query: schema, anyCase = [] }: Pick<Contract, 'query' | 'anyCase'>,
): Query {
  const known = (schema?.properties ?? {}) as Record<string, Schema>
  const given = new Map<string, string[]>()
  const ignored = new Set<string>()
  const read = (name: string, value: string) => (anyCase.includes(name) ? upperCase(value) : value)
  for (const [spelling, value] of new URLSearchParams(rawQuery)) {
    const name = spelling.endsWith('[]') ? spelling.slice(0, -2) : spelling
    if (!Object.hasOwn(known, name)) ignored.add(encodeURIComponent(spelling.slice(0, 64).toWellFormed()))
    else if (value !== '') given.set(name, [...(given.get(name) ?? []), read(name, value)])
  }
  const values = [...given].map(([name, texts]) => [name, coerced(texts, known[name] as Schema)] as const)
  return {
    values: Object.fromEntries(values.filter(([, value]) => !Array.isArray(value) || value.length > 0)),
    ignored: few([...ignored]),
  }
}

/** Of letters beyond ASCII some have an upper case within it, and would be taken for what they are not. */
const upperCase = (text: string): string => text.replaceAll(/[a-z]+/g, (letters) => letters.toUpperCase())

/** As many names as fit a response header beside the others: gateways limit them all together. */
function few(names: string[]): string[] {
  let length = 0
  return names.filter((name) => {
    length += name.length
    return length <= MOST_NAMES
  })
}

function coerced(texts: string[], { type }: Schema): unknown {
  if (type === 'array')
    return texts
      .flatMap((text) => text.split(','))
      .filter((text) => text !== '')
      .map((text) => text.trim() || text)
  if (texts.length > 1) return texts
  const [text = ''] = texts
  return type === 'integer' && /^-?\d+$/.test(text) ? Number(text) : text
}

export type Body =
  | { value: unknown }
  | { refused: 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE'; detail?: string }
  | { unreadable: Found[] }

const decoder = new TextDecoder()

/** The JSON body of a request, or why there is none. */
export function readBody(event: Event, mergePatch: boolean): Body {
  const bytes = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8')
  if (bytes.length > LARGEST_BODY) return { refused: 'PAYLOAD_TOO_LARGE', detail: 'The body is larger than 1 MiB' }
  const { type, charset } = contentType(event.headers?.['content-type'])
  const accepted = ['', 'application/json', ...(mergePatch ? ['application/merge-patch+json'] : [])]
  if (!accepted.includes(type)) return { refused: 'UNSUPPORTED_MEDIA_TYPE' }
  if (!/^utf-?8$/i.test(charset))
    return { refused: 'UNSUPPORTED_MEDIA_TYPE', detail: 'The charset of a body must be utf-8' }
  if (bytes.length === 0) return unreadable('is missing')
  // What is no UTF-8 becomes U+FFFD here, as it does in gateways that hand bodies on as text.
  const text = decoder.decode(bytes)
  try {
    const value = JSON.parse(text)
    const damaged = damagedIn(text, value)
    return damaged.length > 0 ? unreadable(damage, damaged) : { value }
  } catch {
    return unreadable('is no JSON in UTF-8')
  }
}

const unreadable = (message: string, places: readonly string[] = ['body']): Body => ({
  unreadable: places.map((place) => faultAt('VALIDATION_ERROR', place, message)),
})

function damagedIn(text: string, value: unknown): string[] {
  const isPlain = text.includes('\ufffd')
  const places = isPlain || /\\ufffd/i.test(text) ? damagedAt(value) : []
  // Of a key that is there twice the value has the last one only.
  return isPlain && places.length === 0 ? ['body'] : places.map((place) => place || 'body')
}

/** Media type and charset of a body, where they are not said those that it then has; no type if the header is malformed. */
function contentType(header: string | undefined): { type: string; charset: string } {
  if (!header?.trim()) return { type: '', charset: 'utf-8' }
  try {
    const { essence, params } = new MIMEType(header)
    return { type: essence, charset: params.get('charset') ?? 'utf-8' }
  } catch {
    return { type: 'malformed', charset: '' }
  }
}
