import { isStoreDown, traceOf } from '../base/errors.ts'
import { sideBySide } from '../base/sideBySide.ts'
import { compareBytes } from '../base/text.ts'
import { every, exists, is } from '../table/expressions.ts'
import { type Action, happened, type Item } from '../table/store.ts'
import { isLate, type Work } from '../table/work.ts'

/** What the schedule gives to those who do its work. */
export type Scheduled = Omit<Work, 'now'> & { log: (line: object) => void }

/** A kind of work that is noted where it becomes necessary. Every piece may be repeated, and two may be at it at once. */
export type Kind = {
  /** What the log calls it. */
  name: string
  /** Pieces done at once. */
  atOnce: number
  /** Milliseconds of a run that are left to whatever comes after it. */
  spares: number
  /** What orders its entries by when they are due. */
  dueOf: (entry: Item) => string
  /** An entry as it is when it is due at another time. */
  dueAt: (entry: Item, due: string) => Item
  /** Does what an entry says as far as there is time, and removes it when nothing of that is left. */
  finish: (work: Work, entry: Item) => Promise<void>
}

/** Where an entry that stays at its place says when it is due; one that says nothing is due since it is found. */
export const dueByAttribute: Pick<Kind, 'dueOf' | 'dueAt'> = {
  dueOf: ({ sk, due = sk }) => String(due),
  dueAt: (entry, due) => ({ ...entry, due }),
}

/**
 * How many pieces of work failed in a run, and whether some were left to the next one; `stopped` says what ended it early,
 * as the store could not be asked any more.
 */
export type Outcome = { failed: number; left: boolean; stopped?: object }

/** What has come of work by the time that the store cannot be asked any more: the next run goes on with the rest. */
export async function unlessDown<T extends Outcome>(outcome: T, work: () => Promise<void>): Promise<T> {
  try {
    await work()
  } catch (error) {
    if (!isStoreDown(error)) throw error
    outcome.left = true
    outcome.stopped ??= traceOf(error)
  }
  return outcome
}

/**
 * What the schedule does about work whose callers died or had no time for all of it: the longest due comes first, what
 * fails is logged and keeps nobody waiting, and what there is no time for is the next run's. So is all that is left when
 * the store is busy or cannot be reached.
 */
export async function workThrough(context: Scheduled, kind: Kind, entries: readonly Item[]): Promise<Outcome> {
  const moment = (): string => context.clock().toISOString()
  const now = moment()
  const timeLeft = () => context.timeLeft() - kind.spares
  const due = entries.filter((entry) => entry.due === undefined || String(entry.due) <= now)
  const inOrder = due.sort((a, b) => compareBytes(kind.dueOf(a), kind.dueOf(b)))
  const outcome: Outcome = { failed: 0, left: false }
  const work = async (entry: Item): Promise<void> => {
    try {
      const isOver = isLate({ timeLeft }) || (await attempt({ ...context, timeLeft, now: moment() }, kind, entry))
      outcome.left ||= isOver
    } catch (error) {
      if (isStoreDown(error)) throw error
      outcome.failed++
      const what = { work: kind.name, kind: entry.kind, attempts: attemptsOf(entry) + 1 }
      context.log({ level: 'error', endpoint: 'purge', ...what, ...traceOf(error) })
    }
  }
  return unlessDown(outcome, () => sideBySide(kind.atOnce, inOrder, work))
}

/** Does a piece of work; true if something of it is left only because the time is over. */
async function attempt(work: Work, kind: Kind, entry: Item): Promise<boolean> {
  const taken = await takenUp(work, kind, entry)
  if (!taken) return false
  await kind.finish(work, taken)
  return isLate(work) && putBack(work, kind, taken)
}

/** After each attempt twice as long passes before the next one, up to six hours. */
const FIRST_WAIT_MS = 60_000
const LONGEST_WAIT_MS = 6 * 3_600_000

const attemptsOf = ({ attempts = 0 }: Item): number => Number(attempts)

/**
 * Counts an attempt before it is made: work that fails, or that a run dies of, comes up less and less often, and does not
 * keep the runs from the rest. Undefined if somebody has finished it or taken it up meanwhile.
 */
async function takenUp(work: Work, kind: Kind, entry: Item): Promise<Item | undefined> {
  const attempts = attemptsOf(entry) + 1
  const wait = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** attempts)
  const taken = kind.dueAt({ ...entry, attempts }, new Date(work.clock().getTime() + wait).toISOString())
  return (await replaced(work, entry, taken)) ? taken : undefined
}

/** What there was no time left for has not failed: the next run goes on with it, after what has waited longer. */
async function putBack(work: Work, kind: Kind, { pk, sk }: Item): Promise<boolean> {
  const left = await work.store.get({ pk, sk })
  if (left) await replaced(work, left, kind.dueAt({ ...left, attempts: 0 }, work.clock().toISOString()))
  return left !== undefined
}

/** What tells an entry from what it may have become meanwhile. */
const MARKS = ['token', 'left', 'attempts', 'due', 'attributes']

/** Puts an entry in place of what it was, here or elsewhere; false where that is no longer what was read. */
function replaced({ store }: Work, was: Item, put: Item): Promise<boolean> {
  const same = { if: every(exists, is(Object.fromEntries(MARKS.map((mark) => [mark, was[mark]])))) }
  const { pk, sk } = was
  const actions: Action[] = put.sk === sk ? [{ put, ...same }] : [{ delete: { pk, sk }, ...same }, { put }]
  return happened(store.write(actions))
}
