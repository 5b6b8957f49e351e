import { roles, statuses } from '../../schemas/userValues.ts'
import { retrying } from '../retrying.ts'
import * as keys from '../store/keys.ts'
import { all, StaleRead } from '../store/store.ts'
import { countAttribute } from '../users/userWrites.ts'
import { type ImportContext, ImportStopped } from './importContext.ts'

/** How long the door stays closed without a word from the import, should its process die. */
const CLOSED_MS = 60_000
const RENEW_MS = 15_000
/** What is begun behind the door must be over before it could open by itself. */
const MARGIN_MS = 20_000

/**
 * While it is closed, nobody else takes a username or external id: no user is created or given another one, and no
 * second import runs. So what the import has found free stays free. It is closed at the counters that each such change
 * writes to, in one transaction, for a minute that is renewed until the import opens it.
 */
export type Door = {
  /** What a transaction must find at a counter, so that it is written only behind the door. */
  behind: () => { if: string; values: Record<string, string>; otherwise: () => Error }
  /** Throws where the door is no longer ours for long enough to begin something. */
  check: () => void
  /** The time as it passes. */
  now: () => Date
  open: () => Promise<void>
}

/** Closes the door, or refuses because another import has. */
export async function closeDoor({ store, newId, now, clock = clockFrom(now) }: ImportContext): Promise<Door> {
  const by = newId()
  const moment = (after = 0): string => new Date(clock().getTime() + after).toISOString()
  let until = ''
  const close = async (condition: string, otherwise: () => Error): Promise<void> => {
    const next = moment(CLOSED_MS)
    const values = { until: next, by, now: moment() }
    const change = 'SET #closed_until = :until, #closed_by = :by'
    await store.write(shards.map((update) => ({ update, change, values, if: condition, otherwise })))
    until = next
  }
  await close('attribute_not_exists(#closed_until) OR #closed_until < :now', () => new ImportStopped(ANOTHER))
  const ours = '#closed_by = :by AND #closed_until > :now'
  const renewal = setInterval(() => {
    // A renewal that fails is tried again; `check` sees when none has succeeded for too long.
    close(ours, () => new StaleRead()).catch(() => undefined)
  }, RENEW_MS)
  renewal.unref()
  return {
    behind: () => ({ if: ours, values: { by, now: moment() }, otherwise: () => lost() }),
    check: () => {
      if (moment(MARGIN_MS) >= until) throw lost()
    },
    now: clock,
    open: () => {
      clearInterval(renewal)
      return retrying(() => open(store, by))
    },
  }
}

const ANOTHER = 'Another import is running, or died less than a minute ago: try again when it is over'
/** Somebody else has closed the door, or cleared away what was on its way. */
export const lost = (): Error => new ImportStopped(LOST)
const LOST = 'The import was held up for too long and gave way: import the directory again to go on'

const shards = Array.from({ length: keys.SHARDS }, (_, shard) => keys.userCountKey(shard))
const counts = statuses.flatMap((status) => roles.map((role) => countAttribute(status, role)))

/** Opens the door; a counter that was made only to close it goes again. */
async function open(store: ImportContext['store'], by: string): Promise<void> {
  const used = new Map((await all(store, { ...keys.userCounts, consistent: true })).map((item) => [item.sk, item]))
  const isUnused = ({ sk }: { sk: string }) => !counts.some((name) => name in (used.get(sk) ?? {}))
  const unused = `#closed_by = :by${counts.map((name) => ` AND attribute_not_exists(#${name})`).join('')}`
  await store.write(
    shards.map((key) =>
      isUnused(key)
        ? { delete: key, if: unused, values: { by } }
        : { update: key, change: 'REMOVE #closed_by, #closed_until', if: '#closed_by = :by', values: { by } },
    ),
  )
}

/** Time as it passes from a moment on. */
function clockFrom(now: string): () => Date {
  const began = performance.now()
  return () => new Date(Date.parse(now) + performance.now() - began)
}
