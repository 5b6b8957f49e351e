import { SHARDS } from '../table/counters.ts'
import { atMost, type Condition, either, every, is, lacks, later } from '../table/expressions.ts'
import * as keys from '../table/keys.ts'
import { all, type Item, StaleRead } from '../table/store.ts'
import { type ImportContext, ImportStopped } from './importContext.ts'
import { patiently } from './patience.ts'

/** After this time without a word from the import its process must have died, and others may take the door over. */
const CLOSED_MS = 60_000
const RENEW_MS = 15_000
/** What is begun behind the door must be over before others could take it over. */
const MARGIN_MS = 20_000

/**
 * While it is closed, nobody else takes a username or external id: no user is created or given another one, and no
 * second import runs. So what the import has found free stays free. It is closed at the counters that each such change
 * writes to, in one transaction. Whoever closed it renews that every few seconds; when he has been silent for a minute,
 * the next import or the schedule takes the door over, clears away what he left half done, and only then opens it.
 */
export type Door = {
  /** What a transaction must find at a counter, so that it is written only behind the door. */
  behind: () => { if: Condition; otherwise: (found?: Item) => Error }
  /** Throws where the door is no longer ours for long enough to begin something. */
  check: () => void
  /** Opens the door when `tidy` has cleared away what is half done; where that fails, leaves it to who takes it over. */
  open: (tidy: () => Promise<void>) => Promise<void>
}

/** Closes the door, or refuses because another import has. */
export async function closeDoor({ store, newId, now, clock = clockFrom(now) }: ImportContext): Promise<Door> {
  const by = newId()
  const moment = (after = 0): string => new Date(clock().getTime() + after).toISOString()
  let until = ''
  const close = async (condition: Condition, otherwise: () => Error): Promise<void> => {
    const next = moment(CLOSED_MS)
    const set = { closed_until: next, closed_by: by }
    await store.write(shards.map((update) => ({ update, set, if: condition, otherwise })))
    until = next
  }
  const isFree = () => either(lacks('closed_until'), atMost('closed_until', moment()))
  await patiently(() => close(isFree(), () => new ImportStopped(ANOTHER)))
  const ours = (now: string) => every(is({ closed_by: by }), later('closed_until', now))
  const renewal = setInterval(() => {
    // A renewal that fails is tried again; `check` sees when none has succeeded for too long.
    close(ours(moment()), () => new StaleRead()).catch(() => undefined)
  }, RENEW_MS)
  renewal.unref()
  const isEnding = () => moment(MARGIN_MS) >= until
  return {
    behind: () => {
      const now = moment()
      const isOurs = (found?: Item) => found?.closed_by === by && String(found.closed_until) > now
      return { if: ours(now), otherwise: (found) => (isOurs(found) ? new StaleRead() : lost()) }
    },
    check: () => {
      if (isEnding()) throw lost()
    },
    open: async (tidy) => {
      try {
        if (isEnding()) await close(ours(moment()), lost)
        await tidy()
      } finally {
        clearInterval(renewal)
      }
      await patiently(() => open(store, by))
    },
  }
}

const ANOTHER = 'Another import is running, or died less than a minute ago: try again when it is over'
/** Somebody else has closed the door, or cleared away what was on its way. */
export const lost = (): Error => new ImportStopped(LOST)
const LOST = 'The import was held up for too long and gave way: import the directory again to go on'

const shards = Array.from({ length: SHARDS }, (_, shard) => keys.userCountKey(shard))

/** Opens the door; counters that were made only to close it go again: where nobody is counted, nobody may call anything. */
async function open(store: ImportContext['store'], by: string): Promise<void> {
  const ours = { if: is({ closed_by: by }), otherwise: lost }
  const counters = await all(store, { ...keys.userCounts, consistent: true })
  const isNew = counters.every((item) => Object.keys(item).every((name) => withoutCounts.has(name)))
  const clear = ['closed_by', 'closed_until']
  await store.write(shards.map((key) => (isNew ? { delete: key, ...ours } : { update: key, clear, ...ours })))
}
const withoutCounts = new Set(['pk', 'sk', 'closed_by', 'closed_until'])

/** Time as it passes from a moment on. */
function clockFrom(now: string): () => Date {
  const began = performance.now()
  return () => new Date(Date.parse(now) + performance.now() - began)
}
