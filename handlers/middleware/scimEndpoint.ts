import { problemOf, refuse } from '../../domain/base/errors.ts'
import { lazily } from '../../domain/base/memory.ts'
import { decideAgain } from '../../domain/base/retry.ts'
import { isDeeperThan, isObject } from '../../domain/base/values.ts'
import { ifPermitted } from '../../domain/request/actor.ts'
import type { Context } from '../../domain/request/context.ts'
import { isNamed, readTagList } from '../../domain/request/etags.ts'
import { MethodNotAllowed, ScimError, scimErrorOf } from '../../domain/scim/scimError.ts'
import type { ScimAnswer, ScimRequest } from '../../domain/scim/scimRequest.ts'
import type { CompiledContract } from '../../schemas/contract.ts'
import { authenticate } from './authenticate.ts'
import { type AuthorizeInput, authorize } from './authorize.ts'
import type { Call, Event, Identified, Middleware, RequestHeaders, Response, ValidRequest } from './call.ts'
import { newHandler } from './newHandler.ts'
import { readBody } from './readBody.ts'
import { callHeaders, codeHeaders, commonHeaders, ignoredIn, sized, Unauthenticated } from './respond.ts'

// The wrapper of the three functions of SCIM: like `endpoint`, but without a contract. domain/scim checks resources, and answers
// and errors have SCIM's form.

/** Who may call SCIM: administrators, and service tokens with this scope. */
const accessOf = (name: string): CompiledContract => ({ name, access: 'administrator', scopes: ['SCIM'] })

type EndpointParts = Pick<AuthorizeInput, 'seals' | 'writes'> & {
  operation: (context: Context, request: ScimRequest) => Promise<ScimAnswer>
  /** Answers requests that need no token. */
  open?: (request: ScimRequest) => ScimAnswer | undefined
}

const MOST_MEBIBYTES = 4
/** Resources have five levels. With thousands, the recursive functions that read a body would overflow the stack. */
const MOST_LEVELS = 20
const MEDIA_TYPE = 'application/scim+json'

/** Makes the Lambda handler of a function of SCIM. */

export function scimEndpoint(name: string, { operation, seals, writes, open = () => undefined }: EndpointParts) {
  const contract = accessOf(name)
  const identify = authenticate().before
  return newHandler(name)
    .use(withoutBodyOfHead())
    .use(answerScimErrors())
    .use<Middleware<Identified>>({
      before: async (request) => {
        if (!open(requestOf(request.event as Event))) await identify?.(request as never)
      },
    })
    .handler(async (event, identified, { signal }) => {
      const { call } = identified as unknown as Identified
      const request = requestOf(event)
      call.ignored = Object.keys(request.query).filter((name) => !parameters.has(name.toLowerCase()))
      const { headers, fault } = readHeaders(event, request)
      const respond = (answer: ScimAnswer) => respondWith(answer, { event, headers, call })
      const opened = open(request)
      if (opened) return respond(opened)
      const valid: ValidRequest = { input: { path: {}, query: {}, body: {} }, headers }
      const validated = {
        ...(identified as unknown as Identified),
        request: valid,
        getRemainingTimeInMillis: () => identified.getRemainingTimeInMillis(),
      }
      const { context } = authorize(validated, { contract, event, signal, seals, writes })
      const answer = async (): Promise<ScimAnswer> => {
        if (fault) throw fault
        return decideAgain(() => operation(context, request))
      }
      // Bodies are large, and their members name many records: they are parsed only when the caller is known.
      if (request.method !== 'GET') await context.actor()
      return respond(await ifPermitted(context, answer()))
    })
}

/** The parameters that SCIM knows, in lower case. */
const parameters = new Set('attributes excludedattributes filter sortby sortorder startindex count cursor'.split(' '))

const isHead = (event: Event): boolean => event.requestContext.http.method === 'HEAD'

/** Answers HEAD as GET, without the body but with its length (RFC 9110, section 9.3.2). */
function withoutBodyOfHead(): Middleware {
  const cut: NonNullable<Middleware['after']> = ({ event, response }) => {
    if (!response || !isHead(event)) return
    const { body, isBase64Encoded, ...head } = response
    for (const name of ['body', 'isBase64Encoded'] as const) delete response[name]
    const length = Buffer.byteLength(body ?? '', isBase64Encoded ? 'base64' : 'utf8')
    response.headers = { ...head.headers, ...(body === undefined ? {} : { 'content-length': String(length) }) }
  }
  return { after: cut, onError: cut }
}

