import { isStoreDown, traceOf } from '../base/errors.ts'
import { inParallel } from '../base/parallel.ts'
import { compareBytes } from '../base/text.ts'
import { systemCause } from '../table/actions.ts'
import { momentOfDeadlineItem } from '../table/keys.ts'
import type { OpenStore } from '../table/openStore.ts'
import type { Key, WorkStore } from '../table/store.ts'
import type { WorkStatus } from '../table/workKinds.ts'
import { isShortOfTime, type Work } from './steps.ts'
import { handOver, takeEntry, withLease } from './taking.ts'

/** What a worker works with: the table, its time, and the log. */
export type WorkerContext = Omit<Work, 'now' | 'store'> & {
  store: OpenStore
  /** The function that events name if no call has caused the work; by default the schedule's. */
  operation?: string
  log: (line: object) => void
}

/** What an attempt at an entry gets. */
export type AttemptContext = Work & Pick<WorkerContext, 'log'> & { store: WorkStore }

/** How much of a run some kinds of work may take. */
export type Share = {
  /** Queues that are done at the same time. */
  atOnce: number
  /** Milliseconds of the run that are kept for what comes after them. */
  reserve: number
}

/**
 * How many entries failed in a run, and whether some are left for the next one. `stopped`: the fault of the database that
 * ended the run, and the kind of work where it occurred.
 */
export type Outcome = {
  failed: number
  left: boolean
  stopped?: object
  /** Attempts that neither failed nor ran out of time, for the metrics. */
  finished?: number
}

/** Adds the outcome of a part of a run. */
export function addOutcome(sum: Outcome, { failed, left, stopped, finished = 0 }: Outcome): void {
  if (finished > 0) sum.finished = (sum.finished ?? 0) + finished
  sum.failed += failed
  sum.left ||= left
  if (stopped) sum.stopped ??= stopped
}

/** Runs `work`. If the database is busy or cannot be reached, the outcome says so, and the next run goes on with the rest. */
export async function untilDown<T extends Outcome>(outcome: T, work: () => Promise<void>): Promise<T> {
  try {
    await work()
  } catch (error) {
    if (!isStoreDown(error)) throw error
    addOutcome(outcome, { failed: 0, left: true, stopped: traceOf(error) })
  }
  return outcome
}

/**
 * Works through entries that are due. The entries of a queue follow each other; several queues are done at the same time, the
 * longest due first. An entry that fails is logged and does not delay the others. Entries that there is no time for are
 * handed over. The run ends if the database is busy or cannot be reached. All work may be repeated, also by two runs at once.
 */
export async function workThrough<E extends Key & WorkStatus & { kind?: string }>(
  context: WorkerContext,
  { atOnce, reserve }: Share,
  queues: readonly (readonly E[])[],
  finish: (work: AttemptContext, entry: E) => Promise<unknown>,
): Promise<Outcome> {
  const outcome: Outcome = { failed: 0, left: false }
  const run: Run<E> = { ...context, timeLeft: () => context.timeLeft() - reserve, finish, outcome }
  const inOrder = queues.map((queue) => queue.toSorted(byDue)).filter((queue) => queue.length > 0)
  return untilDown(outcome, () => inParallel(atOnce, inOrder.sort(byFirst), (queue) => workOnQueue(run, queue)))
}

type Run<E> = WorkerContext & { finish: (work: AttemptContext, entry: E) => Promise<unknown>; outcome: Outcome }
/** An entry, or the deadline item of a user. */
type Due = Key & WorkStatus & { kind?: string }

async function workOnQueue<E extends Due>(run: Run<E>, queue: readonly E[]): Promise<void> {
  for (const [nth, entry] of queue.entries()) {
    if (isShortOfTime(run)) {
      run.outcome.left = true
      // Handing it over starts the stream's worker, which nothing else would start.
      if (nth > 0) await handOver({ ...run, store: storeFor(run, entry) }, entry)
      return
    }
    if (!(await tryEntry(run, entry))) return
  }
}

/** One attempt at an entry. False if another process was faster, or the time was too short. */
async function tryEntry<E extends Due>({ finish, outcome, ...run }: Run<E>, entry: E): Promise<boolean> {
  const work = { ...run, store: storeFor(run, entry), now: run.clock().toISOString() }
  try {
    const taken = await takeEntry(work, entry)
    if (!taken) return false
    await finish(withLease(work, taken), taken)
    const isLeft = isShortOfTime(work) && (await handOver(work, taken))
    outcome.left ||= isLeft
    if (!isLeft) outcome.finished = (outcome.finished ?? 0) + 1
    return !isLeft
  } catch (error) {
    const what = { work: entry.kind ?? 'purge' }
    if (isStoreDown(error)) {
      addOutcome(outcome, { failed: 0, left: true, stopped: { ...what, ...traceOf(error) } })
      throw error
    }
    outcome.failed++
    run.log({ level: 'error', ...what, attempts: (entry.attempts ?? 0) + 1, ...traceOf(error) })
    return true
  }
}

/** A store whose events name the call that caused the work; for work without a call, the function that does it. */
const storeFor = (
  { store, operation = 'purge' }: Pick<WorkerContext, 'store' | 'operation'>,
  { cause }: WorkStatus,
): WorkStore => store.causedBy(cause ?? systemCause(operation))

/** Deadline items have no `due`; their deadline is in the sort key. */
const dueOf = (entry: Due): string => entry.due ?? momentOfDeadlineItem(entry)
const byDue = (a: Due, b: Due): number => compareBytes(dueOf(a), dueOf(b))
const byFirst = ([a]: readonly Due[], [b]: readonly Due[]): number => (a && b ? byDue(a, b) : 0)
