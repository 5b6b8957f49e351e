import type { ErrorCode } from '../../schemas/errors.ts'
import { errorOf, type Found, faultAt } from '../base/errors.ts'
import { isDay } from '../base/moments.ts'

export type AttributeType = 'TEXT' | 'PHONE_NUMBER' | 'DATE'

/** An attribute definition as it is stored. */
export type AttributeDefinition = {
  id: string
  technical_name: string
  title: { language: string; text: string }[]
  attribute_type: AttributeType
  user_permission: 'VIEW' | 'EDIT' | 'HIDDEN'
  predefined: boolean
  created_at: string
  /** Counts how often its type has changed, and how often a definition of this name was deleted. */
  edition?: number
  /** An earlier version of the service noted that somebody was given a value; gone once such values are counted. */
  used?: true
}

/** What is stored in place of a deleted definition, so that the next one of this name has another edition. */
export type DeletedDefinition = { deleted_at: string; edition: number }

/** A user's value of an attribute. */
export type Attribute = { name: string; value: string }

/** An attribute as a request gives it, as far as it can be read at all. */
export type GivenAttribute = { name: string; value?: string | undefined }

/**
 * Judges a set of attributes against the definitions of their names; `at` is the property that holds them.
 * Throws one error with every fault, its code the strongest of them. What could not be read is judged elsewhere.
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
