import { isStoreDown, traceOf } from '../base/errors.ts'
import { sideBySide } from '../base/flow.ts'
import { compareBytes } from '../base/text.ts'
import type { Key } from '../table/store.ts'
import { idOfWork, isLate, putBack, type Schedule, takeUp, type Work } from '../table/work.ts'

/** What the schedule gives to its work. */
export type Scheduled = Omit<Work, 'now'> & { log: (line: object) => void }

/** How much of a run some work may take. */
export type Limits = {
  /** Pieces done at once. */
  atOnce: number
  /** Milliseconds of a run that are left to what comes after it. */
  spares: number
}

/**
 * How many pieces of work failed in a run, and whether some were left to the next one; `stopped` says what ended it early,
 * as the store could not be asked any more.
 */
export type Outcome = { failed: number; left: boolean; stopped?: object }

/** Adds what a part of a run did. */
export function addOutcome(sum: Outcome, { failed, left, stopped }: Outcome): void {
  sum.failed += failed
  sum.left ||= left
  if (stopped) sum.stopped ??= stopped
}

/** What has been done by the time that the store cannot be asked any more: the next run goes on with the rest. */
export async function unlessDown<T extends Outcome>(outcome: T, work: () => Promise<void>): Promise<T> {
  try {
    await work()
  } catch (error) {
    if (!isStoreDown(error)) throw error
    addOutcome(outcome, { failed: 0, left: true, stopped: traceOf(error) })
  }
  return outcome
}

/**
 * Works through entries that are due: the longest due comes first, what fails is logged and does not hold up the others,
 * and what there is no time for is left to the next run. So is all the rest when the store is busy or cannot be reached.
 * Every piece of work may be repeated, and two runs may be at it at once.
 */
export async function workThrough<E extends Key & Schedule & { kind?: string }>(
  context: Scheduled,
  { atOnce, spares }: Limits,
  entries: readonly E[],
  finish: (work: Work, entry: E) => Promise<void>,
): Promise<Outcome> {
  const moment = (): string => context.clock().toISOString()
  const now = moment()
  const timeLeft = () => context.timeLeft() - spares
  const inOrder = entries
    .filter(({ due }) => due === undefined || due <= now)
    // The key of an entry that says nothing else has its deadline behind the kind.
    .sort((a, b) => compareBytes(a.due ?? idOfWork(a), b.due ?? idOfWork(b)))
  const outcome: Outcome = { failed: 0, left: false }
  const attempt = async (work: Work, entry: E): Promise<void> => {
    const taken = await takeUp(work, entry)
    if (!taken) return
    await finish(work, taken)
    if (isLate(work) && (await putBack(work, taken))) outcome.left = true
  }
  const work = async (entry: E): Promise<void> => {
    try {
      if (isLate({ timeLeft })) outcome.left = true
      else await attempt({ ...context, timeLeft, now: moment() }, entry)
    } catch (error) {
      if (isStoreDown(error)) throw error
      outcome.failed++
      const what = { work: entry.kind ?? 'purge', attempts: (entry.attempts ?? 0) + 1 }
      context.log({ level: 'error', endpoint: 'purge', ...what, ...traceOf(error) })
    }
  }
  return unlessDown(outcome, () => sideBySide(atOnce, inOrder, work))
}
