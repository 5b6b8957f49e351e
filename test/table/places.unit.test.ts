import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareBytes } from '../../domain/base/text.ts'
import { endOf } from '../../domain/table/items.ts'
import {
  catalogue,
  catalogueKeys,
  channelList,
  groupList,
  idOfSortKey,
  justBefore,
  nameSortKey,
  PRESENT,
  sortKey,
  sortKeyAt,
  sortValueOf,
  textOfValue,
  ttlOf,
  userList,
  valueOfText,
  valueOrNull,
} from '../../domain/table/keys.ts'

const name = fc.string({ unit: fc.constantFrom(...'ab ä字\u{1f600}'), maxLength: 5 })
const id = fc.string({ unit: fc.constantFrom(...'abc-_~'), minLength: 1, maxLength: 5 })

describe('a place', () => {
  it('orders by value, then by id; without a value it comes last', () => {
    fc.assert(
      fc.property(fc.option(name, { nil: undefined }), fc.option(name, { nil: undefined }), id, id, (a, b, x, y) => {
        const order = (one: string | undefined, other: string | undefined) =>
          one === undefined || other === undefined
            ? Number(one === undefined) - Number(other === undefined)
            : compareBytes(one, other)
        const expected = order(a, b) || compareBytes(x, y)
        expect(Math.sign(compareBytes(sortKey(a, x), sortKey(b, y)))).toBe(Math.sign(expected))
      }),
    )
  })

  it('orders by last name, first name and id', () => {
    fc.assert(
      fc.property(name, name, name, name, id, id, (a, b, c, d, x, y) => {
        const expected = compareBytes(a, b) || compareBytes(c, d) || compareBytes(x, y)
        expect(Math.sign(compareBytes(nameSortKey(a, c, x), nameSortKey(b, d, y)))).toBe(Math.sign(expected))
      }),
    )
  })

  it('says its value and its id', () => {
    fc.assert(
      fc.property(fc.option(name, { nil: undefined }), id, (value, one) => {
        const whole = sortKey(value, one)
        expect(idOfSortKey(whole)).toBe(one)
        expect(sortKeyAt(sortValueOf(whole), one)).toBe(whole)
        expect(valueOrNull(sortValueOf(whole)) === null).toBe(value === undefined)
      }),
    )
    expect(valueOrNull(sortValueOf(sortKey('a1', 'x')))).toBe(sortValueOf(sortKey('a1', 'x')))
    expect([sortKey('a', 'x')[0], sortKey(undefined, 'x')[0] === PRESENT]).toEqual([PRESENT, false])
    expect(idOfSortKey(nameSortKey('a', 'b', 'c'))).toBe('c')
    expect(sortValueOf(nameSortKey('a', 'b', 'c'))).toBe(sortValueOf(sortKey('a', 'x')))
  })

  it('says what its value is as text', () => {
    expect(['', 'a', 'ä'].map(valueOfText).map(textOfValue)).toEqual(['', 'a', 'ä'])
    expect(sortKey('a', 'x')).toBe(sortKeyAt(valueOfText('a'), 'x'))
  })

  it('has nothing between it and the text just before it', () => {
    fc.assert(
      fc.property(fc.tuple(name, id), fc.tuple(name, id), ([a, x], [b, y]) => {
        const [one, other] = [sortKey(a, x), sortKey(b, y)]
        const before = justBefore(one)
        expect(compareBytes(before, one)).toBeLessThan(0)
        if (compareBytes(other, one) < 0) expect(compareBytes(other, before)).toBeLessThan(0)
      }),
    )
    expect(justBefore('ab')).toBe(endOf('aa'))
  })

  it('is short enough for a key, whatever the names', () => {
    const long = '字'.repeat(1000)
    expect(Buffer.byteLength(nameSortKey(long, long, 'i'.repeat(36)))).toBeLessThanOrEqual(1024)
    expect(Buffer.byteLength(sortKey(long, 'i'.repeat(36)))).toBeLessThanOrEqual(1024)
    expect(Buffer.byteLength(sortKey(long, 'i'))).toBeGreaterThan(890)
    expect(Buffer.byteLength(nameSortKey(long, long, 'i'))).toBeGreaterThan(870)
  })
})

it('lists and catalogues have names that no other has', () => {
  const lists = [
    userList('A', 'B'),
    userList('B', 'A'),
    groupList('A', 'B'),
    groupList('B', 'A'),
    channelList('A', 'B'),
  ]
  lists.push(channelList('B', 'A'))
  expect(new Set(lists).size).toBe(lists.length)
  for (const list of lists) expect(list).toMatch(/^[A-Z]+#[AB]#[AB]$/)
  expect(catalogueKeys('ROLES', 'r')).toEqual({ find: 'ROLES', found: 'r' })
  expect(catalogue('GROUPS')).toEqual({ index: 'find', hash: 'GROUPS' })
})

it.each([
  ['1970-01-01T00:00:10.000Z', 10],
  ['1970-01-01T00:00:10.001Z', 11],
  ['1970-01-01T00:00:09.999Z', 10],
])('what lasts until %s may be dropped from second %i on', (moment, second) => {
  expect(ttlOf(moment)).toBe(second)
})
