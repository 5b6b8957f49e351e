import { promisify } from 'node:util'
import preferredEncodings from 'negotiator/lib/encoding.js'
import { AppError, type Done, problemOf, refuse } from '../../domain/base/errors.ts'
import type { Answer } from '../../domain/request/context.ts'
import { etagOf, isNamed } from '../../domain/request/etags.ts'
import type { CompiledContract } from '../../schemas/contract.ts'
import type { Call, Event, Middleware, Response, ValidRequest } from './call.ts'

/** A call whose operation succeeded. `location` is the path template of a created record. */
type Answered = { call: Call; request: ValidRequest; contract: CompiledContract; location?: string | undefined }

/** The answer to a call whose operation succeeded. */
export async function respond(
  { call, request, contract, location }: Answered,
  answer: Answer<unknown>,
  acceptEncoding: string | undefined,
): Promise<Response> {
  const { status, body, isText } = answer
  const etag = etagOf(answer)
  const versioned = {
    ...commonHeaders(call.requestId),
    ...(etag ? { etag } : {}),
    ...(answer.isRepeated ? { 'idempotency-replayed': 'true' } : {}),
  }
  if (etag && isNamed(request.headers.ifNoneMatch, etag))
    return { statusCode: 304, headers: { ...versioned, ...answerHeaders(call, 304) } }
  const shownAs = isText ? body : (contract.order?.[status]?.(body) ?? body)
  const { headers, ...shown } = status === 204 ? {} : await sized(shownAs, acceptEncoding, contract)
  const created = status === 201 && location ? { location: locationOf(location, request.input.path, body) } : {}
  return {
    statusCode: status,
    headers: {
      ...versioned,
      ...answerHeaders(call, status, isText && `${contract.text}; charset=utf-8`),
      ...created,
      ...headers,
    },
    ...shown,
  }
}

const answerHeaders = (call: Call, status: number, type = 'application/json'): Record<string, string> => ({
  ...(status === 204 || status === 304 ? {} : { 'content-type': type }),
  ...(call.languages.size > 0 ? { 'content-language': [...call.languages].join(', ') } : {}),
  ...callHeaders(call),
})

/** The headers of a success that both kinds of endpoints have: ignored parameters, and whether rules are still to be applied. */
export const callHeaders = (call: Call): Record<string, string> => ({
  ...ignoredIn(call),
  ...(call.areRulesPending ? { 'x-rules-pending': 'true' } : {}),
})

/**
 * Names the unknown query parameters, so that a misspelt filter is noticed: only the first ones, as gateways limit the length of all
 * headers.
 */
export function ignoredIn({ ignored }: Call): Record<string, string> {
  let length = 0
  const names = ignored
    .map((name) => encodeURIComponent(name.slice(0, LONGEST_NAME).toWellFormed()))
    .filter((name) => {
      length += name.length
      return length <= MOST_OF_NAMES
    })
  return names.length > 0 ? { 'x-ignored-parameters': names.join(', ') } : {}
}

const LONGEST_NAME = 64
/** The most characters of all names. */
const MOST_OF_NAMES = 2000

/** Headers of every answer. */
export const commonHeaders = (requestId: string) => ({
  'x-request-id': requestId,
  'cache-control': 'no-store',
  // As gateways write it that add a name: so none is there twice.
  vary: 'accept-language,accept-encoding,authorization',
  'x-content-type-options': 'nosniff',
})

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The id of a request in its answer and in the log: the caller's x-request-id if it is a UUID, else Lambda's id. */
export function requestIdOf({ headers }: Pick<Event, 'headers'>, lambdaId: string): string {
  const wanted = headers?.['x-request-id']
  return wanted !== undefined && uuid.test(wanted) ? wanted : lambdaId
}

/** The path of a created record; its variables come from the path of the request and from the record's id. */
function locationOf(template: string, path: object, record: unknown): string {
  const { id } = record as { id?: unknown }
  const values: Record<string, unknown> = { ...path, ...(typeof id === 'object' ? id : {}) }
  return template.replaceAll(/\{(\w+)\}/g, (_variable, name: string) => encodeURIComponent(String(values[name] ?? id)))
}

/** From this length on, texts are compressed. */
const LARGE = 100_000
/** Lambda's limit for an answer. The body counts as a JSON string, in which quotes and backslashes take two bytes. */
const MOST_ANSWER_BYTES = 6_000_000
/** The most bytes of one UTF-16 unit. */
const MOST_PER_UNIT = 3

