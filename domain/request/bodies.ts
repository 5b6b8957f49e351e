import type { CompiledContract, Schema } from '../../schemas/contract.ts'
import { isNested, isObject } from '../base/values.ts'

// Bodies: what makes no difference in them, and texts that are damaged.

/** A body without outer white space and, in a merge patch, without empty objects: both make no difference. */
export const normalized = (body: unknown, contract: CompiledContract): unknown =>
  withoutEmptyObjects(contract.trims ? trimmed(body, contract.trims) : body, contract)

/**
 * A merge patch without its empty objects: they change nothing, even if the record has no value yet, or the schema requires
 * members. If the schema allows no object, an empty object stays, so that it is refused.
 */
function withoutEmptyObjects(patch: unknown, { mergePatch, body, item }: CompiledContract): unknown {
  if (!mergePatch || !isObject(patch)) return patch
  const { properties } = (item ? (item.properties as Properties)['body'] : body) as { properties: Properties }
  const entries = Object.entries(patch)
  const kept = entries.filter(([name, value]) => !(isEmpty(value) && takesObjects(properties, name)))
  return kept.length === entries.length ? patch : Object.fromEntries(kept)
}

type Properties = Readonly<Record<string, Schema>>

const isEmpty = (value: unknown): boolean => isObject(value) && Object.keys(value).length === 0

const takesObjects = (properties: Properties, name: string): boolean =>
  Object.hasOwn(properties, name) && [properties[name]?.type].flat().includes('object')

// Texts that are damaged, or have white space around them.

/** The fault of a text with U+FFFD: decoders put this character in place of bytes that they cannot read. */
export const damage = 'must be UTF-8: it has U+FFFD, which stands for bytes that are not'

const isDamaged = (text: unknown): boolean => typeof text === 'string' && text.includes('\ufffd')

const LONGEST_PLACE = 200
type Node = { value: unknown; place: string }

/** The places of damaged texts in a JSON value, keys included: `tags.3.name`; '' for the value itself. */
export function damagedAt(value: unknown): string[] {
  const found = new Set<string>()
  const nodes: Node[] = [{ value, place: '' }]
  // A list that grows while it is read: recursion would run out of stack on a deeply nested body.
  for (const node of nodes) {
    if (isDamaged(node.value)) found.add(node.place)
    for (const [name, inner] of inside(node)) {
      if (isDamaged(name)) found.add(inner.place)
      nodes.push(inner)
    }
  }
  return [...found]
}

const inside = ({ value, place }: Node): [name: string, Node][] =>
  isNested(value)
    ? Object.entries(value).map(([name, inner]) => [
        name,
        { value: inner, place: `${place}${place && '.'}${name}`.slice(0, LONGEST_PLACE) },
      ])
    : []

type Change = (value: unknown) => unknown

/**
 * A record without white space around the named texts, plain or localized. The same object if there is nothing to trim.
 */
export const trimmed = (record: unknown, names: readonly string[]): unknown =>
  changed(record, names, (value) =>
    Array.isArray(value) ? value.map((one) => changed(one, ['text'], withoutSpace)) : withoutSpace(value),
  )

const withoutSpace: Change = (value) => (typeof value === 'string' ? value.trim() : value)

function changed(record: unknown, names: readonly string[], change: Change): unknown {
  if (typeof record !== 'object' || record === null || Array.isArray(record)) return record
  const entries = Object.entries(record).filter(([name]) => names.includes(name))
  const after = entries.map(([name, value]) => [name, change(value)] as const)
  return after.every(([, value], n) => value === entries[n]?.[1]) ? record : { ...record, ...Object.fromEntries(after) }
}
