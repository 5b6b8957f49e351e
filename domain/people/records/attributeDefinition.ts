import type { ErrorCode } from '../../../schemas/errors.ts'
import { type AppError, type CodedFault, errorOf, faultAt, refuse } from '../../base/errors.ts'
import { isDay } from '../../base/moments.ts'
import { asRecord, isReference } from '../../base/values.ts'
import type { Context, Localized } from '../../request/context.ts'
import { replaceByTombstone } from '../../table/changes.ts'
import { absent, is } from '../../table/expressions.ts'
import { a, declareFields, everywhere, type RecordOf } from '../../table/fields.ts'
import { attributeKey, DEFINITION_SLOTS, definitionSlotKey, definitionSlots } from '../../table/keys.ts'
import { all } from '../../table/reader.ts'
import { defineRecord, defineRow } from '../../table/records.ts'
import { type Action, type Item, keyIn, type Store } from '../../table/store.ts'

export type AttributeType = 'TEXT' | 'PHONE_NUMBER' | 'DATE'

export const definitionFields = declareFields({
  id: { type: a<string>() },
  technical_name: { type: a<string>(), set: 'ALWAYS' },
  title: { type: a<Localized[]>(), set: 'ALWAYS' },
  attribute_type: { type: a<AttributeType>(), set: 'ALWAYS' },
  user_permission: { type: a<'VIEW' | 'EDIT' | 'HIDDEN'>(), set: 'ALWAYS', default: 'VIEW' },
  predefined: { type: a<boolean>(), initial: false },
  created_at: { type: a<string>(), hidden: ['ANSWERS'] },
  /** The number of changes of its type and of earlier deletions of a definition with this name. */
  edition: { type: a<number>(), optional: true, hidden: everywhere },
})

/** An attribute definition as it is stored. */
export type AttributeDefinition = RecordOf<typeof definitionFields>

/** The tombstone that a deleted definition leaves, so that the next one of this name has a later edition. */
export type DeletedDefinition = { deleted_at: string; edition: number }

export const definitions = defineRecord<AttributeDefinition>({
  key: attributeKey,
  fields: definitionFields,
  idOf: ({ technical_name }) => [technical_name],
  isRecord: (data) => 'technical_name' in data,
  events: { kind: 'attribute_definition' },
})

/** The tombstone in an item; undefined if the item is a definition or missing. */
export function deletedIn(item: Item | undefined): DeletedDefinition | undefined {
  const { deleted_at, edition } = asRecord(item?.['data']) ?? {}
  return typeof deleted_at === 'string' ? { deleted_at, edition: Number(edition) } : undefined
}

/** The definition that a path names, which must exist. */
export function requireDefinition(definition: AttributeDefinition | undefined): AttributeDefinition {
  if (!definition) throw refuse('ATTRIBUTE_DEFINITION_NOT_FOUND', 'definition_id')
  return definition
}

/** A new definition. If `stored` is the tombstone of a deleted one, its editions continue. */
export function succeeding(definition: AttributeDefinition, stored: Item | undefined): AttributeDefinition {
  const edition = deletedIn(stored)?.edition
  return edition === undefined ? definition : { ...definition, edition }
}

/** The edition after the current one. */
export const nextEdition = ({ edition = 0 }: AttributeDefinition): number => edition + 1

/** Deletes a definition and leaves a tombstone; stale if it has changed since it was read. */
export const definitionDeletion = (definition: AttributeDefinition, now: string): Action => {
  const deleted: DeletedDefinition = { deleted_at: now, edition: nextEdition(definition) }
  return replaceByTombstone(definitions, definition, deleted)
}

const slotRows = defineRow<{ name: string }>()

/** The slots of all definitions with their names, and the numbers of the slots that are free. */
export async function readSlots(store: Store) {
  const taken = (await all(store, definitionSlots)).map(slotRows.of)
  const keys = new Set(taken.map(({ sk }) => sk))
  const every = Array.from({ length: DEFINITION_SLOTS }, (_, slot) => slot)
  const free = every.filter((slot) => !keys.has(definitionSlotKey(slot).sk))
  return { names: taken.map(({ name }) => name), free, taken }
}

/** All definitions, in the order of their slots. */
export async function readDefinitions(store: Store): Promise<AttributeDefinition[]> {
  const { names } = await readSlots(store)
  const found = await Promise.all(names.map((name) => definitions.readEventual(store, name)))
  return found.filter((definition) => definition !== undefined)
}

/** Takes a slot for a definition; stale if another definition has taken it. */
export const takeSlot = (slot: number, name: string): Action => ({
  put: slotRows.item(definitionSlotKey(slot), { name }),
  if: absent,
})

/** Gives up the slot of a definition; stale if it no longer has this slot. */
export const giveUpSlot = (taken: Awaited<ReturnType<typeof readSlots>>['taken'], name: string): Action[] =>
  taken.filter((slot) => slot.name === name).map((slot) => ({ delete: keyIn(slot), if: is({ name }) }))

/** The answer that shows a definition. */
export const answerDefinition = (definition: AttributeDefinition) => ({
  status: 200,
  body: definitionFields.shown(definition),
  own: definitionFields.own(definition),
})

