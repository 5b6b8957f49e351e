import { asRecord } from '../../base/values.ts'
import { replaceByTombstone } from '../../table/changes.ts'
import type { Action, Item } from '../../table/store.ts'
import { type AttributeDefinition, definitions } from './attributeDefinition.ts'

// The editions of a definition: they go on when it is deleted and another one gets its name.

/** The tombstone that a deleted definition leaves, so that the next one of this name has a later edition. */
export type DeletedDefinition = { deleted_at: string; edition: number }

/** The tombstone in an item; undefined if the item is a definition or missing. */
export function deletedIn(item: Item | undefined): DeletedDefinition | undefined {
  const { deleted_at, edition } = asRecord(item?.['data']) ?? {}
  return typeof deleted_at === 'string' ? { deleted_at, edition: Number(edition) } : undefined
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
