import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { unzipSync } from 'fflate'
import { importDirectory } from '../../domain/import/importDirectory.ts'
import { attachmentItems, channels } from '../../domain/people/records/channel.ts'
import { systemCause } from '../../domain/table/actions.ts'
import { itemOf } from '../../domain/table/changes.ts'
import { documentClient } from '../../domain/table/documentClient.ts'
import { openStore } from '../../domain/table/openStore.ts'
import type { WorkStore } from '../../domain/table/store.ts'
import { bundle } from '../../local/build/bundle.ts'
import { serviceFunctions } from '../../local/build/yamlFiles.ts'
import { createTable } from '../../local/database/createTable.ts'
import { withServiceAccount } from '../../local/demo/demo.ts'
import { findUserIn } from '../../local/identity/findUser.ts'
import { startIdentity } from '../../local/identity/server.ts'
import { freePort } from '../../local/shared/ports.ts'
import { pageFiles } from '../../local/start/offlinePlugin.ts'
import { openPlanFolder } from '../../local/start/planFolder.ts'
import { startApi } from '../../local/start/startApi.ts'
import { dump } from '../harness/audit.ts'
import type { Any } from '../harness/call.ts'
import { dynamoDBEndpoint } from '../harness/endpoint.ts'
import { packaged } from '../harness/packaged.ts'
import { channelRecord, people, type Seed, seed } from '../harness/seed.ts'

export type Answer = { status: number; body: Any; headers: Headers }
export type Running = {
  baseUrl: string
  tokenEndpoint: string
  store: WorkStore
  /** A token of that user. */
  tokenOf: (username: string) => Promise<string>
  /** A request as a client would send it; `as` logs that user in first. */
  request: (method: string, path: string, options?: Options) => Promise<Answer>
  /** Puts a directory in place of what there is: the one that every test has, and what is more here, or an empty one. */
  fill: (seeding: Seed | 'EMPTY') => Promise<void>
  stop: () => Promise<void>
}
export type Ask = Running['request']
type Options = { as?: string; body?: unknown; raw?: string; headers?: Record<string, string>; token?: string | null }

const day = 24 * 60 * 60 * 1000

/** Users in every state, and channels, in addition to those of every test directory. */
const everybody: NonNullable<Seed['users']> = [
  ...people,
  { id: 'locked', username: 'locked', status: 'LOCKED' },
  { id: 'idle', username: 'idle', status: 'DEACTIVATED' },
  { id: 'robot', username: 'robot', role: 'ADMIN', protected: true },
  leaving('leaving', day),
  leaving('gone', -day),
]

function leaving(id: string, inMs: number) {
  const deletion_at = new Date(Date.now() + inMs).toISOString()
  return { id, username: id, status: 'PENDING_DELETION' as const, previous_status: 'ACTIVE' as const, deletion_at }
}

/** What every directory has, and the account that the identity provider knows. */
const fillEmpty = (store: WorkStore) =>
  importDirectory({ store, now: new Date().toISOString(), newId: randomUUID }, withServiceAccount({}))

async function fillAll(store: WorkStore, seeding: Seed): Promise<void> {
  const users = [...everybody, ...(seeding.users ?? [])]
  await seed(store, new Date().toISOString(), { ...seeding, users })
  const channel = (id: string, status: 'ACTIVE' | 'ARCHIVED') => itemOf(channels, channelRecord(id, { status }))
  const attached = attachmentItems('news', { group_id: 'all-users', role_id: 'channel-member' })
  await store.bulk([channel('news', 'ACTIVE'), channel('closed', 'ARCHIVED'), ...attached].map((put) => ({ put })))
}

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Unpacks the functions of the packaged service, and bundles the pages that only `npm start` has. */
async function unpack(): Promise<string> {
  const { clone, folder } = await packaged()
  const bundles = join(clone, 'bundles')
  for (const name of Object.keys(serviceFunctions())) {
    for (const [path, content] of Object.entries(unzipSync(readFileSync(join(folder, `${name}.zip`))))) {
      mkdirSync(dirname(join(bundles, path)), { recursive: true })
      writeFileSync(join(bundles, path), content)
    }
  }
  for (const path of pageFiles)
    await bundle({ entry: root + path, outfile: join(bundles, path.replace(/\.ts$/, '.cjs')) })
  return bundles
}

/**
 * The service as `npm start` runs it, with the bundles that AWS gets: serverless-offline, a real identity provider, the
 * database of the run. Its table is empty.
 */
export async function startHttp(): Promise<Running> {
  const endpoint = dynamoDBEndpoint()
  const tableName = `http-${randomUUID()}`
  const client = documentClient({ DYNAMODB_ENDPOINT: endpoint }, {})
  await createTable(client, tableName)
  const store = openStore({ client, name: tableName, newToken: randomUUID })
  const identity = await startIdentity({ port: await freePort(), findUser: findUserIn(store) })
  const plans = await openPlanFolder(undefined)
  const env = {
    PLAN_FOLDER: plans.folder,
    TABLE_NAME: tableName,
    DYNAMODB_ENDPOINT: endpoint,
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    TOKEN_ISSUER: identity.issuer,
    TOKEN_AUDIENCE: 'rollcall',
    TOKEN_USER_CLAIM: 'sub',
    TOKEN_JWKS_URI: '',
  }
  const api = await startApi({ port: await freePort(), env, bundles: await unpack(), onLine: () => {} })
  const tokens = new Map<string, Promise<string>>()
  const tokenOf = (username: string): Promise<string> => {
    const known = tokens.get(username) ?? login(identity.tokenEndpoint, username)
    tokens.set(username, known)
    return known
  }
  return {
    baseUrl: api.baseUrl,
    tokenEndpoint: identity.tokenEndpoint,
    store,
    tokenOf,
    request: async (method, path, { as = 'admin', body, raw, headers = {}, token } = {}) => {
      const bearer = token === undefined ? await tokenOf(as) : token
      const sent = raw ?? (body === undefined ? undefined : JSON.stringify(body))
      const answer = await fetch(api.baseUrl + path, {
        method,
        headers: {
          ...(bearer === null ? {} : { authorization: `Bearer ${bearer}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(sent === undefined ? {} : { body: sent }),
      })
      const text = await answer.text()
      return { status: answer.status, body: text === '' ? undefined : JSON.parse(text), headers: answer.headers }
    },
    fill: async (seeding) => {
      const items = await dump({ client, tableName })
      await store.bulk(items.map(({ pk, sk }) => ({ delete: { pk, sk } })))
      await (seeding === 'EMPTY' ? fillEmpty(store.causedBy(systemCause('import'))) : fillAll(store, seeding))
    },
    stop: async () => {
      await api.stop()
      await identity.stop()
      await plans.stop()
    },
  }
}

async function login(tokenEndpoint: string, username: string): Promise<string> {
  const form = new URLSearchParams({ grant_type: 'password', username, password: 'password' })
  const answer = await fetch(tokenEndpoint, { method: 'POST', body: form })
  return ((await answer.json()) as { access_token: string }).access_token
}
