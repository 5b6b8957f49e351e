import { randomUUID } from 'node:crypto'
import { StoreUnreachable } from '../../domain/base/errors.ts'
import type { Seals } from '../../domain/request/context.ts'
import { documentClient, dynamoStore } from '../../domain/table/dynamo.ts'
import type { Store } from '../../domain/table/store.ts'
import { sealsWith } from './seals.ts'

type Client = ReturnType<typeof documentClient>

let client: Client | undefined
let seals: Seals | undefined

/** All that a function takes from the world around it; made on first use and kept while the function is warm. */
export const environment = {
  now: (): Date => new Date(),
  newId: (): string => randomUUID(),
  client: (): Client => (client ??= documentClient()),
  seals: (): Seals => (seals ??= sealsWith(process.env.CURSOR_SECRET)),
  log: (line: object): void => console.log(JSON.stringify(line)),
}

/** The last word of a function that is about to be ended takes so long at most. */
const LAST_WORD_MS = 500
/** Timers know no longer time. */
const LONGEST_MS = 2 ** 31 - 1

/**
 * A view of the table for a function of which nobody else watches the time: shortly before it is over whatever hangs is
 * called off, so that the function can say so.
 */
export function storeInTime(timeLeft: () => number): Store {
  const over = new AbortController()
  const end = () => over.abort(new StoreUnreachable('OutOfTime'))
  setTimeout(end, Math.min(LONGEST_MS, Math.max(0, timeLeft() - LAST_WORD_MS))).unref()
  return newStore(() => over.signal)
}

/** A view of the table for one request; once its signal is aborted, nothing more is sent. */
export const newStore = (signal?: () => AbortSignal | undefined): Store =>
  dynamoStore({
    client: environment.client(),
    name: process.env.TABLE_NAME ?? 'rollcall',
    newToken: randomUUID,
    ...(signal ? { signal } : {}),
  })
