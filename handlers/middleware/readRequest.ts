import type { Contract, Schema } from '../../schemas/contract.ts'
import type { Event } from './call.ts'

const LARGEST_BODY = 1024 * 1024
const MOST_NAMES = 2000

type Query = { values: Record<string, unknown>; ignored: string[] }

/**
 * Query parameters as their schema wants them: lists in all three spellings (`a=1,2`, `a=1&a=2`, `a[]=1&a[]=2`),
 * numbers as numbers, those of any letter case in upper case. Empty ones count as not given, unknown ones are set aside. What does not fit stays as it came,
 * for validation to name.
 */
export function readQuery(
  rawQuery: string,
  { query: schema, anyCase = [] }: Pick<Contract, 'query' | 'anyCase'>,
): Query {
  const known = (schema?.properties ?? {}) as Record<string, Schema>
  const given = new Map<string, string[]>()
  const ignored = new Set<string>()
  const read = (name: string, value: string) => (anyCase.includes(name) ? value.toUpperCase() : value)
  for (const [spelling, value] of new URLSearchParams(rawQuery)) {
    const name = spelling.endsWith('[]') ? spelling.slice(0, -2) : spelling
    if (!Object.hasOwn(known, name)) ignored.add(encodeURIComponent(spelling.slice(0, 64).toWellFormed()))
    else if (value.trim() !== '') given.set(name, [...(given.get(name) ?? []), read(name, value)])
  }
  const values = [...given].map(([name, texts]) => [name, coerced(texts, known[name] as Schema)] as const)
  return {
    values: Object.fromEntries(values.filter(([, value]) => !Array.isArray(value) || value.length > 0)),
    ignored: few([...ignored]),
  }
}

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
      .map((text) => text.trim())
      .filter((text) => text !== '')
  if (texts.length > 1) return texts
  const [text = ''] = texts
  return type === 'integer' && /^-?\d{1,15}$/.test(text) ? Number(text) : text
}

export type Body =
  | { value: unknown }
  | { refused: 'PAYLOAD_TOO_LARGE' | 'UNSUPPORTED_MEDIA_TYPE'; detail?: string }
  | { missing: string }

/** The JSON body of a request, or why there is none. */
export function readBody(event: Event, mergePatch: boolean): Body {
  const bytes = Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8')
  if (bytes.length > LARGEST_BODY) return { refused: 'PAYLOAD_TOO_LARGE', detail: 'The body is larger than 1 MiB' }
  const type = (event.headers?.['content-type'] ?? '').split(';')[0]?.trim().toLowerCase()
  const accepted = ['', 'application/json', ...(mergePatch ? ['application/merge-patch+json'] : [])]
  if (!accepted.includes(type ?? '')) return { refused: 'UNSUPPORTED_MEDIA_TYPE' }
  if (bytes.length === 0) return { missing: 'is missing' }
  try {
    return { value: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) }
  } catch {
    return { missing: 'is no JSON in UTF-8' }
  }
}
