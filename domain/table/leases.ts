import { every, exists, is } from './expressions.ts'
import { type Action, happened, isAt, type Key, keyOf } from './store.ts'
import { isLate, LEASE_MS, leaseFrom, type Schedule, type Work } from './work.ts'

// Who does noted work. A call does its own at once, and hands over the rest to the worker on the table's stream, which hears
// of it within a second. The process that does an entry has a lease on it, and renews it. The schedule takes entries whose
// lease has run out: their process has died. All work may be repeated, so two processes at one entry do no harm.

type Leased = Key & Schedule

/** From this attempt on without any progress, the next one waits: each time twice as long, up to six hours. */
const PATIENT_ATTEMPTS = 3
const FIRST_WAIT_MS = 120_000
const LONGEST_WAIT_MS = 6 * 3_600_000

/** Whether no process has a lease on an entry: then the schedule takes it. */
export const isOverdue = ({ due }: Schedule, now: string): boolean => due === undefined || due <= now
/** Whether the worker on the table's stream is to take an entry. */
export const isForStream = ({ taker }: Schedule): boolean => taker === 'STREAM'
/** Whether an entry that has failed again and again waits for its next attempt: the others do not wait for it. */
const isWaiting = (entry: Schedule, now: string): boolean =>
  !isOverdue(entry, now) && (entry.attempts ?? 0) >= PATIENT_ATTEMPTS
/** Whether attempts at an entry came to nothing again and again; it may wait for the next one for hours. */
export const isStuck = ({ attempts = 0 }: Schedule): boolean => attempts > PATIENT_ATTEMPTS
/** Whether a process is at an entry. An entry of a worker without attempts only waits for its turn. */
const isHeld = (entry: Schedule, now: string): boolean =>
  !(isOverdue(entry, now) || isWaiting(entry, now)) &&
  (entry.taker === 'CALL' || (entry.taker === 'WORKER' && entry.attempts !== undefined))

/**
 * The entries of one turn that can be done now: none of them while a process is at one. With `besideCalls`, a call that is at
 * one does not count: nothing would start the worker of the stream again when the call is over.
 */
export function freeIn<E extends Leased>(turn: readonly E[], now: string, besideCalls: boolean): E[] {
  const held = turn.filter((entry) => isHeld(entry, now))
  const isBusy = held.some(({ taker }) => taker === 'WORKER' || !besideCalls)
  return isBusy ? [] : turn.filter((entry) => !held.includes(entry) && !isWaiting(entry, now))
}

/**
 * Counts an attempt before it is made: so work that fails, or that a worker dies of, is tried less and less often.
 * Undefined if the entry has been finished or taken up meanwhile.
 */
export async function takeUp<E extends Leased>(work: Work, entry: E): Promise<E | undefined> {
  const attempts = (entry.attempts ?? 0) + 1
  const now = work.clock()
  const wait = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempts - PATIENT_ATTEMPTS))
  const due = attempts < PATIENT_ATTEMPTS ? leaseFrom(now.toISOString()) : new Date(now.getTime() + wait).toISOString()
  const taken = { due, attempts, ...(entry.taker ? { taker: 'WORKER' as const } : {}) }
  const isTaken = await happened(
    work.store.write([reschedule(entry, taken, { due: entry.due, attempts: entry.attempts })]),
  )
  return isTaken ? { ...entry, ...taken } : undefined
}

const reschedule = ({ pk, sk }: Key, set: Schedule, expected: Readonly<Record<string, unknown>>): Action => ({
  update: { pk, sk },
  set,
  if: every(exists, is(expected)),
})

/**
 * Puts back what there was no time for. It has not failed: the worker on the table's stream goes on at once, and the next
 * run of the schedule with what no stream tells of. False if nothing of it is left.
 */
export function putBack({ store, clock }: Pick<Work, 'store' | 'clock'>, entry: Leased): Promise<boolean> {
  const now = clock().toISOString()
  const { taker } = entry
  return happened(
    store.write(
      [
        taker
          ? reschedule(entry, { taker: 'STREAM', due: leaseFrom(now), attempts: 0 }, { taker })
          : reschedule(entry, { due: now, attempts: 0 }, {}),
      ],
      'aside',
    ),
  )
}

/**
 * Does the work that this call has noted for itself, and hands over what fails or what there is no time for. It never throws:
 * the call has been carried out already.
 */
export async function doOwn<W extends Work, E extends Leased>(
  work: W,
  entries: readonly E[],
  finish: (work: W, entry: E) => Promise<unknown>,
): Promise<void> {
  const own = entries.filter(({ taker }) => taker === 'CALL')
  try {
    for (const entry of own) if (!isLate(work)) await finish(leased(work, entry), entry)
    if (!isLate(work)) return
  } catch {
    // Handed over with the rest.
  }
  // Where even this fails, the schedule takes them when their leases end.
  await Promise.allSettled(own.map((entry) => putBack(work, entry)))
}

/** The same work with a store whose writes renew the lease on an entry, when half of it is over. */
export function leased<W extends Work>(work: W, entry: Leased): W {
  const { store, clock } = work
  let due = entry.due
  const renew = async (): Promise<void> => {
    const now = clock()
    if (due === undefined || Date.parse(due) - now.getTime() > LEASE_MS / 2) return
    const before = due
    due = leaseFrom(now.toISOString())
    // Who has lost it goes on: the work may be repeated.
    await store.write([reschedule(entry, { due }, { due: before })], 'aside').catch(() => {
      due = undefined
    })
  }
  const write: typeof store.write = async (actions, weight) => {
    await store.write(actions, weight)
    const own = actions.find((action) => !('check' in action) && isAt(entry)(keyOf(action)))
    if (own) due = dueAfter(own, due)
    else await renew()
  }
  return { ...work, store: { ...store, write } }
}

/** Until when the lease lasts after an entry's own step; undefined when that has ended it. */
function dueAfter(step: Action, before: string | undefined): string | undefined {
  if ('put' in step) return step.put['due'] as string | undefined
  return 'update' in step ? ((step.set?.['due'] as string | undefined) ?? before) : undefined
}
