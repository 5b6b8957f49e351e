import type { ErrorCode } from '../../../schemas/errors.ts'
import { type AppError, type CodedFault, errorOf, faultAt } from '../../base/errors.ts'
import { isDay } from '../../base/moments.ts'
import { asRecord, isReference } from '../../base/values.ts'
import type { Store } from '../../table/store.ts'
import { type AttributeDefinition, definitions } from './attributeDefinition.ts'

// The attributes of a user: patched, and checked by their definitions.

/** A user's value of an attribute. */
export type Attribute = { name: string; value: string }

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
