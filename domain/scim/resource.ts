import { isObject } from '../base/values.ts'
import { isSameName, named, type ResourceSchema, ROLLCALL_URN, type ScimAttribute } from './schema.ts'
import { invalidValue, ScimError } from './scimError.ts'

/** A SCIM resource as JSON. */
export type Resource = Readonly<Record<string, unknown>>

/** Attributes that the service sets: what clients send for them is ignored. */
const ignored = ['schemas', 'id', 'meta', 'groups']

/** Whether a value means that an attribute is unassigned (RFC 7643, section 2.5). Here an empty text does, too. */
export const isUnassigned = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)

/** A property of an object by its name, in any letter case. */
export const propertyOf = (object: Resource, name: string): unknown =>
  Object.hasOwn(object, name) ? object[name] : Object.entries(object).find(([one]) => isSameName(one, name))?.[1]

/** The value at a path of names; undefined where there is none. */
export const valueAt = (resource: Resource, keys: readonly string[]): unknown =>
  keys.reduce<unknown>((at, key) => (isObject(at) ? at[key] : undefined), resource)

/** A value as text. Some clients send numbers or booleans where we have texts. Throws `invalidValue` for all others. */
export function textOf(value: unknown, path: string): string | undefined {
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value === 'string') return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  throw invalidValue(path, 'must be a text')
}

/** Refuses a body whose `schemas` name none of these. Without `schemas` it is accepted, and others may be named besides. */
export function checkSchemas(body: Resource, known: readonly string[]): void {
  const sent = propertyOf(body, 'schemas')
  if (isUnassigned(sent)) return
  const isKnown = (one: unknown) => typeof one === 'string' && known.some((urn) => isSameName(urn, one))
  if (![sent].flat().some(isKnown)) throw new ScimError('invalidSyntax', `schemas must name ${known[0]}`)
}

/** Refuses an empty text for a required attribute. Null and a missing attribute leave it as it is. */
export function checkNotEmpty(body: Resource, name: string): void {
  if (propertyOf(body, name) === '') throw invalidValue(name, 'must not be empty')
}

/**
 * What was sent, with names spelled as in the schema. Unknown and unassigned attributes are left out. Only in our extension
 * null stays: there only sent attributes change, and null clears. Wrong values stay: mapping.ts refuses those that are stored.
 * Throws `invalidSyntax` for a resource of another type.
 */
export function canonical(sent: Resource, { urn: own, core, extensions }: ResourceSchema): Resource {
  checkSchemas(sent, [own, ...extensions.keys()])
  const found = new Map<string, unknown>()
  for (const [name, value] of Object.entries(sent)) {
    const [urn, attributes] = [...extensions].find(([one]) => isSameName(one, name)) ?? []
    const attribute = named(core, name)
    if (urn && isObject(value)) found.set(urn, canonicalObject(value, attributes, urn === ROLLCALL_URN))
    else if (attribute && !ignored.includes(attribute.name) && !isUnassigned(value))
      found.set(attribute.name, canonicalValue(value, attribute))
  }
  return Object.fromEntries(found)
}

function canonicalObject(sent: Resource, attributes: readonly ScimAttribute[] = [], keepsNull = false): Resource {
  const entries = Object.entries(sent).flatMap(([name, value]) => {
    const attribute = named(attributes, name)
    if (!attribute) return []
    if (isUnassigned(value)) return keepsNull ? [[attribute.name, null]] : []
    return [[attribute.name, canonicalValue(value, attribute)]]
  })
  return Object.fromEntries(entries)
}

/** A value in the form of its attribute: a list if it is multi-valued, an object if it has sub-attributes. */
export function canonicalValue(value: unknown, attribute: ScimAttribute): unknown {
  if (attribute.multiValued)
    return (Array.isArray(value) ? value : [value]).map((one) => canonicalElement(one, attribute))
  // Some clients send a manager as a list of one.
  return canonicalElement(Array.isArray(value) && attribute.sub && value.length === 1 ? value[0] : value, attribute)
}

/** A single value in the form of its attribute. A text in place of an object is its `value`; "True" and "false" are booleans. */
export function canonicalElement(value: unknown, { sub, type }: ScimAttribute): unknown {
  if (type === 'boolean') return truthOf(value) ?? value
  if (!sub) return value
  if (isObject(value)) return canonicalObject(value, sub)
  return named(sub, 'value') && !isUnassigned(value) ? { value } : value
}

/** A boolean, or a text that means one in any letter case; else undefined. */
function truthOf(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value
  const text = typeof value === 'string' ? value.trim().toLowerCase() : undefined
  return text === 'true' ? true : text === 'false' ? false : undefined
}
