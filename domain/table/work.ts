import { momentAfter } from '../base/text.ts'
import { absent, every, exists, is } from './expressions.ts'
import { allWork, turnOf, workBeginningWith, workKey } from './keys.ts'
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
    progress?: ProgressByUser
  }
  /** A task has changed, and its assignments have yet to move in their lists; the id is the task's. */
  places: { task: string }
  /** Users who no longer have a task; their assignments have yet to be removed. */
  'gone-recipients': { task: string; users: string[] }
  /** A deleted task, some of whose assignments still exist. */
  'gone-task': { task: string }
  /**
   * The table is being migrated to layout `to`. The migration reads several ranges, one after the other: it is in the range with
   * the index `part` and goes on after the row `after`. `done`: rows that it has visited. `fault`: why the last attempt failed.
   */
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
    /** The call that has noted the first of these changes: it does the work. */
    holder?: string
    round?: RulesRound | null
  }
  /**
   * A plan has work to do, or will have when it is due; the id is the plan's. The plan itself says what. `waits`: since when it makes
   * no changes, as webhooks are behind.
   */
  plan: { waits?: string | null }
  /** A group was archived or deleted; the id is the group's, and is not free for another one until `kept`. */
  group: { todo: 'archive' | 'delete'; token: string; kept: string }
}
export type Kind = keyof Payloads

/** Gives and takes the roles that rules of one edition say: one walk over all users, repeated until it has seen all. */
export type RulesRound = {
  edition: number
  /** The changes that it applies, and the count of changes when it began. */
  taken: string[]
  changes: number
  /** Whether it takes roles that no rule names any more. */
  endsGrants: boolean
  /** From this moment on, a change of a user is refused if it was decided by older rules. */
  marked: string
  /** When this walk began. */
  began: string
  /** The list that it is in, and the row after which it goes on. */
  part: number
  after: Record<string, unknown> | null
  /** Users that it has seen, and users that the counters showed when it began, with a print of these counters. */
  seen: number
  counted: number
  print: string
  /** How many walks of this round before have seen too few users. */
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
export type Taking = { taker?: Taker; due?: string; attempts?: number; cause?: Cause }
/** An entry of one kind. */
export type Entry<K extends Kind> = Key & { kind: K } & Taking & Payloads[K]
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
  { taker = 'CALL', part }: { taker?: Taker | undefined; part?: string } = {},
): Entry<K> {
  const begun: Key & { kind: K } & Taking = { ...workKey(kind, id, part), kind, taker, due: leaseFrom(now) }
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
/** All entries of one turn. */
export const readTurn = async (store: Pick<Store, 'query'>, turn: string): Promise<AnyEntry[]> => {
  const found = (await all(store, workBeginningWith(turn))) as AnyEntry[]
  return found.filter((entry) => turnOf(entry) === turn)
}
/** Users who are noted to be settled. */
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
