import { expect, test } from 'vitest'
import { entryOf, type Index, indexUnits, itemSize, readUnits, tableUnits, valueSize } from '../harness/capacity.ts'

// The rules as AWS documents them: "DynamoDB item sizes and formats", "Read/write capacity", "Global secondary indexes".

const item = (parts: object) => ({ pk: 'p', sk: 's', ...parts })
const sized = (bytes: number) => item({ a: 'x'.repeat(bytes - itemSize(item({ a: '' }))) })
const index: Index = { name: 'by_x', hash: 'list', range: 'by_x', projected: ['seen'] }
const units = (before: object | undefined, after: object | undefined) =>
  indexUnits(before && item(before), after && item(after), [index])

test('sizes: UTF-8 names and values, numbers by two digits, three bytes and one per entry for lists and maps', () => {
  expect(itemSize({ name: 'Zoë' })).toBe(4 + 4)
  expect(itemSize({ gone: undefined })).toBe(0)
  expect([0, 7, 42, 123, -123456, 0.5].map(valueSize)).toEqual([1, 2, 2, 3, 4, 2])
  expect([true, null].map(valueSize)).toEqual([1, 1])
  expect(valueSize(['ab', 'c'])).toBe(3 + (1 + 2) + (1 + 1))
  expect(valueSize({ ab: 'c' })).toBe(3 + 1 + 2 + 1)
})

test('reads: 4 KB each, at least one, half of it if they may lag', () => {
  expect([0, 1, 4096, 4097, 10_000].map((bytes) => readUnits(bytes, true))).toEqual([1, 1, 1, 2, 3])
  expect([0, 4097].map((bytes) => readUnits(bytes, false))).toEqual([0.5, 1])
})

test('writes: 1 KB each of the larger of before and after, twice in a transaction', () => {
  expect(tableUnits(undefined, sized(1024), false)).toBe(1)
  expect(tableUnits(undefined, sized(1025), false)).toBe(2)
  expect(tableUnits(sized(3000), sized(100), false)).toBe(3)
  expect(tableUnits(sized(3000), undefined, true)).toBe(6)
  expect(tableUnits(undefined, undefined, true)).toBe(2)
})

test('an index: one write for an entry that comes, goes or changes, two for one that moves, none otherwise', () => {
  const there = { list: 'l', by_x: 'x', seen: 's' }
  expect(units(undefined, there)).toBe(1)
  expect(units(there, undefined)).toBe(1)
  expect(units(there, { ...there, seen: 't' })).toBe(1)
  expect(units(there, { ...there, by_x: 'y' })).toBe(2)
  expect(units(there, { ...there, list: 'm', seen: 't' })).toBe(2)
  expect(units(there, { ...there, hidden: 'what the index does not hold' })).toBe(0)
  expect(units({ list: 'l' }, { list: 'm' })).toBe(0)
})

test('an entry holds the keys and what is projected, and only items with both of its keys have one', () => {
  const whole = { list: 'l', by_x: 'x', seen: 's', hidden: 'h' }
  expect(entryOf(item(whole), index)).toEqual(item({ list: 'l', by_x: 'x', seen: 's' }))
  expect(entryOf(item({ list: 'l' }), index)).toBeUndefined()
})
