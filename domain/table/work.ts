import { momentAfter } from '../base/text.ts'
import { absent, every, exists, is } from './expressions.ts'
import { WORK } from './keys.ts'
import { type Action, all, type Cause, type Key, type Range, type Refusal, type Store } from './store.ts'

/**
 * Work that is left to do: an entry is written in the transaction that makes the work necessary, and deleted when all of
 * it is done. leases.ts says who does it, and when.
 */

/** What an entry says beside its key, by kind. */
type Payloads = {
  /** The new name of a user has not reached all assignments yet; the id is the user's. */
  rename: { version: number }
  /**
   * Users still to be added to a task, `left` of them. Another task may have the id later: `born` says when this one was
   * created. The users `added` are looked at once more in the end. Without `progress`, all begin as NEW. An entry with a
   * `mark` has no effect until the task bears that mark, and waits for it until `kept`.
   */
  recipients: {
    task: string
    born: string
    users: string[]
    left: number
    added?: string[]
    at: string
    mark?: string
    kept?: string
    progress?: Progress
  }
  /** A task has changed, and its assignments have yet to move in their lists; the id is the task's. */
  places: { task: string }
  /** Users who no longer have a task; their assignments have yet to be removed. */
  'gone-recipients': { task: string; users: string[] }
  /** A deleted task, of which assignments are left. */
  'gone-task': { task: string }
  /** The table is on the way to layout `to`: `done` rows are, and it goes on behind `after`, in range `part` of the way. */
  migration: { to: number; part: number; after: Record<string, unknown> | null; done: number }
  /** A group was archived or deleted; the id is the group's, and is not free for another one until `kept`. */
  group: { todo: 'archive' | 'delete'; token: string; kept: string }
}
export type Kind = keyof Payloads
/** How far users have come with a task, by their ids. */
export type Progress = Readonly<Record<string, 'NEW' | 'OPEN' | 'FINISHED'>>

/** Who does the work: the CALL that noted it, a worker that the STREAM will start, or a WORKER, now or when its turn comes. */
export type Taker = 'CALL' | 'STREAM' | 'WORKER'
/**
 * Until `due` only the taker does the work; without `due`, it is free at once. `attempts` counts those since the last
 * progress. `cause` is the call that made the work necessary: events name it as the cause of what the work changes.
 */
export type Schedule = { taker?: Taker; due?: string; attempts?: number; cause?: Cause }
/** An entry of one kind. */
export type Entry<K extends Kind> = Key & { kind: K } & Schedule & Payloads[K]
export type AnyEntry = { [K in Kind]: Entry<K> }[Kind]

/** Entries of one kind and id are done in turn: their keys have another part. */
export const workKey = (kind: Kind, id: string, part?: string): Key => ({
  pk: WORK,
  sk: part === undefined ? `${kind}#${id}` : `${kind}#${id}#${part}`,
})
/** The id in an entry's key. */
export const idOfWork = ({ sk }: Key): string => sk.split('#')[1] ?? ''
/** What the keys of all entries begin with that are done in turn with this one. */
export const turnOf = ({ sk }: Key): string => sk.split('#', 2).join('#')
/** Entries of every kind. */
const allWork: Range = { hash: WORK, consistent: true }
const goneAssignments: Range = { ...allWork, beginsWith: 'gone-' }

/** A process that takes up an entry has it for so long from its last step on. */
export const LEASE_MS = 10_000
/** No call lasts as long as this. */
const LONGEST_CALL_MS = 60_000

/** Until when an entry belongs to the process that has taken it, or moved it on, at this moment. */
export const leaseFrom = (moment: string): string => momentAfter(moment, LEASE_MS)
/** The moment when all calls that are under way now have ended. */
export const afterCalls = (moment: string): string => momentAfter(moment, LONGEST_CALL_MS)

/** The entry of work that begins now; the call does it itself, unless `taker` says otherwise. */
export function workEntry<K extends Kind>(
  kind: K,
  id: string,
  payload: Payloads[K],
  now: string,
  { taker = 'CALL', part }: { taker?: Taker | undefined; part?: string } = {},
): Entry<K> {
  const begun: Key & { kind: K } & Schedule = { ...workKey(kind, id, part), kind, taker, due: leaseFrom(now) }
  return { ...begun, ...payload }
}

/** Notes work that may have been noted before: then it stays with its taker. */
export const noteAgain = <K extends Kind>({ pk, sk, taker, due, ...rest }: Entry<K>): Action => ({
  update: { pk, sk },
  set: rest,
  setOnce: { taker, due },
})

export const readWork = async <K extends Kind>(
  store: Pick<Store, 'get'>,
  kind: K,
  id: string,
): Promise<Entry<K> | undefined> => (await store.get(workKey(kind, id))) as Entry<K> | undefined

/** An entry as it is now. */
export const readEntry = async <E extends AnyEntry>(store: Pick<Store, 'get'>, { pk, sk }: E): Promise<E | undefined> =>
  (await store.get({ pk, sk })) as E | undefined

/** Fails while there is work of this kind and id. */
export const requireNoWork = (kind: Kind, id: string, otherwise?: Refusal): Action => ({
  check: workKey(kind, id),
  if: absent,
  otherwise,
})

/** All work that there is. */
export const readAllWork = async (store: Pick<Store, 'query'>): Promise<AnyEntry[]> =>
  (await all(store, allWork)) as AnyEntry[]
/** All work that is done in turn with an entry. */
export const readTurn = async (store: Pick<Store, 'query'>, turn: string): Promise<AnyEntry[]> => {
  const found = (await all(store, { ...allWork, beginsWith: turn })) as AnyEntry[]
  return found.filter((entry) => turnOf(entry) === turn)
}
/** The work on assignments that no longer count, but still stand in lists. */
export const readGoneAssignments = async (store: Pick<Store, 'query'>): Promise<Gone[]> =>
  (await all(store, goneAssignments)) as Gone[]
type Gone = Entry<'gone-recipients'> | Entry<'gone-task'>

/** Deletes the entry of work that is done. Where fields are expected, the entry must still have them. */
export const endWork = ({ pk, sk }: Key, expected?: Readonly<Record<string, unknown>>): Action => ({
  delete: { pk, sk },
  ...(expected ? { if: is(expected) } : {}),
})

/** Writes how far work has come, if the entry is still as expected: the lease and the count of attempts begin anew. */
export const moveOn = (
  { clock }: Pick<Work, 'clock'>,
  { pk, sk }: Key,
  set: Readonly<Record<string, unknown>>,
  expected: object = {},
): Action => ({
  update: { pk, sk },
  set: { due: leaseFrom(clock().toISOString()), attempts: 0, ...set },
  if: every(exists, is({ ...expected })),
})

/** What an attempt needs: when it began, the clock as it goes on, and the milliseconds that are left. */
export type Work = { store: Store; now: string; clock: () => Date; timeLeft: () => number }

/** Work stops this long before its time is over. */
const RESERVE_MS = 8000

/** Whether there is no time for another step. */
export const isLate = ({ timeLeft }: Pick<Work, 'timeLeft'>): boolean => timeLeft() < RESERVE_MS
