import { randomUUID } from 'node:crypto'
import { documentClient, dynamoStore } from '../../domain/table/dynamo.ts'
import { acceptLayout, readLayout } from '../../domain/table/layout.ts'
import type { Traffic } from '../../domain/table/requests.ts'
import type { OpenStore, Store } from '../../domain/table/store.ts'
import { writeLine } from './log.ts'

type Client = ReturnType<typeof documentClient>

let client: Client | undefined

/** What a function uses of the world: clock, ids, table, log. Made on first use and kept while the function is warm. */
export const environment = {
  now: (): Date => new Date(),
  newId: (): string => randomUUID(),
  client: (): Client => (client ??= documentClient()),
  log: writeLine,
}

/** Left for the last log line and the answer before a function is ended. */
const LAST_WORD_MS = 500
/** The longest time that a timer takes. */
const LONGEST_MS = 2 ** 31 - 1

/**
 * The table for a function that is not wrapped by `endpoint`: shortly before its time is over all requests are
 * aborted, so that the function can still log and answer.
 */
export function storeInTime(timeLeft: () => number, traffic?: Traffic): OpenStore {
  const over = new AbortController()
  setTimeout(() => over.abort(), Math.min(LONGEST_MS, Math.max(0, timeLeft() - LAST_WORD_MS))).unref()
  return newStore(() => over.signal, traffic)
}

const tableName = (): string => process.env.TABLE_NAME ?? 'rollcall'

/** The table for one request; nothing more is sent once its signal is aborted. */
export const newStore = (signal?: () => AbortSignal | undefined, traffic?: Traffic): OpenStore =>
  dynamoStore({
    client: environment.client(),
    name: tableName(),
    newToken: randomUUID,
    now: () => environment.now(),
    ...(process.env.EVENT_RETENTION_DAYS ? { keptDays: Number(process.env.EVENT_RETENTION_DAYS) } : {}),
    ...(signal ? { signal } : {}),
    ...(traffic ? { traffic } : {}),
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

const layout = remembered(readLayout)

/** Refuses to work on a table that has a layout which this version does not know. It is read once a minute. */
export const requireLayout = async (store: Store): Promise<void> =>
  acceptLayout(await layout.read(store, environment.now()))

const REMEMBERED_MS = 60_000

/** What the process reads from its table once a minute. */
export function remembered<T>(read: (store: Store) => Promise<T>) {
  let last: { value: T; at: number; table: string } | undefined
  const known = (now: Date, ms: number) =>
    last?.table === tableName() && Math.abs(now.getTime() - last.at) < ms ? last : undefined
  return {
    /** The value, of the last minute or from the table. */
    read: async (store: Store, now: Date): Promise<T> => {
      const before = known(now, REMEMBERED_MS)
      if (before) return before.value
      const table = tableName()
      const value = await read(store)
      last = { value, at: now.getTime(), table }
      return value
    },
    /** The value of the last two minutes. */
    last: (now: Date): T | undefined => known(now, 2 * REMEMBERED_MS)?.value,
    forget: (): void => {
      last = undefined
    },
  }
}
