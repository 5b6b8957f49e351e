import { setTimeout } from 'node:timers/promises'
import type { Section } from '../../schemas/contract.ts'
import { AppError, StoreBusy } from '../base/errors.ts'
import { retry, slices } from '../base/flow.ts'
import { type Item, type Key, nameOf, type Store } from '../table/store.ts'

/** How far an import has come with a section, or with its checks. */
export type Progress = { section: Section | 'checks'; done: number; total: number }

/** What an import needs from outside. */
export type ImportContext = {
  store: Store
  /** `created_at` of what the import creates, and the moment that deadlines are compared with. */
  now: string
  newId: () => string
  /** The current time; without it, time passes from `now` on. */
  clock?: () => Date
  /** Milliseconds until the process is ended from outside; without it, that never happens. */
  timeLeft?: () => number
  onProgress?: (progress: Progress) => void
}

/** The import could not begin or go on. What it has written stays; importing the same file again completes it. */
export class ImportStopped extends Error {
  override name = 'ImportStopped'
}

/** An import stops this long before its time is over, so that the caller still gets an answer. */
const RESERVE_MS = 20_000

/** Stops an import that is running out of time. */
export function needTime({ timeLeft }: ImportContext): void {
  if (timeLeft && timeLeft() < RESERVE_MS)
    throw new ImportStopped('The time was too short for all of the directory: import it again to go on')
}

const ATTEMPTS = 8

/**
 * Repeats a write for about half a minute while the database is busy, or others change the same records. Only failures
 * after which nothing was written are repeated.
 */
export const patiently = <T>(work: () => Promise<T>): Promise<T> =>
  repeat(work, (error) => error instanceof StoreBusy || isRefused(error, 'CONCURRENT_MODIFICATION'))

const isRefused = (error: unknown, code: AppError['code']): boolean => error instanceof AppError && error.code === code

const repeat = <T>(work: () => Promise<T>, again: (error: unknown) => boolean): Promise<T> =>
  retry(work, { attempts: ATTEMPTS, again, wait: (attempt) => setTimeout(attempt * 1_000) })

/** What is stored under a key, of the keys that have been read. */
export type Lookup = (key: Key) => Item | undefined

/** Keys read at once: as many requests of 100 as the database answers side by side. */
const AT_ONCE = 1_200

/** Reads all of the keys. As reading changes nothing, it is repeated also when the database cannot be reached. */
export async function lookup(store: Pick<Store, 'get'>, keys: Iterable<Key>): Promise<Lookup> {
  const wanted = [...new Map([...keys].map((key) => [nameOf(key), key])).values()]
  const found = new Map<string, Item>()
  for (const slice of slices(wanted, AT_ONCE)) {
    const read = () => Promise.all(slice.map((key) => store.get(key)))
    for (const item of await repeat(read, (error) => isRefused(error, 'SERVICE_UNAVAILABLE')))
      if (item) found.set(nameOf(item), item)
  }
  return (key) => found.get(nameOf(key))
}
