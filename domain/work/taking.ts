import { every, exists, is } from '../table/expressions.ts'
import { keyIn } from '../table/items.ts'
import { leases, ownLease, renewing, writeLease } from '../table/lease.ts'
import type { Key } from '../table/store.ts'
import type { WorkStatus } from '../table/workKinds.ts'
import type { Work } from './steps.ts'

// Who does noted work. A call does its own entries at once, and hands over the rest to the worker on the table's stream, which
// gets them within a second. The process that does an entry has a lease on it, and renews it. The schedule takes entries
// whose lease has run out: their process has died. All work may be repeated, so two processes at one entry do no harm.

type Leased = Key & WorkStatus

/** From this attempt on without any progress, other entries do not wait for this one. */
const PATIENT_ATTEMPTS = 3
/** The attempts that follow each other after one lease: most often a process has died. Then the wait doubles, up to six hours. */
const QUICK_ATTEMPTS = 8
const LONGEST_WAIT_MS = 6 * 3_600_000

/** Whether no process has a lease on an entry: then the schedule takes it. */
export const isOverdue = ({ due }: WorkStatus, now: string): boolean => due === undefined || due <= now
/** Whether the worker on the table's stream is to take an entry. */
export const isForStream = ({ taker }: WorkStatus): boolean => taker === 'STREAM'
/** Whether an entry that has failed several times waits for its next attempt. Other entries do not wait for it. */
const isWaiting = (entry: WorkStatus, now: string): boolean =>
  !isOverdue(entry, now) && (entry.attempts ?? 0) >= PATIENT_ATTEMPTS
/** Whether several attempts at an entry have come to nothing: the next one may be hours away. */
export const isStuck = ({ attempts = 0 }: WorkStatus): boolean => attempts > PATIENT_ATTEMPTS
/** Whether a process works on an entry. A worker's entry without attempts only waits for its turn. */
const isHeld = (entry: WorkStatus, now: string): boolean =>
  !(isOverdue(entry, now) || isWaiting(entry, now)) &&
  (entry.taker === 'CALL' || (entry.taker === 'WORKER' && entry.attempts !== undefined))

/**
 * The entries of one queue that can be done now: none while a process works on one of them. With `parallelToCalls`, an entry
 * held by a call does not block the queue, because no worker is started when that call ends.
 */
export function freeEntries<E extends Leased>(queue: readonly E[], now: string, parallelToCalls: boolean): E[] {
  const held = queue.filter((entry) => isHeld(entry, now))
  const isBusy = held.some(({ taker }) => taker === 'WORKER' || !parallelToCalls)
  return isBusy ? [] : queue.filter((entry) => !held.includes(entry) && !isWaiting(entry, now))
}

/**
 * Counts an attempt before it is made: so work that fails, or that kills its worker, is tried less and less often. Its lease is
 * the wait for the next attempt: 10 seconds for the first eight, minutes after ten. Undefined if the entry has been finished or
 * taken up meanwhile.
 */
export async function takeEntry<E extends Leased>(work: Work, entry: E): Promise<E | undefined> {
  const attempts = (entry.attempts ?? 0) + 1
  const lasts = Math.min(LONGEST_WAIT_MS, leases.work.ms * 2 ** Math.max(0, attempts - QUICK_ATTEMPTS))
  const set = { attempts, ...(entry.taker ? { taker: 'WORKER' as const } : {}) }
  const isAsRead = every(exists, is({ due: entry.due, attempts: entry.attempts }))
  const due = await writeLease(work, leases.work, keyIn(entry), { set, if: isAsRead, lasts })
  return due === undefined ? undefined : { ...entry, ...set, due }
}

/**
 * Hands over an entry for which there was no time. It has not failed: the worker on the table's stream takes it at once, or, if
 * the entry has no taker, the next run of the schedule. False if the entry is gone.
 */
export async function handOver(work: Pick<Work, 'store' | 'clock'>, entry: Leased): Promise<boolean> {
  const { taker } = entry
  const handing = taker
    ? { set: { taker: 'STREAM', attempts: 0 }, if: every(exists, is({ taker })) }
    : { set: { attempts: 0 }, if: exists, lasts: 0 }
  return (await writeLease(work, leases.work, keyIn(entry), handing)) !== undefined
}

/** The same work with a store whose writes renew the lease on an entry. If the lease is lost, it goes on: the work may be repeated. */
export function withLease<W extends Work>(work: W, entry: Leased): W {
  const key = keyIn(entry)
  const lease = ownLease(work, leases.work, { key, end: entry.due })
  return { ...work, store: renewing(work.store, leases.work, key, lease) }
}
