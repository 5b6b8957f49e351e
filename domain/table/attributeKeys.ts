// Of THE TABLE (keys.ts): what lies around attribute definitions.
import { two } from './keys.ts'
import type { Key, Range } from './store.ts'

/** Places for attribute definitions: so no more can be made of them, however many people make some at the same time. */
export const DEFINITION_PLACES = 50

export const attributeKey = (name: string): Key => ({ pk: `ATTRIBUTE#${name}`, sk: 'ATTRIBUTE' })
/** The technical name of the definition that lies under such a key. */
export const nameOfDefinition = ({ pk }: Key): string => pk.slice('ATTRIBUTE#'.length)
export const definitionPlaceKey = (place: number): Key => ({ pk: 'ATTRIBUTES', sk: two(place) })
/** The names of all attribute definitions. */
export const definitionPlaces: Range = { hash: 'ATTRIBUTES', consistent: true }

/** The attribute of a counter of users that counts who has a value of a definition. */
export const useCount = (name: string): string => `a:${name}`
/** The attribute there that says which edition of a definition values must fit; without it, the first. */
export const editionMark = (name: string): string => `e:${name}`
/** The definition that such an attribute is about, if it says an edition. */
export const markedName = (attribute: string): string | undefined =>
  attribute.startsWith('e:') ? attribute.slice('e:'.length) : undefined

/** That the values which an earlier version of the service wrote have yet to be counted. */
export const countingKey: Key = { pk: 'ATTRIBUTE_WORK', sk: 'COUNT' }
export const attributeWorkLeft: Range = { hash: 'ATTRIBUTE_WORK', consistent: true }
