import { type CodedFault, errorOf, faultAt, refuse } from '../../domain/base/errors.ts'
import type { ETags } from '../../domain/request/context.ts'
import { readTagList } from '../../domain/request/etags.ts'
import { type Compiled, inputFaults } from '../../domain/request/faults.ts'
import type { CompiledContract, Schema } from '../../schemas/contract.ts'
import type { Call, Event, FaultyRequest, Middleware, RequestHeaders, Validated, ValidRequest } from './call.ts'
import type { BodyReader } from './readBody.ts'

/**
 * Reads and validates path, query, headers and body. Faults are not thrown: a caller without rights gets that refusal instead.
 * Without `readBody` a body is ignored.
 */
export const validate = (compiled: Compiled, readBody: BodyReader | undefined): Middleware<Validated> => ({
  before: async ({ event, context }) => {
    context.request = await requestOf(event, compiled, context.call, readBody)
  },
})

async function requestOf(
  event: Event,
  compiled: Compiled,
  call: Call,
  readBody: BodyReader | undefined,
): Promise<ValidRequest | FaultyRequest> {
  const { contract, default: validator } = compiled
  const { values: query, ignored } = readQuery(event.rawQueryString ?? '', contract)
  call.ignored = ignored
  const headers = readHeaders(event, contract)
  const body = (await readBody?.(event, compiled)) ?? {}
  if ('refused' in body) return { fault: refuse(body.refused, undefined, body.detail), sent: undefined }
  const { value, input, unreadable } = { input: undefined, value: undefined, unreadable: undefined, ...body }
  const sent = { path: pathOf(event, contract), query, body: value }
  const faults = inputFaults(sent, contract, validator, unreadable !== undefined)
  const fault = errorOf([...faults, ...pageFaults(query), ...headers.faults, ...(unreadable ?? [])])
  if (fault) return { fault, sent: unreadable ? undefined : sent }
  return { input: { ...sent, body: input?.() ?? ((value ?? {}) as object) }, headers: headers.values }
}

const pathOf = (event: Event, contract: CompiledContract) => (contract.path ? (event.pathParameters ?? {}) : {})

/** A page has a number or a cursor, not both. */
const pageFaults = ({ page_number, page_cursor }: Readonly<Record<string, unknown>>): CodedFault[] =>
  page_number !== undefined && page_cursor !== undefined
    ? [faultAt('VALIDATION_ERROR', 'page_cursor', 'must not be given together with page_number')]
    : []

// The query.

type Query = { values: Record<string, unknown>; ignored: string[] }

/**
 * Query parameters in the types of their schema: lists in all three spellings (`a=1,2`, `a=1&a=2`, `a[]=1&a[]=2`),
 * integers and booleans as such, and the contract's `anyCase` in upper case. Empty values count as absent. Unknown names are
 * listed in `ignored`. A value that does not fit stays a text, so that validation reports it.
 */
function readQuery(
  rawQuery: string,
  { query: schema, anyCase = [] }: Pick<CompiledContract, 'query' | 'anyCase'>,
): Query {
  const properties = (schema?.properties ?? {}) as Record<string, Schema>
  const found = new Map<string, string[]>()
  const ignored = new Set<string>()
  const read = (name: string, value: string) => (anyCase.includes(name) ? upperCase(value) : value)
  for (const [spelling, value] of new URLSearchParams(rawQuery)) {
    const name = spelling.endsWith('[]') ? spelling.slice(0, -2) : spelling
    if (!Object.hasOwn(properties, name)) ignored.add(spelling)
    else if (value !== '') found.set(name, [...(found.get(name) ?? []), read(name, value)])
  }
  const values = [...found].map(([name, texts]) => [name, coerced(texts, properties[name] as Schema)] as const)
  return {
    values: Object.fromEntries(values.filter(([, value]) => !Array.isArray(value) || value.length > 0)),
    ignored: [...ignored],
  }
}

/** Changes ASCII letters only: the upper case of some other letters is ASCII, such as that of `ı`. */
const upperCase = (text: string): string => text.replaceAll(/[a-z]+/g, (letters) => letters.toUpperCase())

function coerced(texts: string[], { type }: Schema): unknown {
  if (type === 'array')
    return texts
      .flatMap((text) => text.split(','))
      .filter((text) => text !== '')
      .map((text) => text.trim() || text)
  if (texts.length > 1) return texts
  const [text = ''] = texts
  if (type === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return type === 'integer' && /^-?\d+$/.test(text) ? Number(text) : text
}

// The headers.

type Headers = { values: RequestHeaders; faults: CodedFault[] }

/** The headers for conditional calls and for safe repetition. */
function readHeaders({ headers }: Event, contract: CompiledContract): Headers {
  const key = contract.repeatable ? headers?.['idempotency-key'] : undefined
  const tags = readTags(contract, headers?.['if-match'], headers?.['if-none-match'])
  if (key === undefined) return tags
  if (key.length > 0 && key.length <= LONGEST_KEY && /^[ -~]*$/.test(key))
    return { ...tags, values: { ...tags.values, idempotencyKey: key } }
  const message = `must be 1 to ${LONGEST_KEY} printable ASCII characters`
  return { ...tags, faults: [...tags.faults, faultAt('VALIDATION_ERROR', 'idempotency-key', message)] }
}

const LONGEST_KEY = 255

/** If-Match is refused by writes that would ignore it; reads ignore it. */
function readTags(contract: CompiledContract, match: string | undefined, noneMatch: string | undefined): Headers {
  const { versioned, conditional, item, body } = contract
  const isRead = !conditional && !body
  if (match !== undefined && !isRead) {
    if (!conditional || item) return { values: {}, faults: [faultAt('VALIDATION_ERROR', 'if-match', unusable)] }
    return tagged('if-match', match, (ifMatch) => ({ ifMatch }))
  }
  if (noneMatch !== undefined && isRead && versioned)
    return tagged('if-none-match', noneMatch, (ifNoneMatch) => ({ ifNoneMatch }))
  return { values: {}, faults: [] }
}

const unusable = 'must only be given to calls that change one record; in a batch, give each item an if_match'

function tagged(name: string, header: string, valuesOf: (tags: ETags) => RequestHeaders): Headers {
  const tags = readTagList(header)
  return tags
    ? { values: valuesOf(tags), faults: [] }
    : { values: {}, faults: [faultAt('VALIDATION_ERROR', name, 'must be * or tags in quotes, as ETag has them')] }
}
