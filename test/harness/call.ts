import { randomUUID } from 'node:crypto'
import { globSync } from 'node:fs'
import { basename } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { expect } from 'vitest'
import { orderOf, type PropertyOrder } from '../../local/build/compiledContract.ts'
import { addFormats as addOwnFormats } from '../../local/build/schemaFormats.ts'
import { problem } from '../../schemas/atoms.ts'
import { codesOf } from '../../schemas/contract.ts'
import { contracts } from '../../schemas/contracts.ts'
import { errors } from '../../schemas/errors.ts'
import { allowedTo, usedBy } from './permissions.ts'
import { tokenFor } from './tokens.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read answers of any shape
export type Any = any

export type Request = {
  path?: Record<string, string>
  /** An object, or the raw query string. */
  query?: Record<string, string | number> | string
  body?: unknown
  /** The text of the body as it is sent, in place of `body`. */
  rawBody?: string
  /** The bytes of the body as they are sent, in place of either. */
  bytes?: Uint8Array
  /** The body if it is not JSON: sent as `application/octet-stream`. */
  octets?: Uint8Array
  headers?: Record<string, string>
  /** Who calls; `admin` if not given. */
  as?: string
  /** The bearer token in place of a good one of `as`; null sends none. */
  token?: string | null
  /** Milliseconds until the function is ended, as it reads them. The clock ends it only where these are few: see `tidy.ts`. */
  timeLeft?: number
}

export type Reply = { status: number; body: Any; headers: Record<string, string> }

// The schemas themselves are checked when they are compiled.
const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true, strict: false, validateSchema: false })
addFormats.default(ajv)
addOwnFormats(ajv)

/** Calls an endpoint's handler as API Gateway does. Checks the answer against the contract, and the requests against the role. */
export async function call(name: string, request: Request = {}): Promise<Reply> {
  const contract = contracts[name]
  if (!contract) throw new Error(`There is no contract ${name}`)
  const { handler } = await import(`../../handlers/${folderOf.get(name)}/${name}.ts`)
  const lambda = { awsRequestId: randomUUID(), getRemainingTimeInMillis: () => request.timeLeft ?? 60_000 }
  const { answer, used } = await usedBy<Any>(() => handler(eventOf(request), lambda))
  const allowed = allowedTo(name)
  const forbidden = used.filter((action) => !allowed.includes(action))
  same(forbidden, [], `what ${name} asks of the table and its permission in serverless.yml does not allow`)
  const reply: Reply = {
    status: answer.statusCode,
    body: bodyOf(answer),
    headers: answer.headers ?? {},
  }
  checkReply(contract, reply)
  return reply
}

/** The body of an answer: its text if it is not JSON. */
function bodyOf({ body, headers }: Any): Any {
  return body === undefined || headers['content-type'].startsWith('text/') ? body : JSON.parse(body)
}

/** The folder of handlers/ that has an endpoint's handler. */
const folderOf = new Map(
  globSync('*/*.ts', { cwd: new URL('../../handlers', import.meta.url) }).map((file) => [
    basename(file, '.ts'),
    file.split(/[\\/]/)[0],
  ]),
)

/** The API Gateway event (HTTP API, payload 2.0) of a request. */
export function eventOf({
  path,
  query = '',
  body,
  rawBody,
  octets,
  bytes = octets,
  headers = {},
  as = 'admin',
  token,
}: Request): Any {
  const bearer = token === undefined ? tokenFor(as) : token
  const raw = typeof query === 'string' ? query : new URLSearchParams(query as Record<string, string>).toString()
  const text = bytes
    ? Buffer.from(bytes).toString('base64')
    : (rawBody ?? (body === undefined ? undefined : JSON.stringify(body)))
  return {
    version: '2.0',
    rawQueryString: raw,
    headers: {
      ...(text === undefined ? {} : { 'content-type': octets ? 'application/octet-stream' : 'application/json' }),
      ...(bearer === null ? {} : { authorization: `Bearer ${bearer}` }),
      ...headers,
    },
    requestContext: { requestId: randomUUID(), http: { method: 'ANY', path: '/' } },
    ...(path ? { pathParameters: path } : {}),
    ...(text === undefined ? {} : { body: text }),
    isBase64Encoded: bytes !== undefined,
  }
}

