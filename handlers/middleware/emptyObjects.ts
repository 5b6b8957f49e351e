import type { Contract, Schema } from '../../schemas/contract.ts'

/**
 * A merge patch without those of its objects that have no members: they change nothing, also where the record has no value
 * yet or requires members. An empty object in place of another type stays, to be refused; any other body stays as it is.
 */
export function withoutEmptyObjects(patch: unknown, { mergePatch, body, item }: Contract): unknown {
  if (!mergePatch || !isObject(patch)) return patch
  const { properties } = (item ? (item.properties as Properties)['body'] : body) as { properties: Properties }
  const entries = Object.entries(patch)
  const telling = entries.filter(([name, value]) => !(isEmpty(value) && takesObjects(properties, name)))
  return telling.length === entries.length ? patch : Object.fromEntries(telling)
}

type Properties = Readonly<Record<string, Schema>>

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isEmpty = (value: unknown): boolean => isObject(value) && Object.keys(value).length === 0

const takesObjects = (properties: Properties, name: string): boolean =>
  Object.hasOwn(properties, name) && [properties[name]?.type].flat().includes('object')
