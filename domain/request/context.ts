import type { Contract, Item, Schema, Input as SingleInput } from '../../schemas/contract.ts'
import type { Contracts } from '../../schemas/contracts.ts'
import { AppError, type Done, StaleRead, StoreUnreachable } from '../base/errors.ts'
import type { Remembered } from '../base/memory.ts'
import type { Key, Store, Weight } from '../table/store.ts'

/**
 * Everything an operation gets from outside: nothing else in the domain reads a clock, a random number or the
 * network.
 */
export type Context = {
  /** Its writes wait until the actor has been found active and permitted. */
  store: Store
  /** When the call began: RFC 3339, UTC, milliseconds. */
  now: string
  /** The time at this moment, for long operations. */
  clock: () => Date
  newId: () => string
  /** The user that the token names. */
  actorId: string
  /** The versions of which the record to be changed must have one; undefined if the caller named none. */
  ifMatch?: Tags | undefined
  /** What this call is known by, if its caller may repeat it under an Idempotency-Key. */
  repetition?: Repetition | undefined
  /** The actor's own record as it is now; refuses an actor who may not call this endpoint. */
  actor: () => Promise<Actor>
  /**
   * The context for a later item of the same call. It checks the actor again, as a long batch may outlive their
   * rights.
   */
  again: () => Context
  /** The settings, up to five seconds old. */
  organisation: () => Promise<Organisation>
  /** The settings as they are now: before a call is refused for older ones. */
  organisationNow: () => Promise<Organisation>
  /** What this instance remembers, or has to read. */
  recall: <T>(memory: Remembered<Store, T>) => Promise<T>
  /** Picks the text in the caller's language: the same one wherever the texts are shown or sorted. */
  choice: () => Promise<Choice>
  /** Notes the language of a localized text in the answer, for its content-language. */
  noteLanguage: (language: string) => void
  /** Which shard of a counter this call uses. */
  shard: number
  /** Milliseconds until the function is ended. */
  timeLeft: () => number
  requestId: string
  /** Begins to read what cursors are sealed with; asked for beside the first reads, it costs no round trip. */
  seals: () => Seals
}

/** Tags of versions that a caller names, without quotes; `any` matches every version. */
export type Tags = 'any' | readonly string[]

/** What operations know of the user who calls them. */
export type Actor = {
  role: 'USER' | 'ADMIN'
  status: 'ACTIVE' | 'LOCKED' | 'DEACTIVATED' | 'PENDING_DELETION'
}

/** Settings of the organisation, and the ids of what is predefined in it. */
export type Organisation = {
  default_language: string
  languages: string[]
  features: { tasks: boolean; user_deactivation: boolean }
  /**
   * Ids of the predefined roles by type, and of the groups of type ROOT and ALL_USERS; empty before the first import.
   */
  predefined: Partial<Record<PredefinedRoleType | 'ROOT' | 'ALL_USERS', string>>
}

export type PredefinedRoleType = 'USER_GROUP_MEMBER' | 'USER_GROUP_OWNER' | 'CHANNEL_MEMBER' | 'CHANNEL_OWNER'

/** One language of a text. */
export type Localized = { language: string; text: string }

/** Picks the text that fits the caller best. */
export type Choice = (texts: readonly Localized[]) => Localized

/** What a call with an Idempotency-Key is known by: where the key lies, and a keyed hash of path and body. */
export type Repetition = { key: Key; print: string }

/** Makes texts that callers send back but can neither read nor change. Each is bound to one purpose. */
export type Seals = {
  seal: (text: string, boundTo: string) => Promise<string>
  /** The text; undefined if it was not sealed here, or for another purpose. */
  unseal: (sealed: string, boundTo: string) => Promise<string | undefined>
}

/** An operation's answer; its status is one that the contract names. */
export type Answer<T> = { status: number; body: T; own?: object; isReplayed?: true }
/** An answer that is one record: `own` are the record's own fields, which make its version. */
export type RecordAnswer<T> = Answer<T> & { own: object }

/** What an operation works on: the valid path, query and body; the items of a batch come with their values or faults. */
export type InputBy<C extends Contract> = Omit<SingleInput<C>, 'body'> & {
  body: C['item'] extends Schema ? { items: BatchItem<Item<C>>[] } : SingleInput<C>['body']
}

/** The same, and a valid item of a batch, by the endpoint's name. */
export type Input<Name extends keyof Contracts> = Contracts[Name] extends Contract ? InputBy<Contracts[Name]> : never
export type ItemOf<Name extends keyof Contracts> = Contracts[Name] extends Contract ? Item<Contracts[Name]> : never

/**
 * An item of a batch: its valid input, or its fault with its body in any form. `id` is null as far as it could not be
 * read.
 */
export type BatchItem<T> = { id: ItemId } & ({ value: T } | { fault: AppError; body?: unknown })

/** The id of an item as the answer repeats it; an object where the record has a composed id. */
export type ItemId = string | null | Record<string, string | null>

/**
 * Finds faults that the schema cannot find, if the call has faults of the schema already: one answer names them all. Body,
 * path and query may have any form.
 */
export type AlsoWrong = (
  context: Context,
  body: unknown,
  path: Readonly<Record<string, unknown>>,
  query: Readonly<Record<string, unknown>>,
) => Promise<AppError | undefined>

/**
 * The outcome of work that began at the same time as the check of the actor's rights. An actor without rights is refused,
 * whatever the outcome.
 */
export async function ifPermitted<T>({ actor }: Context, working: Promise<T>): Promise<T> {
  working.catch(() => {})
  await actor()
  return await working
}

/** What a call has done so far, judged by its writes. */
export type Effect = {
  done: () => Done
  /** Runs a write and notes its outcome. */
  note: (weight: Weight | undefined, write: () => Promise<void>) => Promise<void>
}

/** The effect of a call that has not sent any write yet. */
export function newEffect(): Effect {
  let underWay = 0
  let isDone = false
  let isOpen = false
  return {
    done: () => isDone || (isOpen || underWay > 0 ? 'unknown' : false),
    note: async (weight, write) => {
      if (weight === 'aside') return write()
      underWay++
      try {
        await write()
        isDone ||= weight === undefined
        isOpen ||= weight === 'part'
      } catch (error) {
        isOpen ||= mayBeDone(error)
        throw error
      } finally {
        underWay--
      }
    },
  }
}

/** A refusal means that nothing was written. After an unexpected error this is not known. */
function mayBeDone(error: unknown): boolean {
  if (error instanceof StoreUnreachable) return error.mayBeDone
  return !(error instanceof AppError || error instanceof StaleRead)
}

/** A store that notes the outcome of its writes. */
export const noteWrites = (store: Store, effect: Effect): Store => ({
  ...store,
  write: (actions, weight) => effect.note(weight, () => store.write(actions, weight)),
})

/**
 * Writes, and meanwhile reads what the answer shows. If only this reading fails, it is tried once more after the write. If
 * it fails again, the answer is 503: the call is done but cannot be shown.
 */
export async function writeAndShow<T>(write: Promise<void> | undefined, show: () => Promise<T>): Promise<T> {
  const [written, shown] = await Promise.allSettled([write, show()])
  if (written.status === 'rejected') throw written.reason
  if (shown.status === 'fulfilled') return shown.value
  return write ? show().catch(notShown) : show()
}

function notShown(error: unknown): never {
  if (error instanceof AppError && error.code === 'SERVICE_UNAVAILABLE') throw error
  throw new AppError('SERVICE_UNAVAILABLE', { cause: (error as Error).name })
}
