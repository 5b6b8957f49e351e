import { readdirSync } from 'node:fs'

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

const folder = new URL('../../schemas/', import.meta.url)
const noSchemas = ['contract.ts', 'contracts.ts', 'errors.ts', 'compiled.d.ts']

/** Schemas of the document: those that schemas/ exports by name stand once under components, the rest where it is used. */
export type Shared = {
  /** The schema with each shared one inside it as a reference. */
  schema: (schema: object) => object
  /** The shared ones that were used. */
  used: () => Record<string, object>
}

/** Finds the exported object schemas; one and the same object in two places is one component. */
export async function sharedSchemas(): Promise<Shared> {
  const names = new Map<unknown, string>()
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.ts') && !noSchemas.includes(name)))
    for (const [name, value] of Object.entries(await import(new URL(file, folder).href)))
      if (isObjectSchema(value) && !names.has(value)) names.set(value, componentName(name, names))
  const used = new Map<string, object>()

  const written = (value: unknown): Json => {
    const name = names.get(value)
    if (name === undefined) return inside(value)
    if (!used.has(name)) {
      // Its place is taken first, in case it refers to itself.
      used.set(name, {})
      used.set(name, inside(value) as object)
    }
    return { $ref: `#/components/schemas/${name}` }
  }
  const inside = (value: unknown): Json => {
    if (Array.isArray(value)) return value.map(written)
    if (typeof value !== 'object' || value === null) return value as Json
    const parts = Object.entries(value).map(([key, part]): [string, Json] => [key, written(part)])
    // To JSON Schema an object without properties may have any; generators of clients want to be told.
    return Object.fromEntries(isAnyObject(value) ? [...parts, ['additionalProperties', true]] : parts)
  }
  return {
    schema: (schema) => written(schema) as object,
    used: () => Object.fromEntries([...used].sort(([a], [b]) => (a < b ? -1 : 1))),
  }
}

const isAnyObject = (value: object): boolean =>
  'type' in value &&
  [value.type].flat().includes('object') &&
  !('properties' in value || 'additionalProperties' in value)

const isObjectSchema = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && 'properties' in value && 'additionalProperties' in value

function componentName(name: string, taken: ReadonlyMap<unknown, string>): string {
  const component = name.charAt(0).toUpperCase() + name.slice(1)
  if ([...taken.values()].includes(component)) throw new Error(`Two schemas are exported as ${name}`)
  return component
}
