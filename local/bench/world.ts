import { randomUUID } from 'node:crypto'
import { openSync, writeSync } from 'node:fs'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { boundedMap } from '../../domain/base/memory.ts'
import { systemCause } from '../../domain/table/actions.ts'
import { documentClient } from '../../domain/table/documentClient.ts'
import { workPolicy } from '../../domain/table/dynamo.ts'
import { openStore } from '../../domain/table/openStore.ts'
import type { WorkStore } from '../../domain/table/store.ts'
import { environment } from '../../handlers/middleware/environment.ts'
import { identity, remembering } from '../../handlers/middleware/issuerTokens.ts'
import { type Entry, keepLedger } from '../../test/harness/ledger.ts'
import { seed } from '../../test/harness/seed.ts'
import { testVerifier, tokenFor } from '../../test/harness/tokens.ts'
import { serviceFunctions } from '../build/yamlFiles.ts'
import { createTable } from '../database/createTable.ts'

/** A table with the organisation and the administrator `admin`. */
export type World = {
  endpoint: string
  tableName: string
  client: DynamoDBDocumentClient
  store: WorkStore
  now: string
}

/** A request and its caller, by default the administrator. */
export type Request = {
  path?: Record<string, string>
  query?: Record<string, string>
  body?: unknown
  /** The body if it is not JSON. */
  octets?: Uint8Array
  as?: string
  /** For functions with several routes. */
  method?: string
  rawPath?: string
}

// biome-ignore lint/suspicious/noExplicitAny: events and answers of every endpoint
type Any = any
type Handler = (event: Any, context: Any) => Promise<{ statusCode: number; body?: string }>

const nowhere = openSync('/dev/null', 'w')
const verifier = remembering(testVerifier())
const tokens = new Map<string, string>()

/** A client without time-outs: a benchmark serves many calls in one process, so that answers wait for it. */
export const clientFor = (endpoint: string): DynamoDBDocumentClient =>
  documentClient({ DYNAMODB_ENDPOINT: endpoint }, {})

/** A new table, by default with a seeded organisation. */
export async function newWorld(
  endpoint: string,
  fill = (store: WorkStore, now: string) => seed(store, now, {}),
): Promise<World> {
  const tableName = `bench-${randomUUID()}`
  const client = clientFor(endpoint)
  await createTable(client as never, tableName)
  const store = openStore({ client, name: tableName, newToken: randomUUID, policy: workPolicy }).causedBy(
    systemCause('bench'),
  )
  const now = new Date().toISOString()
  await fill(store, now)
  return { endpoint, tableName, client, store, now }
}

/**
 * Points the handlers at a table, by its client or another one, and with a clock that is so many milliseconds ahead. They verify
 * real tokens, which they remember, and log.
 */
export function enter({ tableName, client: own }: World, { client = own, ahead = 0 } = {}): void {
  process.env.TABLE_NAME = tableName
  identity.verifier = () => verifier
  Object.assign(environment, {
    clock: () => new Date(Date.now() + ahead),
    client: () => client,
    pageEnds: boundedMap(500),
    log: (line: object) => writeSync(process.env['DEBUG'] ? 2 : nowhere, `${JSON.stringify(line)}\n`),
  })
}

/** More time than a function has: DynamoDB Local is slow at large offsets in a large directory. */
const SECONDS_LEFT = 600

/**
 * Prepares calls of an endpoint as API Gateway makes them, so that only the call itself is measured. They throw when they
 * are answered with an error, unless it has the status `error`.
 */
export async function caller(endpoint: string, request: Request = {}, error?: number): Promise<() => Promise<unknown>> {
  const file = serviceFunctions()[endpoint]?.handler.replace(/handler$/, 'ts')
  const { handler }: { handler: Handler } = await import(`../../${file}`)
  const event = lambdaEvent(request)
  const context = { awsRequestId: randomUUID(), getRemainingTimeInMillis: () => SECONDS_LEFT * 1000 }
  return async () => {
    const { statusCode, body } = await handler(event, { ...context })
    if (statusCode >= 300 && statusCode !== error) throw new Error(`${endpoint} answered ${body}`)
    return body
  }
}

/** The body of an answer of the current table. */
export const answerOf = async (endpoint: string, request?: Request): Promise<Any> =>
  JSON.parse(String((await (await caller(endpoint, request))()) ?? null))

/** The cost of a call by the rules of AWS, made a second time: an instance remembers some reads for seconds. */
export async function costOf(world: World, call: () => Promise<unknown>): Promise<Entry> {
  const client = clientFor(world.endpoint)
  const ledger = await keepLedger(client, world.client)
  enter(world, { client })
  await ledger.of(call)
  return (await ledger.of(call)).entry
}

function tokenOf(user: string): string {
  const token = tokens.get(user) ?? tokenFor(user)
  tokens.set(user, token)
  return token
}

/** What API Gateway hands to a handler. */
export const lambdaEvent = ({
  path,
  query = {},
  body,
  octets,
  as = 'admin',
  method = 'ANY',
  rawPath = '/',
}: Request) => ({
  version: '2.0',
  rawPath,
  rawQueryString: new URLSearchParams(query).toString(),
  headers: {
    authorization: `Bearer ${tokenOf(as)}`,
    'accept-language': 'de-CH, de;q=0.9, en;q=0.8',
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(octets === undefined ? {} : { 'content-type': 'application/octet-stream' }),
  },
  requestContext: { requestId: randomUUID(), domainName: 'bench.test', http: { method, path: rawPath } },
  ...(path ? { pathParameters: path } : {}),
  ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  ...(octets === undefined ? {} : { body: Buffer.from(octets).toString('base64') }),
  isBase64Encoded: octets !== undefined,
})
