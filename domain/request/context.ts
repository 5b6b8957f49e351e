import type { Contract, ContractItem, Schema, ContractInput as SingleInput } from '../../schemas/contract.ts'
import type { Contracts } from '../../schemas/contracts.ts'
import type { AppError } from '../base/errors.ts'
import type { boundedMap, Remembered } from '../base/memory.ts'
import type { Key, Store } from '../table/store.ts'
import type { Actor } from './actor.ts'
import type { Position } from './sorting.ts'

/**
 * Everything that an operation gets from outside. Operations use no other clock and no other network, so tests control both. Any
 * other random choice only spreads load: how long a retry waits, which free place or shard is taken.
 */
export type Context = {
  /** Its writes, and reads after the first wave, wait until the actor has been found active and permitted. */
  store: Store
  /** When the call began: RFC 3339, UTC, milliseconds. */
  now: string
  /** The current time, for long operations. */
  clock: () => Date
  newId: () => string
  /** 32 bytes that cannot be guessed. */
  newSecret: () => Uint8Array
  /** The caller: the id of the user, or of the service token in a form that no user's id has (see actor.ts). */
  actorId: string
  /** The versions that the caller accepts for the record (If-Match); undefined means any. */
  ifMatch?: ETags | undefined
  /** Identifies this call, if it has an Idempotency-Key. */
  repetition?: Repetition | undefined
  /** The current record of the actor; refuses an actor who may not call this endpoint. */
  actor: () => Promise<Actor>
  /**
   * The context for a later item of a batch, or for showing what a repeated call created. It checks the actor again, as a
   * long call may outlive their rights.
   */
  freshContext: () => Context
  /** The settings, up to five seconds old. */
  organisation: () => Promise<Organisation>
  /** The settings as they are now. Read them before you refuse a call because of `organisation`. */
  organisationNow: () => Promise<Organisation>
  /** A value that this instance remembers; else it is read. */
  fromMemory: <T>(memory: Remembered<Store, T>) => Promise<T>
  /** The header Accept-Language. */
  acceptLanguage: string | undefined
  /** Notes the language of a localized text in the answer, for its content-language. */
  noteLanguage: (language: string) => void
  /** Makes the answer say that rules have yet to change roles because of this call (X-Rules-Pending). */
  noteRulesPending: () => void
  /** Which shard of a counter this call uses. */
  shard: number
  /** Milliseconds until the function is ended. */
  timeLeft: () => number
  requestId: string
  /** Begins to read the keys that seal cursors; called with the first reads, this costs no extra round trip. */
  seals: () => Seals
  /**
   * Where pages by number ended lately, as the process remembers it. The name of an end contains everything that decides which items
   * come before it.
   */
  pageEnds: ReturnType<typeof boundedMap<string, PageEnd>>
}

/** The position of the last item of a page, how many items the list had, and when that was, in milliseconds. */
export type PageEnd = { position: Position; total: number; at: number }

/** Tags of versions that a caller names, without quotes; `any` matches every version. */
export type ETags = 'any' | readonly string[]

/** The settings of the organisation, and the ids of its predefined roles and groups. */
export type Organisation = {
  default_language: string
  languages: string[]
  features: { tasks: boolean; user_deactivation: boolean; people_directory: boolean }
  /**
   * Ids of the predefined roles by type, and of the groups of type ROOT and ALL_USERS; empty before the first import.
   */
  predefined: Partial<Record<PredefinedRoleType | 'ROOT' | 'ALL_USERS', string>>
  /** There are rules, so changes of users have to look at them. It is here because every call reads the settings. */
  has_rules?: true
}

export type PredefinedRoleType = 'USER_GROUP_MEMBER' | 'USER_GROUP_OWNER' | 'CHANNEL_MEMBER' | 'CHANNEL_OWNER'

/** One language of a text. */
export type Localized = { language: string; text: string }

/** Identifies a call with an Idempotency-Key: the table key of its item, and a keyed hash of path and body. */
export type Repetition = { key: Key; digest: string }

/** Makes texts that callers send back but can neither read nor change. Each is bound to one purpose. */
export type Seals = {
  seal: (text: string, boundTo: string) => Promise<string>
  /** The text; undefined if this service has not sealed it, or sealed it for another purpose. */
  unseal: (sealed: string, boundTo: string) => Promise<string | undefined>
}

/** An operation's answer, with a status of the contract. `isText`: the body is a text of the contract's media type, not JSON. */
export type Answer<T> = { status: number; body: T; own?: object; isRepeated?: true; isText?: true }
/** An answer that is one record: `own` has the fields that make its version. */
export type RecordAnswer<T> = Answer<T> & { own: object }

/** The input of an operation: valid path, query and body. Items of a batch have values or faults. */
export type InputBy<C extends Contract> = Omit<SingleInput<C>, 'body'> & {
  body: C['item'] extends Schema ? { items: BatchItem<ContractItem<C>>[] } : SingleInput<C>['body']
}

/** The same by the endpoint's name, and below it a valid item of a batch. */
export type Input<Name extends keyof Contracts> = Contracts[Name] extends Contract ? InputBy<Contracts[Name]> : never
export type ItemOf<Name extends keyof Contracts> = Contracts[Name] extends Contract
  ? ContractItem<Contracts[Name]>
  : never

/**
 * An item of a batch: its valid input, or its fault with its body in any form. `id`, or a part of it, is null if it
 * cannot be read.
 */
export type BatchItem<T> = { id: ItemId } & ({ value: T } | { fault: AppError; body?: unknown })

/** The id of an item as the answer repeats it; an object where the record has a composed id. */
export type ItemId = string | null | Record<string, string | null>

/**
 * Finds faults that the schema cannot find, for a call that the schema has refused: one answer names them all. Body,
 * path and query may have any form.
 */
export type MoreFaults = (
  context: Context,
  body: unknown,
  path: Readonly<Record<string, unknown>>,
  query: Readonly<Record<string, unknown>>,
) => Promise<AppError | undefined>

/** Reads a body by the contract of an endpoint: without white space that makes no difference, and with its faults. */
export type ValidateBody = (body: unknown) => { body: unknown; fault: AppError | undefined }
