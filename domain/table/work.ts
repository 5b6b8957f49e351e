import { momentAfter } from '../base/text.ts'
import { absent, every, exists, is } from './expressions.ts'
import { allWork, queueOf, workBeginningWith, workKey } from './keys.ts'
import { all } from './reader.ts'
import type { Action, Cause, Key, Refusal, Store } from './store.ts'

/**
 * Work that is left to do: an entry is written in the transaction that makes the work necessary, and deleted when all of
 * it is done.
 */

/** What an entry holds besides its key, by kind. */
type Payloads = {
  /** The new name of a user has not reached all assignments yet; the id is the user's. */
  rename: { version: number }
  /** Users still to be added to a task. */
  recipients: {
    task: string
    /** `created_at` of the task: another task may have the id later. */
    born: string
    /** The `left` users who do not have the task yet. */
    users: string[]
    left: number
    /** Users who have got it from this entry: the last step looks at them once more. */
    added?: string[]
    /** `created_at` of the assignments. */
    at: string
    /** The id of an addition that has several entries: these have no effect until the task's `marks` contain it. */
    mark?: string
    /** Until this moment the entry stays, even if it has no effect yet. */
    kept?: string
    /** The status with which each user begins; NEW if not given. */
    progress?: ProgressByUser
  }
  /** A task has changed, and its assignments have yet to move in their lists; the id is the task's. */
  places: { task: string }
  /** Users who no longer have a task; their assignments have yet to be removed. */
  'gone-recipients': { task: string; users: string[] }
  /** A deleted task, some of whose assignments still exist. */
  'gone-task': { task: string }
  /** The table is being migrated to layout `to`. `part`, `after`: see WalkPosition. `done`: rows so far. `fault`: why the last attempt failed. */
  migration: { to: number; part: number; after: Record<string, unknown> | null; done: number; fault?: string }
  /** Users who become members of a group, or are withdrawn from it; the id is the group's. `left` counts both. */
  members: { add: string[]; remove: string[]; left: number }
  /** The rules have to be applied to a user, whose change had no room for it; the id is the user's. */
  settle: Record<never, never>
  /** Rules have changed, and have to be applied to all users: see domain/people/rules/applyRules.ts. */
  rules: {
    /** Each change of a rule: its id, and the group and role that it is about. */
    pending: ReadonlySet<string>
    /** Counts the changes. */
    changes: number
    /** No earlier than this moment: calls that began before do not know yet that there are rules. */
    from?: string
    /** The request id of the call that has noted the first of these changes: this call does the work. */
    holder?: string
    round?: RulesRound | null
  }
  /** A plan has work to do, or will have when it is due; the id is the plan's. `waits`: since when it waits for late webhooks. */
  plan: { waits?: string | null }
  /** A group was archived or deleted; the id is the group's, and is not free for another one until `kept`. */
  group: { todo: 'archive' | 'delete'; token: string; kept: string }
}
export type Kind = keyof Payloads

/** A round: gives and takes the roles that rules of one edition say, in a walk over all users that is repeated until it has seen all. */
export type RulesRound = {
  edition: number
  /** The entries of `pending` that it applies, and `changes` when it began. */
  taken: string[]
  changes: number
  /** Whether it takes roles that no rule names any more. */
  endsGrants: boolean
  /** From this moment on, a change of a user is refused if it was decided by older rules. */
  marked: string
  /** When this walk began. */
  began: string
  /** Where the walk is: see WalkPosition. */
  part: number
  after: Record<string, unknown> | null
  /** Users that the walk has seen, users that the counters showed when it began, and the digest of these counters. */
  seen: number
  counted: number
  print: string
  /** How many earlier walks of this round have seen too few users. */
  again: number
}
/** How far users have come with a task, by their ids. */
export type ProgressByUser = Readonly<Record<string, 'NEW' | 'OPEN' | 'FINISHED'>>

/**
 * Who does the work: a CALL, mostly the one that noted it, a worker that the STREAM will start, or a WORKER, now or when its
 * turn comes.
 */
