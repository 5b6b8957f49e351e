/**
 * Read and write units by the rules that AWS documents. DynamoDB Local's own figures are wrong for transactions and for
 * entries that move within an index, so nothing here asks it.
 */
import type { Item } from '../../domain/table/store.ts'

/** A secondary index: the entry of an item in it, if it has one, is the keys and what is projected. */
export type Index = { name: string; hash: string; range: string; projected: readonly string[] }

const KB = 1024

/** Bytes of an attribute's value: UTF-8 text, two digits of a number to a byte, three bytes for a list or map. */
export function valueSize(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value)
  if (typeof value === 'number') return Math.ceil(String(Math.abs(value)).replace(/^0+|[.]/g, '').length / 2) + 1
  if (Array.isArray(value)) return 3 + value.reduce((sum: number, one) => sum + 1 + valueSize(one), 0)
  if (value instanceof Set) return [...value].reduce((sum: number, one) => sum + valueSize(one), 0)
  if (value instanceof Uint8Array) return value.length
  if (typeof value === 'object' && value !== null)
    return 3 + Object.entries(value).reduce((sum, [name, one]) => sum + 1 + Buffer.byteLength(name) + valueSize(one), 0)
  return 1
}

/** Bytes of an item, or of an index entry; 0 if there is none. */
export const itemSize = (item: object | undefined): number =>
  Object.entries(item ?? {})
    .filter(([, value]) => value !== undefined)
    .reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + valueSize(value), 0)

/** Units of one read of so many bytes: 4 KB each, half of it when the read may lag. Nothing found costs like one. */
export const readUnits = (bytes: number, consistent: boolean): number =>
  Math.max(1, Math.ceil(bytes / (4 * KB))) * (consistent ? 1 : 0.5)

const kilobytes = (bytes: number): number => Math.max(1, Math.ceil(bytes / KB))

/** Units of the write that made `after` of `before`: 1 KB each, of the larger one; twice in a transaction. */
export const tableUnits = (before: Item | undefined, after: Item | undefined, transactional: boolean): number =>
  kilobytes(Math.max(itemSize(before), itemSize(after))) * (transactional ? 2 : 1)

/** Units that all indexes take for it: they follow on their own, outside the transaction. */
export const indexUnits = (before: Item | undefined, after: Item | undefined, indexes: readonly Index[]): number =>
  indexWrites(before, after, indexes).reduce((sum, { units }) => sum + units, 0)

/** The same by partition. */
export const indexWrites = (before: Item | undefined, after: Item | undefined, indexes: readonly Index[]): Use[] =>
  indexes.flatMap((index) => entryWrites(entryOf(before, index), entryOf(after, index), index))

/** Units that a read or write takes of one partition of the table or an index. */
export type Use = { partition: string; units: number }

/** An item's entry in an index; without both of the index's keys it has none. */
export function entryOf(item: Item | undefined, { hash, range, projected }: Index): Item | undefined {
  if (item?.[hash] === undefined || item[range] === undefined) return undefined
  const names = ['pk', 'sk', hash, range, ...projected].filter((name) => item[name] !== undefined)
  return Object.fromEntries(names.map((name) => [name, item[name]])) as Item
}

/** An entry that comes, goes or changes is one write, one whose key changes two: out at one place, in at the other. */
function entryWrites(before: Item | undefined, after: Item | undefined, { name, hash, range }: Index): Use[] {
  const write = (entry: Item, bytes = itemSize(entry)) => ({
    partition: `${name} ${entry[hash]}`,
    units: kilobytes(bytes),
  })
  if (before === undefined || after === undefined)
    return [before ?? after].flatMap((entry) => (entry ? write(entry) : []))
  if (before[hash] !== after[hash] || before[range] !== after[range]) return [write(before), write(after)]
  const isSame = Object.keys({ ...before, ...after }).every((attribute) => before[attribute] === after[attribute])
  return isSame ? [] : [write(after, Math.max(itemSize(before), itemSize(after)))]
}
