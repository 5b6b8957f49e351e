import type { ErrorCode } from '../../schemas/errors.ts'
import { errorOf, type Found, faultAt } from '../base/errors.ts'
import { isDay } from '../base/text.ts'
import type { Store } from '../table/store.ts'
import { type AttributeDefinition, definitions } from './attributeDefinition.ts'

/** A user's value of an attribute. */
export type Attribute = { name: string; value: string }

/** An attribute of a request, as far as it can be read at all. */
export type GivenAttribute = { name: string; value?: string | undefined }

/** The editions of the definitions that a user's values were judged by, by technical name; undefined is the first. */
export type Editions = ReadonlyMap<string, number | undefined>

/** Judges a user's attributes by the definitions as they are now; throws what checkAttributes throws. */
export async function checkAgainstDefinitions(
  store: Pick<Store, 'get'>,
  attributes: readonly (GivenAttribute | undefined)[],
): Promise<Editions> {
  const names = [...new Set(attributes.flatMap((given) => given?.name ?? []))]
  const read = names.map(async (name) => [name, await definitions.read(store, name)] as const)
  const found = new Map(await Promise.all(read))
  checkAttributes(attributes, (name) => found.get(name))
  return new Map(names.map((name) => [name, found.get(name)?.edition]))
}

/**
 * Judges a set of attributes by the definitions of their names; `at` is the property that holds them. Throws one error
 * with every fault; its code is the strongest of theirs. An attribute that cannot be read is left to the schema.
 */
export function checkAttributes(
  attributes: readonly (GivenAttribute | undefined)[],
  definitionOf: (name: string) => AttributeDefinition | undefined,
  at = 'attributes',
): void {
  const found: Found[] = []
  const seen = new Set<string>()
  attributes.forEach((given, index) => {
    if (!given) return
    const { name, value } = given
    const add = (code: ErrorCode, field: string, message: string) =>
      found.push(faultAt(code, `${at}.${index}.${field}`, message))
    const definition = definitionOf(name)
    if (seen.has(name)) add('VALIDATION_ERROR', 'name', 'must not be given twice')
    seen.add(name)
    if (!definition) add('NO_USER_ATTRIBUTE_DEFINITION_FOR_NAME_FOUND', 'name', 'names no attribute definition')
    else if (definition.attribute_type === 'DATE' && value !== undefined && !isDay(value))
      add('INVALID_DATE_ATTRIBUTE_FORMAT', 'value', 'must be a date, YYYY-MM-DD')
  })
  const error = errorOf(found)
  if (error) throw error
}