type Sized = Pick<Response, 'body' | 'isBase64Encoded' | 'headers'>
type Batch = { items: readonly { body?: unknown }[] }

/**
 * The body of an answer within Lambda's limit: a text as it is, anything else as JSON. Large ones are compressed for callers that accept gzip. A body that is
 * still too large is refused. A batch is carried out by now, so it is answered without some of the records instead.
 */
export async function sized(
  body: unknown,
  accepted: string | undefined,
  { item }: Pick<CompiledContract, 'item'> = {},
): Promise<Sized> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  if (text.length < LARGE) return { body: text }
  const takesGzip = preferredEncodings(accepted, ['gzip']).length > 0
  // Loading zlib is a tenth of the first call of a process, so only calls that use it load it.
  const { gzip } = process.getBuiltinModule('node:zlib')
  const packed = takesGzip ? (await promisify(gzip)(text)).toString('base64') : undefined
  if (packed && packed.length <= MOST_ANSWER_BYTES)
    return { body: packed, isBase64Encoded: true, headers: { 'content-encoding': 'gzip' } }
  if (isWithinLimit(text)) return { body: text }
  if (item) return { body: JSON.stringify(shortened(body as Batch)) }
  throw refuse('PAYLOAD_TOO_LARGE', undefined, 'The answer is over 6 MB: lower page_limit, or accept gzip')
}

/** Bytes of a text as a JSON string. */
const bytesOf = (text: string): number => Buffer.byteLength(JSON.stringify(text))

const isWithinLimit = (text: string): boolean =>
  text.length * MOST_PER_UNIT <= MOST_ANSWER_BYTES || bytesOf(text) <= MOST_ANSWER_BYTES

/** A batch with as many of its items' records as fit. */
function shortened({ items }: Batch): Batch {
  const bare = items.map(({ body: _body, ...rest }) => rest)
  let room = MOST_ANSWER_BYTES - bytesOf(JSON.stringify(bare))
  return {
    items: items.map((item, n) => {
      room -= bytesOf(JSON.stringify(item))
      return room > 0 ? item : (bare[n] as typeof item)
    }),
  }
}

const RETRY_AFTER_SECONDS = '2'

/** Further headers of error answers, by code. */
export const codeHeaders: Partial<Record<string, Record<string, string>>> = {
  SERVICE_UNAVAILABLE: { 'retry-after': RETRY_AFTER_SECONDS },
  TOO_MANY_REQUESTS: { 'retry-after': RETRY_AFTER_SECONDS },
  IDEMPOTENCY_KEY_IN_USE: { 'retry-after': RETRY_AFTER_SECONDS },
  ACTOR_NOT_ACTIVE: { 'www-authenticate': 'Bearer error="invalid_token", error_description="The user is not active"' },
}

/** The problem+json answer to any error. */
export function errorResponse(
  error: unknown,
  { requestId, done = false, headers = {} }: { requestId: string; done?: Done; headers?: Record<string, string> },
): Response {
  const problem = problemOf(error, requestId, done)
  return {
    statusCode: problem.status,
    headers: {
      ...commonHeaders(requestId),
      'content-type': 'application/problem+json',
      ...codeHeaders[problem.error_code],
      ...headers,
    },
    body: JSON.stringify(problem),
  }
}

/** Answers every error by the table in schemas/errors.ts. */
export const answerErrors = ({ item }: CompiledContract): Middleware => ({
  onError: (request) => {
    const { call } = request.context
    const { error } = request
    const challenge = error instanceof Unauthenticated ? { 'www-authenticate': error.challenge } : {}
    const done = call.effect?.done() ?? false
    request.response = errorResponse(error, {
      requestId: call.requestId,
      // Some items of a batch may be done while others are not.
      done: item && done ? 'unknown' : done,
      headers: { ...challenge, ...ignoredIn(call) },
    })
  },
})

/** The same refusal for every JWT or service token that is not valid. */
export const unusableToken = () => new Unauthenticated('The token is malformed, expired, foreign or not verifiable')

/** No usable token. The challenge follows RFC 6750: it names no error if there was no token. */
export class Unauthenticated extends AppError {
  readonly challenge: string
  constructor(reason?: string) {
    super('UNAUTHENTICATED', { detail: reason })
    this.challenge = reason ? `Bearer error="invalid_token", error_description="${reason}"` : 'Bearer realm="rollcall"'
  }
}
