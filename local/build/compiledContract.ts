import type { Contract, PropertyOrder, Schema } from '../../schemas/contract.ts'

/** Parts of a contract that no function reads: texts, and schemas of answers. */
const unread: ReadonlySet<string> = new Set([
  'title',
  'tag',
  'answers',
  'errors',
  'experimental',
] satisfies (keyof Contract)[])
/** Schemas, which are compiled to validators. */
const parts: ReadonlySet<string> = new Set(['path', 'query', 'body', 'item'] satisfies (keyof Contract)[])

/**
 * The parts of a contract that functions need, as source text. Of schemas these are only the names and types of query parameters
 * and of the properties of patches, and the order of the properties of answers. A function that loaded the contract itself would load all schemas of its feature.
 */
export const contractSource = (contract: Contract): string =>
  sourceOf({
    ...Object.fromEntries(
      Object.entries(contract)
        .filter(([name]) => !unread.has(name))
        .map(([name, value]) => [name, parts.has(name) ? typesIn(value as Schema, contract, name) : value]),
    ),
    order: Object.fromEntries(
      Object.entries(contract.answers).flatMap(([status, schema]) => (schema ? [[status, orderOf(schema)]] : [])),
    ),
  })

/**
 * The order of the properties of what a schema describes; 0 if it is no object with known properties, and no list of these. Throws for
 * alternatives, as an answer does not say which one it is.
 */
export function orderOf(schema: Schema): PropertyOrder | 0 {
  const { properties, items } = schema
  const unordered = ['anyOf', 'oneOf', 'allOf', '$ref', 'patternProperties'].filter((keyword) => keyword in schema)
  if (unordered.length > 0) throw new Error(`The order of properties is not known with ${unordered}`)
  if (items) return orderOf(items as Schema)
  const inner = Object.entries((properties ?? {}) as Record<string, Schema>)
  return inner.length === 0 ? 0 : Object.fromEntries(inner.map(([name, one]) => [name, orderOf(one)]))
}

const typesIn = (schema: Schema, { mergePatch }: Contract, part: string): object =>
  part === 'query' || (part !== 'path' && mergePatch) ? typesOf(schema) : {}

function typesOf({ type, properties }: Schema): object {
  const inner = Object.entries((properties ?? {}) as Record<string, Schema>)
  return {
    ...(type === undefined ? {} : { type }),
    ...(inner.length > 0 ? { properties: Object.fromEntries(inner.map(([name, one]) => [name, typesOf(one)])) } : {}),
  }
}

/** A plain value as source text. It can contain regular expressions, as fault codes do. */
function sourceOf(value: unknown): string {
  if (value instanceof RegExp) return String(value)
  if (Array.isArray(value)) return `[${value.map(sourceOf).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined'
  return `{${Object.entries(value)
    .map(([name, one]) => `${JSON.stringify(name)}:${sourceOf(one)}`)
    .join(',')}}`
}
