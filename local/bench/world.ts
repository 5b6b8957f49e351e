import { randomUUID } from 'node:crypto'
import { openSync, writeSync } from 'node:fs'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { newPageEnds } from '../../domain/request/pageEnds.ts'
import { documentClient, dynamoStore } from '../../domain/table/dynamo.ts'
import { type Store, systemCause } from '../../domain/table/store.ts'
import { environment } from '../../handlers/middleware/environment.ts'
import { identity, remembering } from '../../handlers/middleware/tokens.ts'
import { seed } from '../../test/harness/seed.ts'
import { testVerifier, tokenFor } from '../../test/harness/tokens.ts'
import { createTable } from '../table.ts'

/** A table with the organisation and the administrator `admin`. */
export type World = { endpoint: string; tableName: string; client: DynamoDBDocumentClient; store: Store; now: string }

/** A request and its caller, by default the administrator. */
export type Request = {
  path?: Record<string, string>
  query?: Record<string, string>
  body?: unknown
  as?: string
  /** For functions with several routes. */
  method?: string
  rawPath?: string
}

// biome-ignore lint/suspicious/noExplicitAny: handlers of every endpoint
type Handler = (event: any, context: any) => Promise<{ statusCode: number; body?: string }>

const nowhere = openSync('/dev/null', 'w')
const strict = testVerifier()
const verifier = remembering(strict)
const tokens = new Map<string, string>()
const handlers = new Map<string, Handler>()

/** A client without time-outs: a benchmark serves many calls in one process, so that answers wait for it. */
export const clientFor = (endpoint: string): DynamoDBDocumentClient =>
  documentClient({ DYNAMODB_ENDPOINT: endpoint }, {})

/** A new table with a seeded organisation. */
export async function newWorld(endpoint: string): Promise<World> {
  const tableName = `bench-${randomUUID()}`
  const client = clientFor(endpoint)
  await createTable(client as never, tableName)
  const store = dynamoStore({ client, name: tableName, newToken: randomUUID }).by(systemCause('bench'))
  const now = new Date().toISOString()
  await seed(store, now, {})
  return { endpoint, tableName, client, store, now }
}

/** Points the handlers at a table. They verify real tokens, remembered or new, and log. */
export function enter({ tableName, now }: World, client: DynamoDBDocumentClient, isTokenNew = false): void {
  process.env.TABLE_NAME = tableName
  const date = new Date(now)
  identity.verifier = () => (isTokenNew ? strict : verifier)
  Object.assign(environment, {
    now: () => date,
    client: () => client,
    pageEnds: newPageEnds(),
    log: (line: object) => writeSync(process.env['DEBUG'] ? 2 : nowhere, `${JSON.stringify(line)}\n`),
  })
}

/** The same with a clock that goes on, by so many milliseconds ahead. */
export function enterNow(world: World, ahead = 0): void {
  enter(world, world.client)
  environment.now = () => new Date(Date.now() + ahead)
}

/** More time than a function has: DynamoDB Local is slow at large offsets in a large directory. */
const SECONDS_LEFT = 600

/**
 * Prepares calls of an endpoint as API Gateway makes them, so that only the call itself is measured. They throw when they
 * are answered with an error, unless it has the status `error`.
 */
export async function caller(endpoint: string, request: Request = {}, error?: number): Promise<() => Promise<unknown>> {
  const handler = await handlerOf(endpoint)
  const event = lambdaEvent(request)
  const context = { awsRequestId: randomUUID(), getRemainingTimeInMillis: () => SECONDS_LEFT * 1000 }
  return async () => {
    const { statusCode, body } = await handler(event, { ...context })
    if (statusCode >= 300 && statusCode !== error) throw new Error(`${endpoint} answered ${body}`)
    return body
  }
}

async function handlerOf(endpoint: string): Promise<Handler> {
  const loaded = handlers.get(endpoint)
  if (loaded) return loaded
  const { handler } = await import(`../../handlers/${folderOf(endpoint)}/${endpoint}.ts`)
  handlers.set(endpoint, handler)
  return handler
}

const folderOf = (endpoint: string): string =>
  endpoint.startsWith('scim')
    ? 'scim'
    : endpoint === 'listPeople'
      ? 'people'
      : (['Plan', 'Task', 'Channel', 'Rule', 'Group', 'Webhook'].find((word) => endpoint.includes(word)) ?? 'User')
          .toLowerCase()
          .concat('s')

function tokenOf(user: string): string {
  const token = tokens.get(user) ?? tokenFor(user)
  tokens.set(user, token)
  return token
}

/** What API Gateway hands to a handler. */
export const lambdaEvent = ({ path, query = {}, body, as = 'admin', method = 'ANY', rawPath = '/' }: Request) => ({
  version: '2.0',
  rawPath,
  rawQueryString: new URLSearchParams(query).toString(),
  headers: {
    authorization: `Bearer ${tokenOf(as)}`,
    'accept-language': 'de-CH, de;q=0.9, en;q=0.8',
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  },
  requestContext: { requestId: randomUUID(), domainName: 'bench.test', http: { method, path: rawPath } },
  ...(path ? { pathParameters: path } : {}),
  ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  isBase64Encoded: false,
})
