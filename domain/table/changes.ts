import { eventOfChange } from './events.ts'
import { absent, atMost, type Condition, either, exists, is } from './expressions.ts'
import type { DeclaredFields } from './fields.ts'
import { catalogueKeys } from './keys.ts'
import { type Definition, lastEventOf, lastIn } from './records.ts'
import type { Action, ChangeEvent, Item, Key, Refusal } from './store.ts'

// The actions that write records of a kind, and reservations of their names.

/** A kind of records, made by `defineRecord`. */
type Kind<T extends object, Id extends readonly string[] = readonly string[]> = { definition: Definition<T, Id> }

/** An action that writes a whole item. */
export type Write = Extract<Action, { put: Item }>

/** A record as it is stored: without the defaults of later fields. */
const stored = <R extends object | undefined>({ fields }: { fields?: DeclaredFields }, record: R): R =>
  (fields && record ? fields.stored(record) : record) as R

/** The event of a change, if the kind has events. `last`: the sort key of the last event at the key of a new record. */
function eventFor<T extends object>(
  definition: Kind<T>['definition'],
  before: T | undefined,
  after: T | undefined,
  last?: string,
): ChangeEvent | undefined {
  const { events, fields } = definition
  if (!events) return undefined
  const shown = {
    ...events,
    ...(fields && { hidden: fields.notInEvents }),
    ...(events.initial && { initial: stored(definition, events.initial) }),
  }
  return eventOfChange(shown, {
    before: stored(definition, before),
    after: stored(definition, after),
    last: before ? lastEventOf(before) : last,
  })
}

const keyOf = <T extends object>({ key, idOf }: Kind<T>['definition'], record: T): Key => key(...idOf(record))

function listed<T extends object>(definition: Kind<T>['definition'], record: T): object {
  const { catalogue, idOf } = definition
  if (!catalogue) return {}
  // Stryker disable next-line StringLiteral: a record of a catalogue has an id
  return { ...catalogueKeys(catalogue, idOf(record)[0] ?? ''), hint: JSON.stringify(stored(definition, record)) }
}

/** The whole item of a record. */
export const itemOf = <T extends object>({ definition }: Kind<T>, record: NoInfer<T>): Item => ({
  ...keyOf(definition, record),
  ...listed(definition, record),
  ...definition.indexAttributes?.(record),
  data: stored(definition, record),
})

function isAsRead<T extends object>(definition: Kind<T>['definition'], record: T): Condition {
  const { versioned, events } = definition
  return versioned
    ? is({ 'data/version': (record as { version?: number }).version })
    : is({ data: stored(definition, record), ...(events ? { event: lastEventOf(record) } : {}) })
}

/** Writes a record that must not exist yet. Without `otherwise`, an existing one means that what was read is stale. */
export const createRecord = <T extends object>(kind: Kind<T>, record: NoInfer<T>, otherwise?: Refusal): Action => ({
  put: itemOf(kind, record),
  if: absent,
  otherwise,
  event: eventFor(kind.definition, undefined, record),
})

/** Writes a record that is still as it was read, undefined where there was none; else what was read is stale. */
export const replaceRecord = <T extends object>(
  kind: Kind<T>,
  before: NoInfer<T> | undefined,
  after: NoInfer<T>,
): Write => ({
  put: { ...itemOf(kind, after), ...(kind.definition.events && before ? { event: lastEventOf(before) } : {}) },
  if: before ? isAsRead(kind.definition, before) : absent,
  event: eventFor(kind.definition, before, after),
})

/** Deletes a record that is still as it was read; else what was read is stale. */
export const removeRecord = <T extends object>(kind: Kind<T>, record: NoInfer<T>): Action => ({
  ...removeWithoutEvent(kind, record),
  event: eventFor(kind.definition, record, undefined),
})

/** Writes what is left of a record whose deletion is announced now, and is completed later without an event. */
export const endRecord = <T extends object>(kind: Kind<T>, before: NoInfer<T>, after: NoInfer<T>): Action => ({
  put: itemOf(kind, after),
  if: isAsRead(kind.definition, before),
  event: eventFor(kind.definition, before, undefined),
})

/** Deletes without an event: another action of the transaction writes it. */
export const removeWithoutEvent = <T extends object>(kind: Kind<T>, record: NoInfer<T>): Action => ({
  delete: keyOf(kind.definition, record),
  if: isAsRead(kind.definition, record),
})

/** Puts a tombstone in place of a record that is still as it was read. */
export const replaceByTombstone = <T extends object>(kind: Kind<T>, record: NoInfer<T>, tombstone: object): Action => ({
  put: { ...keyOf(kind.definition, record), data: tombstone },
  if: isAsRead(kind.definition, record),
  event: eventFor(kind.definition, record, undefined),
})

/** Writes a record that must not exist yet; `found` is the tombstone in its place, if there is one. */
export const createOverTombstone = <T extends object>(
  kind: Kind<T>,
  found: Item | undefined,
  record: NoInfer<T>,
): Write => ({
  put: itemOf(kind, record),
  if: found ? is({ data: found.data }) : absent,
  event: eventFor(kind.definition, undefined, record, lastIn(found)),
})

/** Writes nothing, but needs the record to be as it was read. */
export const requireUnchanged = <T extends object>(kind: Kind<T>, record: NoInfer<T>): Action => ({
  check: keyOf(kind.definition, record),
  if: isAsRead(kind.definition, record),
})

/** Writes nothing, but needs the record to have these fields. */
export const requireFields = <T extends object, Id extends readonly string[]>(
  kind: Kind<T, Id>,
  id: NoInfer<Id>,
  fields: Partial<NoInfer<T>>,
  otherwise?: Refusal,
): Action => ({
  check: kind.definition.key(...id),
  if: is(inData(fields)),
  otherwise,
})

type Amendment<T> = { expected?: Partial<T>; attributes?: Readonly<Record<string, unknown>>; otherwise?: Refusal }

/** Writes fields of a record that exists, and attributes of its item. It must still have the `expected` fields. */
export function amendRecord<T extends object>(
  { definition }: Kind<T>,
  record: NoInfer<T>,
  fields: Partial<NoInfer<T>>,
  { expected, attributes, otherwise }: Amendment<NoInfer<T>> = {},
): Action {
  const event = eventFor(definition, record, { ...record, ...fields })
  const asRead = { ...inData(expected ?? {}), ...(event ? { event: lastEventOf(record) } : {}) }
  return {
    update: keyOf(definition, record),
    set: { ...inData(fields), ...attributes },
    if: Object.keys(asRead).length > 0 ? is(asRead) : exists,
    otherwise,
    event,
  }
}

const inData = (fields: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [`data/${name}`, value]))

/**
 * The item that reserves a name for one record, its `owner`. If the record is to be deleted, the name is free from
 * `expires_at` on, even while the item still exists.
 */
export type Reservation = Item & { owner: string; expires_at?: string }

/** Takes a name that is free, expired by `now`, or the owner's already. */
export const takeName = (put: Reservation, taken: Refusal, now?: string): Action => ({
  put,
  if: either(absent, is({ owner: put.owner }), ...(now === undefined ? [] : [atMost('expires_at', now)])),
  otherwise: taken,
})

/** Writes the reservation of a name that the record has already; stale if another record has it by now. */
export const keepName = (put: Reservation): Action => ({ put, if: either(absent, is({ owner: put.owner })) })

/** Gives a name up; stale if another record has it by now. */
export const giveUpName = ({ pk, sk }: Key, owner: string): Action => ({
  delete: { pk, sk },
  if: either(absent, is({ owner })),
})
