import { describe, expect, it } from 'vitest'
import { queryOf } from '../../domain/table/expressions.ts'
import {
  attributePlace,
  firstExhausted,
  havingAttribute,
  userOfWord,
  wordPlace,
  wordsLike,
  wordyPlace,
  wordyUsers,
} from '../../domain/table/places.ts'
import type { Item, Page, Range } from '../../domain/table/store.ts'

describe('a search word', () => {
  it.each(['ann', 'ä', '😀x', '字'.repeat(400)])('%j is found by its beginning', (word) => {
    const { find, found } = wordPlace(word, 'i')
    const { index, hash, beginsWith = '' } = wordsLike(word)
    expect([index, hash]).toEqual(['find', find])
    expect(found.startsWith(beginsWith)).toBe(true)
    expect(Buffer.byteLength(found)).toBeLessThanOrEqual(1024)
    expect(userOfWord({ pk: 'p', sk: 's', found })).toBe('i')
    expect(wordsLike([...word][0] ?? '').hash).toBe(find)
  })

  it('stands beside those with the same first character only, and users of too many words beside none', () => {
    const places = [
      wordPlace('ab', 'i').find,
      wordPlace('b', 'i').find,
      wordPlace('😀', 'i').find,
      wordyPlace('i').find,
    ]
    expect(new Set(places).size).toBe(4)
    expect(wordyPlace('i')).toMatchObject({ found: 'i' })
    expect(wordyUsers).toEqual({ index: 'find', hash: wordyPlace('i').find })
  })
})

it('a value of an attribute has a list of its own', () => {
  const pairs: [string, string][] = [
    ['a', 'b#c'],
    ['a#b', 'c'],
    ['a', 'b'],
    ['b', 'a'],
  ]
  expect(new Set(pairs.map(([name, value]) => attributePlace(name, value, 'i').list)).size).toBe(4)
  for (const [name, value] of pairs) {
    const { list, by_id } = attributePlace(name, value, 'i')
    expect(havingAttribute(name, value)).toEqual({ index: 'by_id', hash: list })
    expect(by_id).toBe('i')
  }
})

describe('several ranges that are read in step', () => {
  /** Lists of so many rows, in pages of two. */
  function reader(sizes: Record<string, number>) {
    const asked: Range[] = []
    const query = async (range: Range): Promise<Page> => {
      asked.push(range)
      const start = Number(range.after?.['at'] ?? 0)
      const end = Math.min(start + 2, sizes[range.hash] ?? 0)
      const items = Array.from({ length: end - start }, (_, n): Item => ({ pk: range.hash, sk: `${start + n}` }))
      return { items, count: items.length, ...(end < (sizes[range.hash] ?? 0) ? { next: { at: end } } : {}) }
    }
    return { asked, query }
  }
  const ranges = (...hashes: string[]): Range[] => hashes.map((hash) => ({ index: 'find', hash }))

  it.each<[Record<string, number>, number, number, number]>([
    [{ a: 5 }, 0, 5, 3],
    [{ a: 9, b: 3 }, 1, 3, 4],
    [{ a: 3, b: 9 }, 0, 3, 4],
    [{ a: 2, b: 1, c: 9 }, 1, 1, 3],
    [{ a: 1, b: 2 }, 0, 1, 2],
    [{ a: 9, b: 0 }, 1, 0, 2],
  ])('%j: the one at %i with %i rows, after %i reads', async (sizes, index, rows, reads) => {
    const store = reader(sizes)
    const shortest = await firstExhausted(store, ranges(...Object.keys(sizes)))
    expect([shortest.index, shortest.rows.map(({ sk }) => sk)]).toEqual([
      index,
      Array.from({ length: rows }, (_, n) => `${n}`),
    ])
    expect(store.asked).toHaveLength(reads)
  })

  it('read few rows first where there is more than one', async () => {
    const one = reader({ a: 5 })
    await firstExhausted(one, ranges('a'))
    expect(one.asked.map(({ limit }) => limit)).toEqual([undefined, undefined, undefined])
    const two = reader({ a: 3, b: 9 })
    await firstExhausted(two, ranges('a', 'b'))
    expect(two.asked.map(({ limit, after }) => [limit, after])).toEqual([
      [500, undefined],
      [500, undefined],
      [undefined, { at: 2 }],
      [undefined, { at: 2 }],
    ])
  })
})

describe('a range as DynamoDB is asked for it', () => {
  it.each<[Range, object, string]>([
    [{ hash: 'h' }, { '#hash': 'pk' }, '#hash = :hash'],
    [{ hash: 'h', from: 'f' }, { '#hash': 'pk', '#sort': 'sk' }, '#hash = :hash AND #sort > :from'],
    [{ hash: 'h', index: 'find', to: 't' }, { '#hash': 'find', '#sort': 'found' }, '#hash = :hash AND #sort <= :to'],
    [
      { hash: 'h', index: 'by_id', from: 'f', to: 't' },
      { '#hash': 'list', '#sort': 'by_id' },
      '#hash = :hash AND #sort BETWEEN :from AND :to',
    ],
  ])('%j', (range, names, condition) => {
    const asked = queryOf(range)
    expect(asked).toMatchObject({ KeyConditionExpression: condition, ScanIndexForward: true })
    expect(asked.ExpressionAttributeNames).toEqual(names)
    const { hash, from, to } = range
    expect(asked.ExpressionAttributeValues).toEqual({
      ':hash': hash,
      ...(from === undefined ? {} : { ':from': from }),
      ...(to === undefined ? {} : { ':to': to }),
    })
    expect(asked.IndexName).toBe(range.index)
    expect(Object.keys(asked)).not.toEqual(expect.arrayContaining(['Limit']))
  })

  it('with all that can be said of it', () => {
    const after = { pk: 'p', sk: 's' }
    expect(queryOf({ hash: 'h', descending: true, limit: 3, after, countOnly: true, consistent: true })).toEqual({
      KeyConditionExpression: '#hash = :hash',
      ExpressionAttributeNames: { '#hash': 'pk' },
      ExpressionAttributeValues: { ':hash': 'h' },
      ScanIndexForward: false,
      Limit: 3,
      ExclusiveStartKey: after,
      Select: 'COUNT',
      ConsistentRead: true,
    })
    expect(Object.keys(queryOf({ hash: 'h' })).sort()).toEqual([
      'ExpressionAttributeNames',
      'ExpressionAttributeValues',
      'KeyConditionExpression',
      'ScanIndexForward',
    ])
  })

  it('of a beginning holds what goes on behind it, and nothing else', () => {
    const { ':from': from, ':to': to } = queryOf({ hash: 'h', beginsWith: 'ab' }).ExpressionAttributeValues as Record<
      string,
      string
    >
    expect(from).toBe('ab')
    const isWithin = (text: string) =>
      Buffer.compare(Buffer.from(text), Buffer.from(from as string)) >= 0 &&
      Buffer.compare(Buffer.from(text), Buffer.from(to as string)) <= 0
    expect(['ab', 'ab\u{10ffff}', 'abc', 'ab字'].map(isWithin)).toEqual([true, true, true, true])
    expect(['aa\uffff', 'ac', 'a'].map(isWithin)).toEqual([false, false, false])
  })
})
