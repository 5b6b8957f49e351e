import { type Contract, codesOf, commonErrors } from '../../schemas/contract.ts'
import { type ErrorCode, errors } from '../../schemas/errors.ts'
import { errorTexts } from './errorTexts.ts'

const texts = errorTexts()

/** Codes that are the only one at their status for many endpoints. */
const shared: ReadonlySet<ErrorCode> = new Set([...commonErrors, 'PRECONDITION_FAILED', 'IDEMPOTENCY_KEY_REUSED'])

/** The request id of all examples. */
export const requestId = 'c6af9ac6-7b61-11e6-9a41-93e8deadbeef'

// Common codes that only some endpoints can answer.
const onlyIf: Partial<Record<ErrorCode, (contract: Contract, method: string) => boolean>> = {
  VALIDATION_ERROR: ({ path, query, body, versioned }) => Boolean(path || query || body || versioned),
  PAYLOAD_TOO_LARGE: ({ body, query }) => body !== undefined || 'page_limit' in (query?.properties ?? {}),
  UNSUPPORTED_MEDIA_TYPE: ({ body }) => body !== undefined,
  CONCURRENT_MODIFICATION: (_contract, method) => method !== 'GET',
}

/** The error answers of an endpoint by status, with an example for each code. */
export function errorAnswers(contract: Contract, method: string): Record<string, object> {
  const codes = [...new Set(codesOf(contract))].filter(
    (code) => contract.errors.includes(code) || (onlyIf[code]?.(contract, method) ?? true),
  )
  return Object.fromEntries(
    byStatus(codes).map(([status, ofStatus]) => {
      const isCommon = ofStatus.every((code) => shared.has(code))
      return [status, isCommon ? { $ref: `#/components/responses/${nameOf(ofStatus)}` } : errorAnswer(ofStatus)]
    }),
  )
}

function byStatus(codes: readonly ErrorCode[]): [status: number, codes: ErrorCode[]][] {
  const statuses = [...new Set(codes.map((code) => errors[code][0]))].sort()
  return statuses.map((status) => [status, codes.filter((code) => errors[code][0] === status).sort()])
}

// An answer with common codes only is shared by all endpoints and named after its codes.
const nameOf = (codes: readonly ErrorCode[]): string => codes.join('.')

/** The shared answers that `text`, the paths of the document, refers to. */
export function commonAnswers(text: string): Record<string, object> {
  const names = new Set([...text.matchAll(/#\/components\/responses\/([A-Z_.]+)"/g)].map(([, name]) => name ?? ''))
  return Object.fromEntries([...names].sort().map((name) => [name, errorAnswer(name.split('.') as ErrorCode[])]))
}

function errorAnswer(codes: readonly ErrorCode[]): object {
  const [status] = errors[codes[0] as ErrorCode]
  // Types and required fields are repeated, so that generated clients know each code.
  const schema = {
    allOf: [{ $ref: '#/components/schemas/Problem' }],
    type: 'object',
    properties: { status: { type: 'integer', const: status }, error_code: { type: 'string', enum: codes } },
    required: ['status', 'error_code', ...(status === 503 ? ['done'] : [])],
  }
  const examples = Object.fromEntries(codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]))
  return {
    description: codes.map((code) => `\`${code}\`: ${texts[code].when} *${texts[code].what}*`).join('\n\n'),
    headers: headersOf(status, codes),
    content: { 'application/problem+json': { schema, examples } },
  }
}

const header = (name: string) => ({ $ref: `#/components/headers/${name}` })

const headersOf = (status: number, codes: readonly ErrorCode[]): Record<string, object> => ({
  'x-request-id': header('RequestId'),
  ...(status === 401 ? { 'www-authenticate': header('Challenge') } : {}),
  ...(status === 429 || status === 503 || codes.includes('IDEMPOTENCY_KEY_IN_USE')
    ? { 'retry-after': header('RetryAfter') }
    : {}),
})

/** One example of the error object for each code that `text`, the answers, refers to. */
export function errorExamples(text: string): Record<string, object> {
  const mentioned = (Object.keys(errors) as ErrorCode[]).filter((code) => text.includes(`/examples/${code}"`))
  return Object.fromEntries(mentioned.map((code) => [code, { summary: errors[code][1], value: example(code) }]))
}

/** The error object of an answer. A 400 always lists its faults. */
function example(code: ErrorCode): object {
  const [status, title] = errors[code]
  const { property, message } = texts[code]
  return {
    type: 'about:blank',
    status,
    title,
    detail: message ? `${property} ${message}` : title,
    error_code: code,
    ...(property ? { property } : {}),
    request_id: requestId,
    ...(status === 400 ? { errors: [{ property, message: message ?? title }] } : {}),
    ...(status === 429 || status === 503 ? { done: false } : {}),
  }
}
