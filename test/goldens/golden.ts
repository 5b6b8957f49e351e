import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { marshall, unmarshall } from '@aws-sdk/util-dynamodb'
import type { Item } from '../../domain/table/store.ts'

// What a release has left in its table, and what it answered: the next releases must read both.

/** An item as the database has it; what is binary is text in base64. */
type Packed = Record<string, AttributeValue>

/** A list, or the rest of one, as a release answered it: the ids of its rows in their order. */
export type GoldenList = { endpoint: string; request: object; cursor: string; rest: string[] }
/** A record, as a release answered it. The first part of its tag is that of its own fields. */
export type GoldenRecord = { endpoint: string; request: object; tag: string; body: unknown }

/** A table whose release died while it wrote: how it differs from `base`, and what it answered when it had finished its work. */
export type GoldenCase = { name: string; now: string; put: Packed[]; gone: [string, string][]; after: Looks }

/** What a look at all records shows, by the look's name; null for what does not exist. */
export type Looks = Record<string, unknown>

export type Golden = {
  release: string
  now: string
  base: Packed[]
  /** What is seen of the base. Cases name what is seen otherwise. */
  looks: Looks
  records: GoldenRecord[]
  lists: GoldenList[]
  cases: GoldenCase[]
}

/** An item in a form that JSON keeps. */
export const packItem = (item: Item): Packed =>
  walk(marshall(item, { removeUndefinedValues: true }), (bytes) => ({
    $base64: Buffer.from(bytes).toString('base64'),
  })) as Packed

export const unpackItem = (packed: Packed): Item => unmarshall(walkBack(packed) as Packed) as Item

function walk(value: unknown, encode: (bytes: Uint8Array) => unknown): unknown {
  if (value instanceof Uint8Array) return encode(value)
  if (Array.isArray(value)) return value.map((one) => walk(one, encode))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, walk(one, encode)]))
}

function walkBack(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(walkBack)
  if (typeof value !== 'object' || value === null) return value
  if ('$base64' in value) return new Uint8Array(Buffer.from(String(value.$base64), 'base64'))
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, walkBack(one)]))
}
