import type { Contract, Schema } from '../../schemas/contract.ts'

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
export function contractSource(contract: Contract): string {
  const read = Object.entries(contract)
    .filter(([name]) => !unread.has(name))
    .map(
      ([name, value]) => [name, sourceOf(parts.has(name) ? typesIn(value as Schema, contract, name) : value)] as const,
    )
  const orders = Object.entries(contract.answers).flatMap(([status, schema]) => {
    const order = schema ? orderOf(schema) : 0
    return order === 0 ? [] : [[status, orderSource(order)] as const]
  })
  return objectSource([...read, ['order', objectSource(orders)]])
}

/** What the sources of contracts import. */
export const contractImports = "import { inOrder } from '../inOrder.ts'\n"

/** The names of the properties of an answer, in their order, and the orders of those that are objects, or lists of objects. */
export type PropertyOrder = { readonly [name: string]: PropertyOrder | 0 }

/**
 * The order of the properties of what a schema describes; 0 if it is neither an object with known properties nor a list of these. Throws for
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

/** The call of `inOrder` for an order. */
function orderSource(order: PropertyOrder): string {
  const inner = Object.entries(order).flatMap(([name, one]) => (one === 0 ? [] : [[name, orderSource(one)] as const]))
  const arranged = Object.entries(order).map(([name, one]) => {
    const at = `[${JSON.stringify(name)}]`
    return [name, one === 0 ? `v${at}` : `inner${at}(v${at})`] as const
  })
  return `inOrder((v, inner) => (${objectSource(arranged)}), ${objectSource(inner)})`
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
  return objectSource(Object.entries(value).map(([name, one]) => [name, sourceOf(one)]))
}

/** An object with these members, each a source text. */
const objectSource = (members: readonly (readonly [name: string, source: string])[]): string =>
  `{${members.map(([name, source]) => `${JSON.stringify(name)}:${source}`).join(',')}}`
