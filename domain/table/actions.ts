import type { ErrorCode } from '../../schemas/errors.ts'
import { refuse, StaleRead } from '../base/errors.ts'
import type { Condition, Update } from './expressions.ts'
import { type Item, type Key, keyIn } from './items.ts'

// The actions of a transaction: what they expect, what it means if they fail, and what causes them.

/** What a failed condition means: a code and the field at fault, or a function that makes the error from the item found. */
export type Refusal = { code: ErrorCode; property?: string } | ((found: Item | undefined) => Error)

/** The error of a failed condition. Without a refusal, what was read is stale. */
export function refusalOf(otherwise: Refusal | undefined, found: Item | undefined): Error {
  if (otherwise === undefined) return new StaleRead()
  return typeof otherwise === 'function' ? otherwise(found) : refuse(otherwise.code, otherwise.property)
}

/** The actor, request and operation behind a write. Events record it. */
export type Cause = {
  /** The user or service token that calls; null for deadlines and commands. */
  actor: string | null
  request: string | null
  /** The endpoint; for work without a call, the function that does it. */
  operation: string
}

/** The cause of writes without a caller: by a deadline or a command. */
export const systemCause = (operation: string, request: string | null = null): Cause => ({
  actor: null,
  request,
  operation,
})

/** A value in the `set` of an action on an entry of work: the store replaces it by the cause of the write. */
export const CAUSE = Symbol('cause')

/** A record, as events name it. */
export type RecordRef = { kind: string; id: string }

/** What an action changes of a record. The store writes an event for it in the same transaction. */
export type ChangeEvent = {
  type: string
  record: RecordRef
  /** The record among whose events it is listed; by default the record itself. */
  among?: RecordRef
  changes: readonly FieldChange[]
  /** The sort key of the record's event before this one: the item keeps it in `event`. */
  last: string | undefined
  /** What caused the change, if it is not what caused the write. */
  cause?: Cause | undefined
}
export type FieldChange = readonly [field: string, before: unknown, after: unknown]

/** One action of a transaction. Without `otherwise`, a failed condition means that what was read is stale. */
export type Action =
  | ({ put: Item } & ActionOptions)
  | ({ update: Key } & Update & ActionOptions)
  | ({ delete: Key } & ActionOptions)
  | ({ check: Key } & ActionOptions)

/** What an action expects of the stored item, and what it means if the item is different. */
export type ActionOptions = {
  if?: Condition | undefined
  otherwise?: Refusal | undefined
  /**
   * The error if other calls keep the item busy until all attempts are used up. If set, a failed condition of the item decides
   * at once, even if other conditions were not checked because of conflicts.
   */
  busy?: ErrorCode | undefined
  /** The property of the input that a failed condition is about: an import lists it as a conflict. */
  property?: string | undefined
  event?: ChangeEvent | undefined
}

/** The same action, whose condition is about this property of the input. */
export const forProperty = (property: string, action: Action): Action => ({ ...action, property })

/** The key that an action is about. */
export function keyOf(action: Action): Key {
  if ('put' in action) return keyIn(action.put)
  if ('update' in action) return action.update
  return 'delete' in action ? action.delete : action.check
}

/** Whether a write succeeded: false if its condition did not hold. Other errors are thrown. */
export const succeeded = (write: Promise<void>): Promise<boolean> =>
  write.then(
    () => true,
    (error: unknown) => {
      if (error instanceof StaleRead) return false
      throw error
    },
  )
