import { isObject } from '../request/input.ts'
import { isSameName, named, type ResourceSchema, ROLLCALL_URN, type ScimAttribute } from './schema.ts'

/** A SCIM resource as JSON. */
export type Resource = Readonly<Record<string, unknown>>

/** What no resource keeps of what was sent: we make these ourselves. */
const made = ['schemas', 'id', 'meta', 'groups']

/** Whether a value means that an attribute is unassigned (RFC 7643, section 2.5). We take empty texts so, too. */
export const isUnassigned = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)

/**
 * What was sent, with names as the schema spells them. Unknown attributes are left out, and so is what is unassigned;
 * null stays in our extension only, which changes by what is sent. A value of any form stays as it is, to be refused by
 * mapping.ts if it is stored.
 */
export function canonical(sent: Resource, { core, extensions }: ResourceSchema): Resource {
  const found = new Map<string, unknown>()
  for (const [name, value] of Object.entries(sent)) {
    const [urn, attributes] = [...extensions].find(([one]) => isSameName(one, name)) ?? []
    const attribute = named(core, name)
    if (urn && isObject(value)) found.set(urn, canonicalObject(value, attributes, urn === ROLLCALL_URN))
    else if (attribute && !made.includes(attribute.name) && !isUnassigned(value))
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

/** A value in the form of its attribute: a list where there can be several, an object where there are sub-attributes. */
export function canonicalValue(value: unknown, attribute: ScimAttribute): unknown {
  if (attribute.multiValued)
    return (Array.isArray(value) ? value : [value]).map((one) => canonicalElement(one, attribute))
  // Clients send a manager as a list of one.
  return canonicalElement(Array.isArray(value) && attribute.sub && value.length === 1 ? value[0] : value, attribute)
}

/** A bare text in place of an object is its `value`. Clients send booleans as text, in any letter case. */
export function canonicalElement(value: unknown, { sub, type }: ScimAttribute): unknown {
  if (type === 'boolean') return truthOf(value) ?? value
  if (!sub) return value
  if (isObject(value)) return canonicalObject(value, sub)
  return named(sub, 'value') && !isUnassigned(value) ? { value } : value
}

/** The boolean that a value is, or is the text of. */
function truthOf(value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value
  const text = typeof value === 'string' ? value.trim().toLowerCase() : undefined
  return text === 'true' ? true : text === 'false' ? false : undefined
}
