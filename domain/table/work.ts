import { absent, every, exists, is } from './expressions.ts'
import { type Action, all, happened, type Key, type Range, type Refusal, type Store } from './store.ts'

/**
 * Work that is left to do: an entry is written in the transaction that makes the work necessary, and deleted when all of
 * it is done. The call does its own work at once. The schedule takes over what is due: calls that died, or had no time for
 * all of it.
 */

/** What an entry says beside its key, by kind. */
type Payloads = {
  /** The new name of a user has not reached all assignments yet; the id is the user's. */
  rename: { version: number }
  /**
   * Users still to be added to a task, `left` of them; the task is known by when it was created. `progress` says how far
   * they have come already; without it, all begin as NEW.
   */
  recipients: {
    task: string
    born: string
    users: string[]
    left: number
    at: string
    mark?: string
    progress?: Progress
  }
  /** A task has changed, and its assignments have yet to move in their lists; the id is the task's. */
  places: { task: string }
  /** Users who no longer have a task; their assignments have yet to be removed. */
  'gone-recipients': { task: string; users: string[] }
  /** A deleted task, of which assignments are left. */
  'gone-task': { task: string }
  /** A group was archived or deleted; the id is the group's, and is not free for another one until `kept`. */
  group: { todo: 'archive' | 'delete'; token: string; kept: string }
}
export type Kind = keyof Payloads
/** How far users have come with a task, by their ids. */
export type Progress = Readonly<Record<string, 'NEW' | 'OPEN' | 'FINISHED'>>

/** When the schedule takes work up, and how often it has done so in vain; without `due` it is due at once. */
export type Schedule = { due?: string; attempts?: number }
/** An entry of one kind. */
export type Entry<K extends Kind> = Key & { kind: K } & Schedule & Payloads[K]
export type AnyEntry = { [K in Kind]: Entry<K> }[Kind]

const WORK = 'WORK'

export const workKey = (kind: Kind, id: string): Key => ({ pk: WORK, sk: `${kind}#${id}` })
/** The id in an entry's key. */
export const idOfWork = ({ sk }: Key): string => sk.slice(sk.indexOf('#') + 1)
/** Entries of every kind. */
const allWork: Range = { hash: WORK, consistent: true }
const goneAssignments: Range = { ...allWork, beginsWith: 'gone-' }

/** A call does its work at once; if it dies, the schedule takes over after this time. */
const GRACE_MS = 60_000

/** When work that begins now is due for the schedule. */
export const dueWork = (now: string): string => new Date(Date.parse(now) + GRACE_MS).toISOString()

/** The entry of work that begins now. */
export function workEntry<K extends Kind>(kind: K, id: string, payload: Payloads[K], now: string): Entry<K> {
  const begun: Key & { kind: K } & Schedule = { ...workKey(kind, id), kind, due: dueWork(now) }
  return { ...begun, ...payload }
}

/** Notes work that may have been noted before: then it stays as long due as it is. */
export const noteAgain = <K extends Kind>(kind: K, id: string, payload: Payloads[K], now: string): Action => ({
  update: workKey(kind, id),
  set: { kind, ...payload },
  setOnce: { due: dueWork(now) },
})

export const readWork = async <K extends Kind>(
  store: Pick<Store, 'get'>,
  kind: K,
  id: string,
): Promise<Entry<K> | undefined> => (await store.get(workKey(kind, id))) as Entry<K> | undefined

/** Fails while there is work of this kind and id. */
export const requireNoWork = (kind: Kind, id: string, otherwise?: Refusal): Action => ({
  check: workKey(kind, id),
  if: absent,
  otherwise,
})

/** All work that there is. */
export const readAllWork = async (store: Pick<Store, 'query'>): Promise<AnyEntry[]> =>
  (await all(store, allWork)) as AnyEntry[]
/** The work that makes assignments not count which are still in their lists. */
export const readGoneAssignments = async (store: Pick<Store, 'query'>): Promise<Gone[]> =>
  (await all(store, goneAssignments)) as Gone[]
type Gone = Entry<'gone-recipients'> | Entry<'gone-task'>

/** Deletes the entry of work that is done. Where fields are expected, the entry must still have them. */
export const endWork = ({ pk, sk }: Key, expected?: Readonly<Record<string, unknown>>): Action => ({
  delete: { pk, sk },
  ...(expected ? { if: is(expected) } : {}),
})

/** Writes how far work has come, if the entry is still as expected. */
export const moveOn = ({ pk, sk }: Key, set: Readonly<Record<string, unknown>>, expected: object = {}): Action => ({
  update: { pk, sk },
  set,
  if: every(exists, is({ ...expected })),
})

/** After each attempt twice as long passes before the next one, up to six hours. */
const FIRST_WAIT_MS = 60_000
const LONGEST_WAIT_MS = 6 * 3_600_000

/** What an attempt needs: when it began, the clock as it goes on, and the milliseconds that are left. */
export type Work = { store: Store; now: string; clock: () => Date; timeLeft: () => number }

/**
 * Counts an attempt before it is made: work that fails, or that a run dies of, comes up less and less often, and does not
 * keep the runs from the rest. Undefined if the entry has been finished or taken up meanwhile.
 */
export async function takeUp<E extends Key & Schedule>(work: Work, entry: E): Promise<E | undefined> {
  const attempts = (entry.attempts ?? 0) + 1
  const wait = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** attempts)
  const due = new Date(work.clock().getTime() + wait).toISOString()
  return (await rescheduled(work, entry, { due, attempts })) ? { ...entry, due, attempts } : undefined
}

/** What there was no time left for has not failed: the next run goes on with it, after what has waited longer. */
export async function putBack(work: Work, { pk, sk }: Key): Promise<boolean> {
  const left = (await work.store.get({ pk, sk })) as (Key & Schedule) | undefined
  if (left) await rescheduled(work, left, { due: work.clock().toISOString(), attempts: 0 })
  return left !== undefined
}

const rescheduled = ({ store }: Work, was: Key & Schedule, set: Schedule): Promise<boolean> =>
  happened(store.write([moveOn(was, set, { due: was.due, attempts: was.attempts })]))

/** Work stops this long before its time is over. */
const RESERVE_MS = 8000

/** Whether there is no time for another step. */
export const isLate = ({ timeLeft }: Pick<Work, 'timeLeft'>): boolean => timeLeft() < RESERVE_MS
