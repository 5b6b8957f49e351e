import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { threadId } from 'node:worker_threads'
import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb'
import { boundedMap } from '../../domain/base/memory.ts'
import type { PageEnd } from '../../domain/request/context.ts'
import { systemCause } from '../../domain/table/actions.ts'
import type { OpenStore } from '../../domain/table/openStore.ts'
import { openStore } from '../../domain/table/openStore.ts'
import { externals } from '../../domain/webhooks/externals.ts'
import { LOCAL_KEY } from '../../domain/webhooks/keyService.ts'
import { environment } from '../../handlers/middleware/environment.ts'
import { identity } from '../../handlers/middleware/issuerTokens.ts'
import type { Measures } from '../../handlers/middleware/log.ts'
import { isWebhookEnabled } from '../../handlers/middleware/writes.ts'
import { testClient } from './client.ts'
import { noteUse } from './permissions.ts'
import { type Seed, seed } from './seed.ts'
import { holdToIndexes, type Indexes, newTable } from './table.ts'
import { testVerifier } from './tokens.ts'
import { undoLater } from './undo.ts'

/** A service for a test file: a table, a clock that can be moved, and handlers that use both. */
export type Service = {
  client: DynamoDBDocumentClient
  tableName: string
  store: OpenStore
  /** Moves the service's clock. */
  setNow: (moment: Date | string) => void
  now: () => Date
  /** Log lines since the last call. */
  logged: () => Record<string, unknown>[]
  /** What log lines have counted since the last call. */
  measured: () => Measures[]
  /** Points the handlers at this service again, after another one has been started. */
  activate: () => void
}

/** Fills the empty table. */
export type Fill = (store: OpenStore, now: Date) => Promise<unknown>

type Options = Seed & {
  /** Puts something else into the table than the organisation of most tests. */
  fill?: Fill
  /** What the tests sort lists by: each index makes all calls slower. */
  indexes?: Indexes
  /** Whether calls remember settings, refusals and work of earlier ones: tests of something else must not depend on their order. */
  remembers?: boolean
  /** Makes the ids of events while the table is filled: at random, unless their order matters. */
  newToken?: () => string
}

/** A store whose direct writes have the cause `test`. */
const recording = (store: OpenStore): OpenStore => ({
  ...store,
  write: store.causedBy(systemCause('test')).write,
})

/** A folder for the files of plans, the same for all services of a test file, which is removed after it. */
function planFolder(): string {
  const folder = join(tmpdir(), `rollcall-test-${process.pid}-${threadId}`)
  undoLater('planFolder', () => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Makes the table, seeds the organisation or fills it otherwise, and points the handlers' environment at it. */
export async function startService(options: Options = {}): Promise<Service> {
  const { fill, indexes = [], remembers = false, newToken = randomUUID, ...seeding } = options
  const client = testClient()
  const tableName = await newTable(client, indexes)
  noteUse(client)
  holdToIndexes(client, indexes)
  let clock = new Date('2026-11-21T09:00:00.000Z')
  let lines: Record<string, unknown>[] = []
  let measured: Measures[] = []
  const verifier = testVerifier()
  const pageEnds = boundedMap<string, PageEnd>(500)
  const activate = () => {
    const [world, network] = [{ ...environment }, { ...externals }]
    const { verifier: known } = identity
    undoLater('environment', () => {
      Object.assign(environment, world)
      Object.assign(externals, network)
      identity.verifier = known
    })
    process.env['TABLE_NAME'] = tableName
    process.env['WEBHOOK_KEY'] = LOCAL_KEY
    process.env['PLAN_FOLDER'] = planFolder()
    identity.verifier = () => verifier
    Object.assign(environment, {
      clock: () => clock,
      client: () => client,
      remembers,
      pageEnds,
      log: (line: Record<string, unknown>, measures?: Measures) => {
        lines.push(line)
        if (measures) measured.push(measures)
        if (process.env['DEBUG']) console.error(line)
      },
    })
  }
  activate()
  const table = { client, name: tableName, newToken, clock: () => clock, isWebhookEnabled }
  const store = recording(openStore(table))
  await (fill ? fill(store, clock) : seed(store, clock.toISOString(), seeding))
  return {
    client,
    tableName,
    store,
    setNow: (moment) => {
      clock = new Date(moment)
    },
    now: () => clock,
    logged: () => {
      const taken = lines
      lines = []
      return taken
    },
    measured: () => {
      const taken = measured
      measured = []
      return taken
    },
    activate,
  }
}
