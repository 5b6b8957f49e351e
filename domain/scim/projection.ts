import { isObject } from '../request/input.ts'
import type { Resource } from './resource.ts'
import { isSameName, type ResourceSchema, targetOf } from './schema.ts'

/** Which attributes an answer has (RFC 7644, section 3.9). */
export type Projection = {
  /** Whether an attribute is in the answer, by its name in the core schema. */
  has: (name: string) => boolean
  /** Whether the caller has named it. */
  asksFor: (name: string) => boolean
  /** A resource with the wanted attributes only. */
  of: (resource: Resource) => Resource
}

/** Always in an answer. */
const always = ['schemas', 'id']

type Asked = { attributes?: unknown; excludedAttributes?: unknown }

/** Reads `attributes` and `excludedAttributes`, as texts with commas or as lists. Unknown names are ignored. */
export function projectionOf({ attributes, excludedAttributes }: Asked, schema: ResourceSchema): Projection {
  const wanted = pathsIn(attributes, schema)
  const excluded = wanted.length > 0 ? [] : pathsIn(excludedAttributes, schema)
  const names = (paths: readonly (readonly string[])[], name: string) => paths.some(([first]) => first === name)
  return {
    has: (name) => (wanted.length > 0 ? names(wanted, name) : !excluded.some(([one, two]) => one === name && !two)),
    asksFor: (name) => names(wanted, name),
    of: (resource) => {
      if (wanted.length === 0) return excluded.reduce(without, resource)
      const found: Record<string, unknown> = { ...pickAlways(resource) }
      for (const path of wanted) Object.assign(found, pick(resource, path, found))
      return found
    },
  }
}

function pathsIn(names: unknown, schema: ResourceSchema): (readonly string[])[] {
  const list = Array.isArray(names) ? names : typeof names === 'string' ? names.split(',') : []
  return list.flatMap((name) => {
    const target = targetOf(String(name).trim(), schema)
    return target ? [target.keys] : []
  })
}

const pickAlways = (resource: Resource): Resource =>
  Object.fromEntries(Object.entries(resource).filter(([name]) => always.some((one) => isSameName(one, name))))

/** The part of a resource that a path names, together with what was picked of the same attribute before. */
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
