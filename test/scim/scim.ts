import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { type Any, eventOf, type Reply } from '../harness/call.ts'
import { allowedTo, usedBy } from '../harness/permissions.ts'

export type Request = {
  query?: Record<string, string | number>
  body?: unknown
  rawBody?: string
  headers?: Record<string, string>
  as?: string
  token?: string | null
  /** Milliseconds until the function is ended. */
  timeLeft?: number
}

export const ADDRESS = 'https://scim.test/scim/v2'
const ERROR = 'urn:ietf:params:scim:api:messages:2.0:Error'

const functionFor = (path: string): string => {
  const [, first] = path.split('/')
  return first === 'Users' ? 'scimUsers' : first === 'Groups' ? 'scimGroups' : 'scimDiscovery'
}

/** Calls SCIM as the gateway does, with a path below /scim/v2. Checks the form of the answer, and the requests against the role. */
export async function scim(method: string, path: string, request: Request = {}): Promise<Reply> {
  const name = functionFor(path)
  const { handler } = await import(`../../handlers/scim/${name}.ts`)
  const lambda = { awsRequestId: randomUUID(), getRemainingTimeInMillis: () => request.timeLeft ?? 60_000 }
  const headers = {
    ...(request.body === undefined ? {} : { 'content-type': 'application/scim+json' }),
    ...request.headers,
  }
  const event = {
    ...eventOf({ ...request, headers }),
    rawPath: `/scim/v2${path}`,
    requestContext: { requestId: randomUUID(), domainName: 'scim.test', http: { method, path: `/scim/v2${path}` } },
  }
  const { answer, used } = await usedBy<Any>(() => handler(event, lambda))
  const allowed = allowedTo(name)
  expect(
    used.filter((action) => !allowed.includes(action)),
    `what ${name} may not ask of the table`,
  ).toEqual([])
  const reply: Reply = {
    status: answer.statusCode,
    body: answer.body === undefined ? undefined : JSON.parse(answer.body),
    headers: answer.headers ?? {},
  }
  checkReply(reply, method)
  return reply
}

/** Rules for every answer. */
function checkReply({ status, body, headers }: Reply, method: string): void {
  expect(headers['x-request-id']).toBeTruthy()
  expect(status, JSON.stringify(body)).not.toBe(500)
  if (![204, 304].includes(status)) expect(headers['content-type']).toBe('application/scim+json')
  if (body === undefined) {
    if (method !== 'HEAD') expect([204, 304]).toContain(status)
    return
  }
  expect(method).not.toBe('HEAD')
  expect(Array.isArray(body.schemas)).toBe(true)
  if (status >= 400) {
    expect(body).toMatchObject({ schemas: [ERROR], status: String(status), detail: expect.any(String) })
    if (status === 405) expect(headers['allow']).toMatch(/^[A-Z]+(, [A-Z]+)*$/)
    return
  }
  if (status === 201) expect(headers['location']).toBe(body.meta?.location ?? headers['location'])
  if (body.meta?.version) expect(headers['etag']).toBe(body.meta.version)
}

/** Fails unless the answer has this status and, of an error, this scimType. */
export function expectAnswer({ status, body }: Reply, wanted: number, scimType?: string): void {
  expect([status, body?.scimType], JSON.stringify(body)).toEqual([wanted, scimType])
}

const PATCH_OP = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
/** The body of a PATCH. */
export const patchBody = (...Operations: unknown[]) => ({ schemas: [PATCH_OP], Operations })