/** The request. Its body is read only when the operation asks for it: a caller without rights gets that refusal first. */
function requestOf(event: Event): ScimRequest {
  const [, ...path] = event.rawPath.split('/scim/v2/')
  const segments = path.join('/scim/v2/').split('/').filter(Boolean)
  return {
    method: isHead(event) ? 'GET' : event.requestContext.http.method,
    segments: segments.map(decoded),
    query: Object.fromEntries(new URLSearchParams(event.rawQueryString ?? '')),
    body: lazily(() => bodyOf(event)),
    baseUrl: `${process.env.API_ADDRESS || `https://${event.requestContext.domainName}`}/scim/v2`,
  }
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

function bodyOf(event: Event): Readonly<Record<string, unknown>> {
  const body = readBody(event, { also: MEDIA_TYPE, mebibytes: MOST_MEBIBYTES })
  if ('refused' in body) throw refuse(body.refused, undefined, body.detail)
  if ('unreadable' in body) throw new ScimError('invalidSyntax', 'The body must be JSON in UTF-8')
  if (!isObject(body.value)) throw new ScimError('invalidSyntax', 'The body must be a JSON object')
  if (isDeeperThan(MOST_LEVELS, body.value))
    throw new ScimError('invalidSyntax', `The body has more than ${MOST_LEVELS} levels`)
  return body.value
}

const changing = new Set(['PUT', 'PATCH', 'DELETE'])

/** If-Match of changes, If-None-Match of reads. Elsewhere they are ignored, as clients send them everywhere. */
function readHeaders(
  { headers: sent }: Event,
  { method }: ScimRequest,
): { headers: RequestHeaders; fault?: ScimError } {
  const name = changing.has(method) ? 'if-match' : method === 'GET' ? 'if-none-match' : ''
  const header = sent?.[name]
  if (header === undefined) return { headers: {} }
  const tags = readTagList(header)
  if (!tags) return { headers: {}, fault: new ScimError('invalidSyntax', 'A tag must be in quotes, as ETag has it') }
  return { headers: name === 'if-match' ? { ifMatch: tags } : { ifNoneMatch: tags } }
}

type Asked = { event: Event; headers: RequestHeaders; call: Call }

async function respondWith(
  { status, body, version, location }: ScimAnswer,
  { event, headers: { ifNoneMatch }, call }: Asked,
): Promise<Response> {
  const headers = {
    ...commonHeaders(call.requestId),
    ...callHeaders(call),
    ...(version ? { etag: version } : {}),
    ...(location ? { location } : {}),
  }
  // `version` is a weak tag; tags are compared without the `W/` (RFC 9110, section 8.8.3.2).
  if (version && isNamed(ifNoneMatch, version.replace('W/', ''))) return { statusCode: 304, headers }
  if (body === undefined) return { statusCode: status, headers }
  const { headers: ofSize, ...shown } = await sized(body, event.headers?.['accept-encoding'])
  return { statusCode: status, headers: { ...headers, 'content-type': MEDIA_TYPE, ...ofSize }, ...shown }
}

/** Answers every error in SCIM's form (RFC 7644, section 3.12). */
const answerScimErrors = (): Middleware => ({
  onError: (request) => {
    const { call } = request.context
    const { error } = request
    const { status, detail, error_code } = problemOf(error, call.requestId, call.effect?.done())
    const challenge = error instanceof Unauthenticated ? { 'www-authenticate': error.challenge } : {}
    const allow = error instanceof MethodNotAllowed ? { allow: error.allowed.join(', ') } : {}
    request.response = {
      statusCode: status,
      headers: {
        ...commonHeaders(call.requestId),
        ...ignoredIn(call),
        'content-type': MEDIA_TYPE,
        ...codeHeaders[error_code],
        ...challenge,
        ...allow,
      },
      body: JSON.stringify(scimErrorOf(error, { status, detail, code: error_code })),
    }
  },
})
