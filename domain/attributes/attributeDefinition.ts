import type { Context } from '../request/context.ts'
import { absent, type Condition, is } from '../table/expressions.ts'
import { attributeKey, DEFINITION_PLACES, definitionPlaceKey, definitionPlaces, editionMark } from '../table/keys.ts'
import { type Action, all, type Item, replacing, type Store } from '../table/store.ts'
import {
  type AttributeDefinition,
  checkAttributes,
  type DeletedDefinition,
  type GivenAttribute,
} from './attributeRules.ts'

/** The item of an attribute definition. */
export const definitionItem = (definition: AttributeDefinition): Item => ({
  ...attributeKey(definition.technical_name),
  data: definition,
})

/** The attribute definition that an item holds; none where it only says that there was one. */
export function definitionIn(item: Item | undefined): AttributeDefinition | undefined {
  const data = item?.data as AttributeDefinition | DeletedDefinition | undefined
  return data && 'technical_name' in data ? data : undefined
}

/** An attribute definition as it is now. */
export const readDefinition = async (
  store: Pick<Store, 'get'>,
  name: string,
): Promise<AttributeDefinition | undefined> => definitionIn(await store.get(attributeKey(name)))

/** A new definition, where nothing or a deleted one is stored: it goes on with the editions of that. */
export function succeeding(definition: AttributeDefinition, stored: Item | undefined): AttributeDefinition {
  const { edition } = (stored?.data ?? {}) as Partial<DeletedDefinition>
  return edition === undefined ? definition : { ...definition, edition }
}

/** Puts a deleted definition in the place of one; the next of this name has the edition after. */
export const deleting = (definition: AttributeDefinition, deleted: DeletedDefinition): Action =>
  replacing({ ...attributeKey(definition.technical_name), data: deleted }, definition)

/** The editions of the definitions by which a user's values were judged, by technical name. */
export type Editions = ReadonlyMap<string, number | undefined>

/** Judges a user's attributes against the definitions as they are now; see checkAttributes for what it throws. */
export async function checkAgainstDefinitions(
  store: Pick<Store, 'get'>,
  attributes: readonly (GivenAttribute | undefined)[],
): Promise<Editions> {
  const names = [...new Set(attributes.flatMap((given) => given?.name ?? []))]
  const definitions = await Promise.all(names.map((name) => readDefinition(store, name)))
  const found = new Map(names.map((name, index) => [name, definitions[index]]))
  checkAttributes(attributes, (name) => found.get(name))
  return new Map(names.map((name) => [name, found.get(name)?.edition]))
}

/** What a counter must say so that values judged by these editions may be written; undefined is the first edition. */
export const asJudged = (editions: readonly (readonly [name: string, edition: number | undefined])[]): Condition =>
  is(Object.fromEntries(editions.map(([name, edition]) => [editionMark(name), edition])))

/** The names of all definitions with their places, and the places where further ones would go. */
export async function readPlaces(
  store: Pick<Store, 'query'>,
): Promise<{ names: string[]; free: number[]; taken: Item[] }> {
  const taken = await all(store, definitionPlaces)
  const keys = new Set(taken.map(({ sk }) => sk))
  const every = Array.from({ length: DEFINITION_PLACES }, (_, place) => place)
  return {
    names: taken.map((item) => String(item['name'])),
    free: every.filter((place) => !keys.has(definitionPlaceKey(place).sk)),
    taken,
  }
}

/** Takes a place for a definition; stale where somebody else has taken it meanwhile. */
export const takingPlace = (place: number, name: string): Action => ({
  put: { ...definitionPlaceKey(place), name },
  if: absent,
})

/** Leaves the place of a definition; stale where it stands elsewhere by now. */
export const leavingPlace = (taken: readonly Item[], name: string): Action[] =>
  taken.filter((place) => place['name'] === name).map(({ pk, sk }) => ({ delete: { pk, sk }, if: is({ name }) }))

/** All definitions as they were a moment ago. */
export async function allDefinitions({ store }: Pick<Context, 'store'>): Promise<AttributeDefinition[]> {
  const { names } = await readPlaces(store)
  const items = await Promise.all(names.map((name) => store.getSoon(attributeKey(name))))
  return items.flatMap((item) => definitionIn(item) ?? [])
}