/** As `expect` with `toEqual`, which takes a tenth of a call's time if it is asked ten times: only what differs needs it. */
function same(actual: unknown, expected: unknown, message: string): void {
  if (!isDeepStrictEqual(actual, expected)) expect(actual, message).toEqual(expected)
}

/** Fails when an endpoint answers a status, a body or a code that its contract does not list. */
function checkReply(contract: Any, { status, body, headers }: Reply): void {
  same(Boolean(headers['x-request-id']), true, 'the answer has x-request-id')
  same(headers['cache-control'], 'no-store', 'cache-control')
  same(headers['x-content-type-options'], 'nosniff', 'x-content-type-options')
  if (status !== 201) same(headers['location'], undefined, 'only what is created has a location')
  const schema = contract.answers[status]
  const isRecord = Boolean(contract.versioned) && status < 400 && schema !== null
  same(headers['etag'] !== undefined, isRecord, 'the answer has a version')
  if (schema === null || status === 304) same(body, undefined, `body of a ${status}`)
  else if (schema && typeof body === 'string') {
    same(headers['content-type'], `${contract.text}; charset=utf-8`, 'content-type')
  } else if (schema) {
    same(headers['content-type'], 'application/json', 'content-type')
    conforms(schema, body)
    if (!isInOrder(orderOf(schema), body))
      expect.fail(`The properties are not in the order of their schema: ${JSON.stringify(body)}`)
    for (const { error } of contract.item ? body.items : []) {
      if (error) checkFaults(error)
      if (error) checkDone(error)
    }
  } else checkProblem(contract, { status, body, headers })
}

function checkProblem(contract: Any, { status, body, headers }: Reply): void {
  same(headers['content-type'], 'application/problem+json', 'content-type')
  conforms(problem, body)
  if (!codesOf(contract).includes(body.error_code))
    expect.fail(`${contract.name} answers ${JSON.stringify(body)}, and its contract does not list that code`)
  same(status, errors[body.error_code as keyof typeof errors][0], `status of ${body.error_code}`)
  checkFaults(body)
  checkDone(body)
}

/** Only a 503, and a batch item's 429, says what became of the call. */
function checkDone({ status, done }: Any): void {
  const possible: Record<number, unknown[]> = { 429: [false], 503: [true, false, 'unknown'] }
  const allowed = possible[status] ?? [undefined]
  if (!allowed.includes(done)) expect(allowed, `done of a ${status}`).toContain(done)
}

/** Rules for every refusal: a message follows its property's name, so it does not repeat it, and no fault is there twice. */
export function checkFaults({ property, detail, errors = [] }: Any): void {
  const begins = (text: string, name: string) => text === name || text.startsWith(`${name} `)
  // A field may be called as messages begin.
  const stutters = errors.filter(
    ({ property, message }: Any) => !/^(is|must)$/.test(property) && begins(message, property),
  )
  same(stutters, [], 'messages that begin with their property')
  if (property !== undefined) same(begins(detail, `${property} ${property}`), false, detail)
  const lines = errors.map((fault: Any) => JSON.stringify(fault))
  same(lines, [...new Set(lines)], 'each fault once')
}

/** Whether the properties of an answer, at every depth, come in this order. */
function isInOrder(order: PropertyOrder | 0, value: Any): boolean {
  if (order === 0 || typeof value !== 'object' || value === null) return true
  if (Array.isArray(value)) return value.every((one) => isInOrder(order, one))
  const wanted = Object.keys(order).filter((name) => name in value)
  return (
    isDeepStrictEqual(Object.keys(value), wanted) &&
    wanted.every((name) => isInOrder(order[name] as never, value[name]))
  )
}

function conforms(schema: object, body: unknown): void {
  const validate = ajv.compile(schema)
  if (!validate(body)) expect.fail(`${JSON.stringify(validate.errors)} in ${JSON.stringify(body)}`)
}
