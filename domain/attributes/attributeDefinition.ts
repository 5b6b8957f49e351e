import { refuse } from '../base/errors.ts'
import type { Localized } from '../request/context.ts'
import { absent, is } from '../table/expressions.ts'
import { attributeKey, DEFINITION_PLACES, definitionPlaceKey, definitionPlaces } from '../table/keys.ts'
import { defineRecord, defineRow } from '../table/records.ts'
import { type Action, all, type Item, keyIn, replacing, type Store } from '../table/store.ts'

export type AttributeType = 'TEXT' | 'PHONE_NUMBER' | 'DATE'

/** An attribute definition as it is stored. */
export type AttributeDefinition = {
  id: string
  technical_name: string
  title: Localized[]
  attribute_type: AttributeType
  user_permission: 'VIEW' | 'EDIT' | 'HIDDEN'
  predefined: boolean
  created_at: string
  /** Counts how often its type has changed, and how often a definition of this name was deleted. */
  edition?: number
  /** An earlier version of the service noted that a user has a value; removed once those values are counted. */
  used?: true
}

/** What is stored in place of a deleted definition, so that the next one of this name has another edition. */
export type DeletedDefinition = { deleted_at: string; edition: number }

export const definitions = defineRecord<AttributeDefinition>({
  key: attributeKey,
  idOf: ({ technical_name }) => [technical_name],
  isRecord: (data) => 'technical_name' in data,
})

/** What an item says of a deleted definition; undefined if it holds a living one, or nothing. */
export function deletedIn(item: Item | undefined): DeletedDefinition | undefined {
  const data = item?.['data'] as DeletedDefinition | undefined
  return data && 'deleted_at' in data ? data : undefined
}

/** The definition that a path names, which must exist. */
export function requireDefinition(definition: AttributeDefinition | undefined): AttributeDefinition {
  if (!definition) throw refuse('ATTRIBUTE_DEFINITION_NOT_FOUND', 'definition_id')
  return definition
}

/** A new definition at its key, where `stored` is nothing or a deleted one: then it goes on with the editions of that. */
export function succeeding(definition: AttributeDefinition, stored: Item | undefined): AttributeDefinition {
  const edition = deletedIn(stored)?.edition
  return edition === undefined ? definition : { ...definition, edition }
}

/** The edition of a definition after the present one. */
export const nextEdition = ({ edition = 0 }: AttributeDefinition): number => edition + 1

/** Deletes a definition as it was read; the next one of this name has a later edition. */
export const definitionDeletion = (definition: AttributeDefinition, now: string): Action => {
  const deleted: DeletedDefinition = { deleted_at: now, edition: nextEdition(definition) }
  return replacing({ ...attributeKey(definition.technical_name), data: deleted }, definition)
}

const placeRows = defineRow<{ name: string }>()

/** The places of all definitions with their names, and the numbers of the places that are free. */
export async function readPlaces(store: Pick<Store, 'query'>) {
  const taken = (await all(store, definitionPlaces)).map(placeRows.of)
  const keys = new Set(taken.map(({ sk }) => sk))
  const every = Array.from({ length: DEFINITION_PLACES }, (_, place) => place)
  const free = every.filter((place) => !keys.has(definitionPlaceKey(place).sk))
  return { names: taken.map(({ name }) => name), free, taken }
}

/** Takes a place for a definition; stale if another one has taken it meanwhile. */
export const takePlace = (place: number, name: string): Action => ({
  put: placeRows.item(definitionPlaceKey(place), { name }),
  if: absent,
})

/** Gives up the place of a definition; stale if it has another place by now. */
export const giveUpPlace = (taken: Awaited<ReturnType<typeof readPlaces>>['taken'], name: string): Action[] =>
  taken.filter((place) => place.name === name).map((place) => ({ delete: keyIn(place), if: is({ name }) }))

/** A definition as it is answered. */
export const viewDefinition = ({
  created_at: _created,
  used: _used,
  edition: _edition,
  ...view
}: AttributeDefinition) => view
export type DefinitionView = ReturnType<typeof viewDefinition>