export type Taker = 'CALL' | 'STREAM' | 'WORKER'
/**
 * Until `due` workers and the schedule leave the work to its taker; without `due`, it is free at once. A later call for the
 * same task also does what earlier calls have noted for themselves: conditions make sure that no step is done twice.
 * `attempts` counts those since the last progress. `cause` is the call that made the work necessary: events name it as the
 * cause of what the work changes.
 */
export type WorkStatus = { taker?: Taker; due?: string; attempts?: number; cause?: Cause }
/** An entry of one kind. */
export type Entry<K extends Kind> = Key & { kind: K } & WorkStatus & Payloads[K]
export type AnyEntry = { [K in Kind]: Entry<K> }[Kind]

/** No call lasts as long as this. */
const LONGEST_CALL_MS = 60_000

/** How long a lease on an entry lasts: longer than any step, and short enough to wait for. */
export const LEASE_MS = 10_000

/** The end of a lease that is taken or renewed at this moment. */
export const leaseFrom = (moment: string): string => momentAfter(moment, LEASE_MS)
/** The moment when all calls that run now have ended. */
export const afterCalls = (moment: string): string => momentAfter(moment, LONGEST_CALL_MS)

/** The entry of work that begins now; the call does it itself, unless `taker` says otherwise. */
export function workEntry<K extends Kind>(
  kind: K,
  id: string,
  payload: Payloads[K],
  now: string,
  { taker = 'CALL', suffix }: { taker?: Taker | undefined; suffix?: string } = {},
): Entry<K> {
  const begun: Key & { kind: K } & WorkStatus = { ...workKey(kind, id, suffix), kind, taker, due: leaseFrom(now) }
  return { ...begun, ...payload }
}

/** Notes work that may have been noted before: then it is one entry, and stays with its taker. */
export const noteOnce = <K extends Kind>({ pk, sk, taker, due, ...rest }: Entry<K>): Action => ({
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

/** All entries of work. */
export const readAllWork = async (store: Pick<Store, 'query'>): Promise<AnyEntry[]> =>
  (await all(store, allWork)) as AnyEntry[]
/** All entries of one queue. */
export const readQueue = async (store: Pick<Store, 'query'>, queue: string): Promise<AnyEntry[]> => {
  const found = (await all(store, workBeginningWith(queue))) as AnyEntry[]
  return found.filter((entry) => queueOf(entry) === queue)
}
/** The entries that say to which users rules have yet to be applied. */
export const readRulesForUsers = async (store: Pick<Store, 'query'>): Promise<Entry<'settle'>[]> =>
  (await all(store, workBeginningWith('settle#'))) as Entry<'settle'>[]
/** The work on assignments that no longer count, but are still in lists. */
export const readGoneAssignments = async (store: Pick<Store, 'query'>): Promise<Gone[]> =>
  (await all(store, workBeginningWith('gone-'))) as Gone[]
type Gone = Entry<'gone-recipients'> | Entry<'gone-task'>

/** Deletes the entry of work that is done. Where fields are expected, the entry must still have them. */
export const endWork = ({ pk, sk }: Key, expected?: Readonly<Record<string, unknown>>): Action => ({
  delete: { pk, sk },
  ...(expected ? { if: is(expected) } : {}),
})

/** Writes how far work has come, if the entry is still as expected: the lease and the count of attempts begin anew. */
export const recordProgress = (
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

/** How long a step of noted work may take, with all that has to be written after it. */
const STEP_MS = 8000

/** Whether there is no time for another step, which may take so many milliseconds. */
export const isShortOfTime = ({ timeLeft }: Pick<Work, 'timeLeft'>, stepMs = STEP_MS): boolean => timeLeft() < stepMs

/** The time that a call has for noted work before it answers: no more than so many milliseconds of its own. */
export function timeBeforeAnswer({ clock, timeLeft }: Pick<Work, 'clock' | 'timeLeft'>, ms: number): () => number {
  const until = clock().getTime() + ms
  return () => Math.min(timeLeft(), until - clock().getTime() + STEP_MS)
}
