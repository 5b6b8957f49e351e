import { randomBytes, randomUUID } from 'node:crypto'
import { boundedMap, type ReadPoint, remembered } from '../../domain/base/memory.ts'
import type { PageEnd } from '../../domain/request/context.ts'
import { documentClient } from '../../domain/table/documentClient.ts'
import type { Policy, Table } from '../../domain/table/dynamo.ts'
import { acceptLayout, readLayout } from '../../domain/table/layout.ts'
import type { RequestStats } from '../../domain/table/requestStats.ts'
import type { Reads } from '../../domain/table/store.ts'
import { writeLine } from './log.ts'

type Client = ReturnType<typeof documentClient>

let client: Client | undefined

/** The end of a page takes up to a few kilobytes: its position, and the filters in its name. */
const MOST_PAGE_ENDS = 500

/** What a function uses from outside: clock, ids, table, log. Created on first use, and kept while the instance lives. */
export const environment = {
  clock: (): Date => new Date(),
  newId: (): string => randomUUID(),
  newSecret: (): Uint8Array => randomBytes(32),
  client: (): Client => (client ??= documentClient()),
  /** Whether calls use remembered settings, refusals and work. Most tests switch it off. */
  remembers: true,
  log: writeLine,
  pageEnds: boundedMap<string, PageEnd>(MOST_PAGE_ENDS),
}

const tableName = (): string => process.env.TABLE_NAME ?? 'rollcall'

/** The time and the table by which remembered values are looked up. */
export const readPoint = (now = environment.clock()): ReadPoint => ({ now, table: tableName() })

/** The table of one call. Once its signal is aborted, nothing more is sent. */
export const newTable = (signal?: () => AbortSignal | undefined, stats?: RequestStats, policy?: Policy): Table => ({
  client: environment.client(),
  name: tableName(),
  newToken: randomUUID,
  signal,
  stats,
  policy,
})

/** Environment variables are missing: a fault of the deployment. The log names them. */
export class NotConfigured extends Error {
  override name = 'NotConfigured'
  readonly missing: readonly string[]
  constructor(missing: readonly string[]) {
    super(`${missing.join(' and ')} must be set`)
    this.missing = missing
  }
}

const layout = remembered(readLayout, { ms: 60_000 })

/** Refuses to work on a table whose layout this version does not know. The layout is read once a minute. */
export const requireLayout = async (store: Reads): Promise<void> => acceptLayout(await layout.read(store, readPoint()))
