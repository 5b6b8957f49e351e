import type { Cause, Key } from './store.ts'

// The kinds of noted work, and what their entries hold: types only. work.ts writes them, readWork.ts reads them.

/** What an entry holds besides its key, by kind. */
export type Payloads = {
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
    /** The id of an addition that has several entries: these do not count until the task's `marks` contain it. */
    mark?: string
    /** Until this moment the entry stays, even if it does not count yet. */
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
export type ProgressByUser = Readonly<Record<string, ProgressStatus>>
/** How far a recipient has come with a task. */
export type ProgressStatus = 'NEW' | 'OPEN' | 'FINISHED'

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
