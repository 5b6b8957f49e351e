import type { Context } from '../context.ts'
import { attributeKey, DEFINITION_PLACES, definitionPlaceKey, definitionPlaces } from '../store/keys.ts'
import { type Action, all, type Item, type Store } from '../store/store.ts'
import { type AttributeDefinition, checkAttributes, type GivenAttribute } from './attributeRules.ts'

/** The item of an attribute definition. */
export const definitionItem = (definition: AttributeDefinition): Item => ({
  ...attributeKey(definition.technical_name),
  data: definition,
})

/** An attribute definition as it is now. */
export const readDefinition = async (
  store: Pick<Store, 'get'>,
  name: string,
): Promise<AttributeDefinition | undefined> =>
  (await store.get(attributeKey(name)))?.data as AttributeDefinition | undefined

/**
 * Judges a user's attributes against the definitions as they are now; see checkAttributes for what it throws. Answers
 * the definitions among them that nobody has been given a value of yet.
 */
export async function checkAgainstDefinitions(
  store: Pick<Store, 'get'>,
  attributes: readonly (GivenAttribute | undefined)[],
): Promise<AttributeDefinition[]> {
  const names = [...new Set(attributes.flatMap((given) => given?.name ?? []))]
  const definitions = await Promise.all(names.map((name) => readDefinition(store, name)))
  const found = new Map(names.map((name, index) => [name, definitions[index]]))
  checkAttributes(attributes, (name) => found.get(name))
  return definitions.filter((one) => one !== undefined && !one.used) as AttributeDefinition[]
}

/**
 * Notes for good that somebody is about to be given values, before he is: they are judged by the types as they were
 * read, and from now on those cannot change. Stale where one has changed meanwhile; nothing to do after the first time.
 */
export async function noteUse(store: Pick<Store, 'write'>, unused: readonly AttributeDefinition[]): Promise<void> {
  if (unused.length === 0) return
  await store.write(
    unused.map(({ technical_name, attribute_type }) => ({
      update: attributeKey(technical_name),
      change: 'SET #data.#used = :used',
      if: '#data.#attribute_type = :attribute_type',
      values: { used: true, attribute_type },
    })),
    'aside',
  )
}

/** The names of all definitions, and the places where further ones would go: there are no more than places. */
export async function readPlaces(store: Pick<Store, 'query'>): Promise<{ names: string[]; free: number[] }> {
  const taken = await all(store, definitionPlaces)
  const keys = new Set(taken.map(({ sk }) => sk))
  const every = Array.from({ length: DEFINITION_PLACES }, (_, place) => place)
  return {
    names: taken.map((item) => String(item['name'])),
    free: every.filter((place) => !keys.has(definitionPlaceKey(place).sk)),
  }
}

/** Takes a place for a definition; stale where somebody else has taken it meanwhile. */
export const takingPlace = (place: number, name: string): Action => ({
  put: { ...definitionPlaceKey(place), name },
  if: 'attribute_not_exists(#pk)',
})

/** All definitions as they were a moment ago. */
export async function allDefinitions({ store }: Pick<Context, 'store'>): Promise<AttributeDefinition[]> {
  const { names } = await readPlaces(store)
  const items = await Promise.all(names.map((name) => store.getSoon(attributeKey(name))))
  return items.flatMap((item) => (item ? [item.data as AttributeDefinition] : []))
}