/** A user's value of an attribute. */
export type Attribute = { name: string; value: string }

/** Those of these attributes that users who are no administrators may see, their own ones included. */
async function notHidden<T extends string>(store: Store, names: readonly T[]): Promise<Set<T>> {
  const found = await Promise.all(names.map((name) => definitions.read(store, name)))
  return new Set(names.filter((_, nth) => (found[nth]?.user_permission ?? 'HIDDEN') !== 'HIDDEN'))
}

/** A user's own attributes, without hidden ones. */
export async function visibleAttributes(store: Store, attributes: readonly Attribute[]): Promise<Attribute[]> {
  const shown = await notHidden(
    store,
    attributes.map(({ name }) => name),
  )
  return attributes.filter(({ name }) => shown.has(name))
}

/** Those of these attributes that the caller may see of people: administrators see all. */
export async function shownAttributes<T extends string>(
  { store, actor }: Pick<Context, 'store' | 'actor'>,
  names: readonly T[],
): Promise<ReadonlySet<T>> {
  const [caller, shown] = await Promise.all([actor(), notHidden(store, names)])
  return caller.kind === 'USER' && caller.role === 'ADMIN' ? new Set(names) : shown
}

/** A patch of attributes by name: null removes the value. */
type AttributePatch = Readonly<Record<string, string | null>>

/**
 * The attributes of a user after a patch: a list replaces them, an object changes those that it names. Kept ones stay in order, new
 * ones come last.
 */
export function patchedAttributes(
  before: readonly Attribute[],
  patch: readonly Attribute[] | AttributePatch,
): Attribute[] {
  if (isList(patch)) return [...patch]
  const after = new Map(before.map(({ name, value }) => [name, value]))
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) after.delete(name)
    else after.set(name, value)
  }
  return [...after].map(([name, value]) => ({ name, value }))
}

const isList = (patch: readonly Attribute[] | AttributePatch): patch is readonly Attribute[] => Array.isArray(patch)

/** The readable parts of an attribute in a request. `at`: the properties of its name and value; by default those in a list. */
type ReadableAttribute = { name: string; value?: string | undefined; at?: string }

/**
 * The editions of the definitions that a user's values were checked against, by technical name. Undefined is the first.
 */
export type Editions = ReadonlyMap<string, number | undefined>

/** The faults of attributes, compared with their definitions. The schema reports attributes that cannot be read. */
export function attributeFaults(
  attributes: readonly (ReadableAttribute | undefined)[],
  definitionOf: (name: string) => AttributeDefinition | undefined,
): CodedFault[] {
  const found: CodedFault[] = []
  const seen = new Set<string>()
  attributes.forEach((attribute, index) => {
    if (!attribute) return
    const { name, value, at } = attribute
    const add = (code: ErrorCode, field: string, message: string) =>
      found.push(faultAt(code, at ?? `attributes.${index}.${field}`, message))
    const definition = definitionOf(name)
    if (seen.has(name)) add('VALIDATION_ERROR', 'name', 'must not be given twice')
    seen.add(name)
    if (!definition) add('NO_USER_ATTRIBUTE_DEFINITION_FOR_NAME_FOUND', 'name', 'must name an attribute definition')
    else if (definition.attribute_type === 'DATE' && value !== undefined && !isDay(value))
      add('INVALID_DATE_ATTRIBUTE_FORMAT', 'value', 'must be a date, YYYY-MM-DD')
  })
  return found
}

/** The schema refuses longer lists. */
const MOST_ATTRIBUTES = 50

/** Checks the attributes of a body against the current definitions. The body may have any form. */
export async function checkedAttributes(
  store: Store,
  attributes: unknown,
): Promise<{ editions: Editions; fault: AppError | undefined }> {
  const readable = readableAttributes(attributes)
  const names = [...new Set(readable.flatMap((attribute) => attribute?.name ?? []))].filter(isReference)
  const reading = names.map(async (name) => [name, await definitions.read(store, name)] as const)
  const found = new Map(await Promise.all(reading))
  return {
    editions: new Map(names.map((name) => [name, found.get(name)?.edition])),
    fault: errorOf(attributeFaults(readable, (name) => found.get(name))),
  }
}

/** The attributes of a body: a list, or the object of a patch. */
function readableAttributes(attributes: unknown): (ReadableAttribute | undefined)[] {
  if (Array.isArray(attributes)) return attributes.slice(0, MOST_ATTRIBUTES).map(readableAttribute)
  return Object.entries(asRecord(attributes) ?? {})
    .slice(0, MOST_ATTRIBUTES)
    .map(([name, value]) => ({
      name,
      value: typeof value === 'string' ? value : undefined,
      at: `attributes.${name}`.slice(0, LONGEST_PROPERTY),
    }))
}

/** Only the beginning of a long name is shown in an error. */
const LONGEST_PROPERTY = 200

function readableAttribute(attribute: unknown): ReadableAttribute | undefined {
  const { name, value } = asRecord(attribute) ?? {}
  return isReference(name) ? { name, value: typeof value === 'string' ? value : undefined } : undefined
}
