import { readdirSync } from 'node:fs'
import type { AnyFields, Json } from '../../schemas/reference/describe.ts'

const folder = new URL('../../schemas/', import.meta.url)
const noSchemas = ['contract.ts', 'contracts.ts', 'errors.ts', 'compiled.d.ts']

/** A reference to a component of the document. */
export const ref = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` })

type Written = { [key: string]: Json }

/** Schemas of the document: exported schemas of schemas/ become components, all others stay where they are used. */
export type Shared = {
  /** The schema with references to shared schemas, and with the texts of its properties. */
  schema: (schema: object, fields?: AnyFields) => object
  /** The components that were used. */
  used: () => Record<string, object>
}

/** Finds the exported object schemas. The same object in two places becomes one component. */
export async function sharedSchemas(): Promise<Shared> {
  const names = new Map<unknown, string>()
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.ts') && !noSchemas.includes(name)))
    for (const [name, value] of Object.entries(await import(new URL(file, folder).href)))
      if (isObjectSchema(value) && !names.has(value)) names.set(value, componentName(name, names))
  const used = new Map<string, { schema: Json; fields: AnyFields | undefined }>()

  const written = (value: unknown, fields?: AnyFields): Json => {
    const name = names.get(value)
    if (name === undefined) return inside(value, fields)
    const before = used.get(name)
    if (before?.fields && fields && before.fields !== fields) throw new Error(`${name} is described in two ways`)
    if (!before || (fields && !before.fields)) {
      // Added first, in case it refers to itself.
      used.set(name, { schema: {}, fields })
      used.set(name, { schema: inside(value, fields), fields })
    }
    return ref('schemas', name)
  }

  const inside = (value: unknown, fields?: AnyFields): Json => {
    if (Array.isArray(value)) return value.map((one) => written(one))
    if (typeof value !== 'object' || value === null) return value as Json
    const parts = Object.entries(inStandardTerms(value)).map(([key, part]) => [key, keyword(key, part, fields)])
    // Generators of clients need this to allow any properties.
    return Object.fromEntries(isAnyObject(value) ? [...parts, ['additionalProperties', true]] : parts)
  }

  const keyword = (key: string, part: Json, fields?: AnyFields): Json => {
    // Swagger UI shows `not` without a type as if no value was allowed.
    if (key === 'not') return { type: 'string', ...(written(part) as Written) }
    if (key === 'properties' && fields) return described(part as object, fields)
    if (key === 'anyOf') return (part as Json[]).map((one) => written(one, fields))
    return written(part, key === 'items' ? fields : undefined)
  }

  const described = (properties: object, fields: AnyFields): Json =>
    Object.fromEntries(
      Object.entries(properties).map(([name, property]) => {
        const text = fields[name]
        if (!text) throw new Error(`The property ${name} is not described`)
        const [description, of, example] = text
        const schema = written(property, hasFields(property) ? (of as AnyFields) : undefined) as Written
        // The component has examples.
        if ('$ref' in schema) return [name, { ...schema, description }]
        return [name, { ...schema, description, examples: [exampleOf(property, of, example)] }]
      }),
    )
  return {
    schema: (schema, fields) => written(schema, fields) as object,
    used: () =>
      Object.fromEntries([...used].map(([name, { schema }]) => [name, schema as object] as const).sort(byName)),
  }
}

/**
 * A schema in terms that the tools of others take: formats that they do not know are patterns, and types that differ by more than
 * null are separate schemas.
 */
function inStandardTerms(schema: object): object {
  const { format, pattern, ...rest } = schema as { format?: unknown; pattern?: unknown }
  if (format === 'visible') return { ...rest, pattern: `^(?=.*\\S)${String(pattern).slice(1)}` }
  if (format === 'idn-email') return { ...rest, pattern: EMAIL }
  return isUnion(schema) ? oneByOne(schema) : schema
}

/** What every e-mail address looks like, of any script. The service checks more. */
const EMAIL = '^[^\\s@]+@[^\\s@]+$'

type Union = { type: readonly string[]; enum?: readonly unknown[] }

const isUnion = (schema: object): schema is Union =>
  'type' in schema && Array.isArray(schema.type) && schema.type.filter((type) => type !== 'null').length > 1

/** The keywords of schemas that are about one type only. */
const aboutType: Readonly<Record<string, readonly string[]>> = {
  array: ['items', 'minItems', 'maxItems', 'uniqueItems'],
  object: ['properties', 'required', 'additionalProperties', 'minProperties', 'maxProperties'],
  string: ['minLength', 'maxLength', 'pattern', 'format'],
  boolean: [],
  null: [],
}

/** A union of types as a schema for each of them. */
function oneByOne({ type, enum: values, ...rest }: Union): object {
  const keywords = Object.entries(rest)
  const isAboutOne = (name: string): boolean => Object.values(aboutType).some((names) => names.includes(name))
  const only = (one: string) => ({
    type: one,
    ...Object.fromEntries(keywords.filter(([name]) => aboutType[one]?.includes(name))),
    ...(values ? { enum: values.filter((value) => typeOf(value) === one) } : {}),
  })
  return { ...Object.fromEntries(keywords.filter(([name]) => !isAboutOne(name))), anyOf: type.map(only) }
}

const typeOf = (value: unknown): string => (value === null ? 'null' : typeof value)

const byName = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]) => (a < b ? -1 : 1)

const itemsOf = (schema: object): object | undefined =>
  'items' in schema && typeof schema.items === 'object' ? (schema.items ?? undefined) : undefined

/** Whether a schema, or that of its items, has properties, which are described one by one. */
const hasFields = (schema: object): boolean => 'properties' in schema || 'properties' in (itemsOf(schema) ?? {})

/** The example of a property: a separate one, or one made of the examples of its properties. */
function exampleOf(schema: object, of: Json | AnyFields, separate?: Json): Json {
  if (separate !== undefined) return separate
  const items = itemsOf(schema)
  if (items && 'properties' in items) return [exampleOf(items, of)]
  if (!('properties' in schema)) return of as Json
  const parts = Object.entries(schema.properties as Record<string, object>).map(([name, part]): [string, Json] => {
    const [, inside = null, example] = (of as AnyFields)[name] ?? []
    return [name, exampleOf(part, inside, example)]
  })
  return Object.fromEntries(parts)
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
