import { refuse } from '../../base/errors.ts'
import { asRecord } from '../../base/values.ts'
import type { Localized } from '../../request/context.ts'
import { replaceByTombstone } from '../../table/changes.ts'
import { a, declareFields, everywhere, type RecordOf } from '../../table/fields.ts'
import { attributeKey } from '../../table/keys.ts'
import { defineRecord } from '../../table/records.ts'
import type { Action, Item } from '../../table/store.ts'

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

/** The answer that shows a definition. */
export const answerDefinition = (definition: AttributeDefinition) => ({
  status: 200,
  body: definitionFields.shown(definition),
  own: definitionFields.own(definition),
})
