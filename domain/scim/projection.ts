import { isObject } from '../base/values.ts'
import { isUnassigned, type Resource } from './resource.ts'
import { isSameName, type ResourceSchema, targetOf } from './schema.ts'
import { invalidValue } from './scimError.ts'

/** Which attributes an answer has (RFC 7644, section 3.9). */
export type Projection = {
  /** Whether the answer has an attribute of the core schema. */
  has: (name: string) => boolean
  /** Whether the caller has named it in `attributes`. */
  asksFor: (name: string) => boolean
  /** A resource with the wanted attributes only. */
  of: (resource: Resource) => Resource
}

/** Attributes that every answer has. */
const always = ['schemas', 'id']

type Asked = { attributes?: unknown; excludedAttributes?: unknown }

/**
 * Reads `attributes` and `excludedAttributes`, texts with commas or lists. Unknown names are ignored: if there are no others, the
 * answer has only `schemas` and `id`.
 */
export function projectionOf({ attributes, excludedAttributes }: Asked, schema: ResourceSchema): Projection {
  const asked = namesIn(attributes)
  const wanted = asked.length > 0 ? pathsOf(asked, schema) : undefined
  const excluded = wanted ? [] : pathsOf(namesIn(excludedAttributes), schema)
  const asksFor = (name: string) => wanted?.some(([first]) => first === name) ?? false
  return {
    has: (name) => (wanted ? asksFor(name) : !excluded.some(([one, two]) => one === name && !two)),
    asksFor,
    of: (resource) => {
      if (!wanted) return excluded.reduce(without, resource)
      const found: Record<string, unknown> = { ...pickAlways(resource) }
      for (const path of wanted) Object.assign(found, pick(resource, path, found))
      return found
    },
  }
}

function namesIn(sent: unknown): string[] {
  const names = [sent].flat().filter((one) => !isUnassigned(one))
  if (!names.every((name) => typeof name === 'string')) throw invalidValue('attributes', 'must be texts')
  return names
    .flatMap((name) => name.split(','))
    .map((name) => name.trim())
    .filter((name) => name !== '')
}

/** The paths of the attributes with these names, each once. */
function pathsOf(names: readonly string[], schema: ResourceSchema): (readonly string[])[] {
  const targets = names.map((name) => targetOf(name, schema)).filter((target) => target !== undefined)
  return [...new Map(targets.map(({ keys }) => [keys.join(), keys])).values()]
}

const pickAlways = (resource: Resource): Resource =>
  Object.fromEntries(Object.entries(resource).filter(([name]) => always.some((one) => isSameName(one, name))))

/** The part of a resource at a path, merged with the parts of the same attribute that were picked before. */
function pick(resource: Resource, [key = '', ...rest]: readonly string[], found: Resource): Resource {
  const value = resource[key]
  if (value === undefined) return {}
  if (rest.length === 0) return { [key]: value }
  const before = found[key]
  if (!Array.isArray(value))
    return isObject(value) ? { [key]: { ...inner(before), ...pick(value, rest, inner(before)) } } : {}
  const elements = value.map((one, n) => {
    const own = Array.isArray(before) ? inner(before[n]) : {}
    return isObject(one) ? { ...own, ...pick(one, rest, own) } : one
  })
  return { [key]: elements }
}

const inner = (value: unknown): Resource => (isObject(value) ? value : {})

function without(resource: Resource, [key = '', ...rest]: readonly string[]): Resource {
  if (always.includes(key) || resource[key] === undefined) return resource
  const { [key]: value, ...others } = resource
  if (rest.length === 0) return others
  const change = (one: unknown) => (isObject(one) ? without(one, rest) : one)
  return { ...resource, [key]: Array.isArray(value) ? value.map(change) : change(value) }
}
