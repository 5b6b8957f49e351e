import { describe, expect, it } from 'vitest'
import { firstInOrder } from '../../domain/people/finding/firstInOrder.ts'
import { BudgetSpent, limitedStore, readAlternately, readRange, undefinedIfSpent } from '../../domain/table/budget.ts'
import { endOf, queryOf } from '../../domain/table/items.ts'
import {
  attributeIndexKeys,
  havingAttribute,
  manyWordsIndexKeys,
  sortKey,
  userOfWord,
  usersWithManyWords,
  wordIndexKeys,
  wordsLike,
} from '../../domain/table/keys.ts'
import type { Item, Page, Range } from '../../domain/table/store.ts'

describe('a search word', () => {
  it.each(['ann', 'ä', '😀x', '字'.repeat(400)])('%j is found by its beginning', (word) => {
    const { find, found } = wordIndexKeys(word, 'i')
    const { index, hash, only, beginsWith = '' } = wordsLike(word)
    expect([index, hash, only]).toEqual(['find', find, ['found', 'hint']])
    expect(found.startsWith(beginsWith)).toBe(true)
    expect(Buffer.byteLength(found)).toBeLessThanOrEqual(1024)
    expect(userOfWord({ pk: 'p', sk: 's', found })).toBe('i')
    expect(wordsLike([...word][0] ?? '').hash).toBe(find)
  })

  it('stands beside those with the same first character only, and users of too many words beside none', () => {
    const places = [
      wordIndexKeys('ab', 'i').find,
      wordIndexKeys('b', 'i').find,
      wordIndexKeys('😀', 'i').find,
      manyWordsIndexKeys('i').find,
    ]
    expect(new Set(places).size).toBe(4)
    expect(manyWordsIndexKeys('i')).toMatchObject({ found: 'i' })
    expect(usersWithManyWords).toMatchObject({
      index: 'find',
      hash: manyWordsIndexKeys('i').find,
      only: ['found', 'hint'],
    })
  })
})

it('each value of an attribute has a list', () => {
  const pairs: [string, string][] = [
    ['a', 'b#c'],
    ['a#b', 'c'],
    ['a', 'b'],
    ['b', 'a'],
  ]
  expect(new Set(pairs.map(([name, value]) => attributeIndexKeys(name, value, 'i').list)).size).toBe(4)
  for (const [name, value] of pairs) {
    const { list, by_id } = attributeIndexKeys(name, value, 'i')
    expect(havingAttribute(name, value)).toEqual({ index: 'by_id', hash: list, only: ['pk', 'hint'] })
    expect(by_id).toBe('i')
  }
})

/** Lists of so many rows, in pages of at most so many; a row has a hint of so many bytes. */
function reader(sizes: Record<string, number>, mostRows = 2, hint = '') {
  const asked: Range[] = []
  const query = async (range: Range): Promise<Page> => {
    asked.push(range)
    const size = sizes[range.hash] ?? 0
    const start = Number(range.after?.['at'] ?? 0)
    const end = Math.min(start + Math.min(mostRows, range.limit ?? Number.POSITIVE_INFINITY), size)
    const items = Array.from({ length: end - start }, (_, n): Item => ({ pk: range.hash, sk: `${start + n}`, hint }))
    return { items, count: items.length, ...(end < size ? { next: { pk: range.hash, sk: '', at: end } } : {}) }
  }
  return { asked, query }
}
const plenty = () => ({ bytes: 1e9 })
const rangeOf = (hash: string): Range => ({ index: 'find', hash })

/** Reads lists in step, each with a budget of so many rows; answers which one ended, and what was seen of each. */
async function inStep(store: ReturnType<typeof reader>, hashes: string[], budget = 1e6, byteBudget = plenty()) {
  const seen = hashes.map(() => [] as string[])
  const ended = await readAlternately(
    hashes.map((hash, n) => ({
      range: rangeOf(hash),
      store: limitedStore(store, { rows: budget, byteBudget }),
      onRows: (rows: readonly Item[]) => seen[n]?.push(...rows.map(({ sk }) => sk)),
    })),
  )
  return { ended, seen }
}

describe('several ranges that are read in step', () => {
  it.each<[Record<string, number>, number, number, number]>([
    [{ a: 5 }, 0, 5, 3],
    [{ a: 9, b: 3 }, 1, 3, 4],
    [{ a: 3, b: 9 }, 0, 3, 4],
    [{ a: 2, b: 1, c: 9 }, 1, 1, 3],
    [{ a: 1, b: 2 }, 0, 1, 2],
    [{ a: 9, b: 0 }, 1, 0, 2],
  ])('%j: the one at %i with %i rows, after %i reads', async (sizes, index, rows, reads) => {
    const store = reader(sizes)
    const { ended, seen } = await inStep(store, Object.keys(sizes))
    expect([ended, seen[index]]).toEqual([index, Array.from({ length: rows }, (_, n) => `${n}`)])
    expect(store.asked).toHaveLength(reads)
  })

  it('are read in larger and larger pages, up to what DynamoDB gives', async () => {
    const large = reader({ a: 20_000 }, 1e6)
    await inStep(large, ['a'])
    expect(large.asked.map(({ limit }) => limit)).toEqual([500, 2000, 8000, 8000, 8000])
    // DynamoDB Local counts whole items, so that its pages end early.
    const local = reader({ a: 3000 }, 900)
    await inStep(local, ['a'])
    expect(local.asked.map(({ limit }) => limit)).toEqual([500, 2000, 900, 900])
  })

  it('are left once their budget is spent; the others go on', async () => {
    const store = reader({ a: 9, b: 4 }, 3)
    expect((await inStep(store, ['a', 'b'], 3)).ended).toBe(undefined)
    expect(store.asked.map(({ hash, limit }) => [hash, limit])).toEqual([
      ['a', 3],
      ['b', 3],
    ])
    const first = {
      range: rangeOf('a'),
      store: limitedStore(store, { rows: 1, byteBudget: plenty() }),
      onRows: () => {},
    }
    const second = {
      range: rangeOf('b'),
      store: limitedStore(store, { rows: 9, byteBudget: plenty() }),
      onRows: () => {},
    }
    expect(await readAlternately([first, second])).toBe(1)
  })
})

describe('a budget', () => {
  it('ends with its rows', async () => {
    const store = reader({ a: 9 }, 100)
    const seen: string[] = []
    const onRows = (rows: readonly Item[]) => seen.push(...rows.map(({ sk }) => sk))
    expect(
      await readRange({ store: limitedStore(store, { rows: 5, byteBudget: plenty() }), range: rangeOf('a'), onRows }),
    ).toBe(false)
    expect(seen).toHaveLength(5)
    expect(
      await readRange({
        store: limitedStore(store, { rows: 9, byteBudget: plenty() }),
        range: rangeOf('a'),
        onRows: () => {},
      }),
    ).toBe(true)
  })

  it('ends with the bytes that several share', async () => {
    const store = reader({ a: 9, b: 9 }, 1, 'x'.repeat(850))
    const byteBudget = { bytes: 5000 }
    const { ended, seen } = await inStep(store, ['a', 'b'], 100, byteBudget)
    expect([ended, seen.flat().length]).toEqual([undefined, 5])
  })

  it('counts records as many rows', () => {
    const byteBudget = { bytes: 10_000 }
    const store = limitedStore(reader({}), { rows: 40, byteBudget })
    expect([store.reserveRecords(3), store.reserveRecords(2), store.reserveRecords(1)]).toEqual([false, true, false])
    expect(byteBudget.bytes).toBe(10_000 - 2 * 4096)
    expect(limitedStore(reader({}), { rows: 1000, byteBudget }).reserveRecords(1)).toBe(false)
  })

  it('is spent at its last row, byte and record, and not before', async () => {
    const bare = async (): Promise<Page> => ({ items: [{ pk: 'p', sk: 's' }], count: 1 })
    const left = { bytes: 300 }
    const store = limitedStore({ query: bare }, { rows: 9, byteBudget: left })
    const range = { hash: 'a', only: ['pk'] }
    await store.query(range)
    expect(left.bytes).toBe(150)
    await store.query(range)
    await expect(store.query(range)).rejects.toBeInstanceOf(BudgetSpent)
    const [byteBudget, few] = [{ bytes: 2 * 4096 }, limitedStore({ query: bare }, { rows: 33, byteBudget: plenty() })]
    expect(limitedStore({ query: bare }, { rows: 32, byteBudget }).reserveRecords(2)).toBe(true)
    expect(byteBudget.bytes).toBe(0)
    expect([few.reserveRecords(2), (await few.query({ hash: 'a' })).count]).toEqual([true, 1])
    await expect(few.query({ hash: 'a' })).rejects.toBeInstanceOf(BudgetSpent)
  })

  it('gets back what a page under way leaves of it, and is waited for so long', async () => {
    const store = reader({ a: 2, b: 9 }, 100)
    const limited = limitedStore(store, { rows: 5, byteBudget: plenty() })
    const pages = await Promise.all([limited.query({ hash: 'a', limit: 5 }), limited.query({ hash: 'b', limit: 5 })])
    expect(pages.map(({ count }) => count)).toEqual([2, 3])
    expect(store.asked.map(({ limit }) => limit)).toEqual([5, 3])
    // As long as a row is left, nothing is waited for.
    const limits: (number | undefined)[] = []
    const slow = limitedStore(
      { query: ({ limit }) => new Promise<Page>(() => limits.push(limit)) },
      { rows: 6, byteBudget: plenty() },
    )
    void slow.query({ hash: 'a', limit: 5 })
    void slow.query({ hash: 'a', limit: 5 })
    void slow.query({ hash: 'a', limit: 5 })
    await new Promise((resolve) => setImmediate(resolve))
    expect(limits).toEqual([5, 1])
    const open = reader({ a: 1 })
    await limitedStore(open, { rows: 1e6, byteBudget: plenty() }).query({ hash: 'a' })
    expect(open.asked).toStrictEqual([{ hash: 'a', limit: 2000 }])
    await readRange({
      store: limitedStore(open, { rows: 1e6, byteBudget: plenty() }),
      range: rangeOf('a'),
      onRows: () => {},
    })
    expect(open.asked[1]).toStrictEqual({ ...rangeOf('a'), limit: 2000 })
  })

  it('counts the bytes of whole rows, names and values, and takes rows that are only counted to be as large', async () => {
    const row: Item = { pk: 'p', sk: 'ß', hint: 'x'.repeat(85), n: 5 }
    const [budget, asked] = [{ bytes: 10_000 }, [] as (number | undefined)[]]
    const query = async ({ limit, countOnly }: Range): Promise<Page> => {
      asked.push(limit)
      return { items: countOnly ? [] : [row, row], count: 2 }
    }
    const store = limitedStore({ query }, { byteBudget: budget })
    await store.query({ hash: 'a' })
    // No row is smaller than 120 bytes, until one has been seen.
    expect([asked, budget.bytes]).toEqual([[83], 9804])
    await store.query({ hash: 'a', countOnly: true })
    expect([asked[1], budget.bytes]).toEqual([100, 9608])
    await store.query({ hash: 'a', limit: 7 })
    expect(asked[2]).toBe(7)
  })

  it('keeps no more bytes for a page under way than a page can have', async () => {
    const asked: (number | undefined)[] = []
    const query = ({ limit }: Range) => new Promise<Page>(() => asked.push(limit))
    const store = limitedStore({ query }, { byteBudget: { bytes: 1024 * 1024 + 1200 } })
    void store.query({ hash: 'a', limit: 9000 })
    void store.query({ hash: 'a', limit: 9000 })
    await new Promise((resolve) => setImmediate(resolve))
    expect(asked).toEqual([8748, 10])
  })

  it('is spent at once where it cannot be enough for the rows that are needed', async () => {
    const [budget, open] = [{ bytes: 1e6 }, reader({ a: 4000 }, 100, 'x'.repeat(950))]
    // 1,000 rows of about 1,000 bytes, with a margin of a tenth.
    const needing = (needed: number) => limitedStore(open, { byteBudget: { ...budget }, needed })
    const [enough, tooLittle] = [needing(1080), needing(1180)]
    const range = { hash: 'a', limit: 100 }
    await enough.query(range)
    await enough.query(range)
    await tooLittle.query(range)
    await expect(tooLittle.query(range)).rejects.toBeInstanceOf(BudgetSpent)
    await expect(needing(9200).query(range)).rejects.toBeInstanceOf(BudgetSpent)
    // A page that has come no longer holds a part of the budget.
    const large = reader({ a: 4000 }, 800, 'x'.repeat(950))
    const afterLargePage = limitedStore(large, { byteBudget: { ...budget }, needed: 1090 })
    await afterLargePage.query(range)
    await afterLargePage.query({ hash: 'a', limit: 800 })
    await expect(afterLargePage.query(range)).rejects.toBeInstanceOf(BudgetSpent)
  })

  it('holds for records that a store reads one by one', async () => {
    const getEventual = async () => ({ pk: 'p', sk: 's' })
    const store = limitedStore({ ...reader({}), getEventual }, { byteBudget: { bytes: 2 * 4096 } })
    expect([await store.getEventual(), await store.getEventual()]).toEqual([
      { pk: 'p', sk: 's' },
      { pk: 'p', sk: 's' },
    ])
    await expect(store.getEventual()).rejects.toBeInstanceOf(BudgetSpent)
    expect(Object.keys(limitedStore({ query: reader({}).query }, { byteBudget: plenty() }))).not.toContain(
      'getEventual',
    )
  })

  it('is not what other failures are about', () => {
    expect(undefinedIfSpent(new BudgetSpent())).toBe(undefined)
    expect(() => undefinedIfSpent(new TypeError('else'))).toThrow('else')
  })
})

describe('a walk through lists in their order', () => {
  // The values of rows in their order: those of the first list, and of another one behind it.
  const [first, second] = [[...'aabbbc'], [...'cd']]
  const rowsOf = (list: string, leads: string[]) =>
    leads.map((lead, n): Item => ({ pk: `${list}${n + 1}`, sk: 's', by_email: sortKey(lead, `${n}`) }))
  const lists: Record<string, Item[]> = { L: rowsOf('L', first), M: rowsOf('M', second) }
  const query = async ({ hash, limit = 0, after, descending }: Range): Promise<Page> => {
    const all = descending ? (lists[hash] ?? []).toReversed() : (lists[hash] ?? [])
    const start = Number(after?.sk ?? 0)
    const items = all.slice(start, start + limit)
    return {
      items,
      count: items.length,
      ...(items.length === limit ? { next: { pk: hash, sk: `${start + limit}` } } : {}),
    }
  }
  /** So much do six rows of one list cost, and so many records. */
  const sixAnd = (records: number) => 6 + 16 * records
  const usual = {
    ...{ segments: [['L']], order: { index: 'by_email', descending: false }, keep: (_row: Item): boolean => true },
    ...{ wholeTiesOnly: false, needsRecords: false, most: 10, countUpTo: 0 },
  }
  type Case = Partial<typeof usual> & { rows: number }

  it.each<[Case, string, seen: number, end: 'over' | 'stuck' | 'spent or enough']>([
    [{ rows: 100 }, 'L1 L2 L3 L4 L5 L6', 6, 'over'],
    [{ rows: 100, most: 6 }, 'L1 L2 L3 L4 L5 L6', 6, 'over'],
    [{ rows: 100, most: 2 }, 'L1 L2', 2, 'spent or enough'],
    [{ rows: 100, most: 2, countUpTo: 4 }, 'L1 L2', 4, 'spent or enough'],
    [{ rows: 100, most: 5, countUpTo: 10 }, 'L1 L2 L3 L4 L5', 6, 'spent or enough'],
    [{ rows: 100, most: 0, countUpTo: 0 }, '', 0, 'spent or enough'],
    [{ rows: 100, keep: ({ pk }) => pk > 'L3' }, 'L4 L5 L6', 3, 'over'],
    [{ rows: 100, order: { index: 'by_created_at', descending: true } }, 'L6 L5 L4 L3 L2 L1', 6, 'over'],
    // A run counts once the next one begins, or the lists are over.
    [{ rows: 100, wholeTiesOnly: true, most: 1 }, 'L1 L2', 2, 'spent or enough'],
    [{ rows: 100, wholeTiesOnly: true, most: 3 }, 'L1 L2 L3 L4 L5', 5, 'spent or enough'],
    [{ rows: 100, wholeTiesOnly: true, most: 6 }, 'L1 L2 L3 L4 L5 L6', 6, 'over'],
    // Each record that is read costs as much as many rows.
    [{ rows: sixAnd(6) + 1, needsRecords: true, most: 1 }, 'L1 L2 L3 L4 L5 L6', 6, 'over'],
    [{ rows: sixAnd(4), needsRecords: true }, 'L1 L2 L3 L4', 4, 'spent or enough'],
    [{ rows: sixAnd(4), needsRecords: true, wholeTiesOnly: true }, 'L1 L2', 4, 'spent or enough'],
    [{ rows: sixAnd(2), needsRecords: true, wholeTiesOnly: true }, '', 2, 'stuck'],
    [{ rows: sixAnd(0), needsRecords: true }, '', 0, 'spent or enough'],
    // One segment behind the other: the last run of the first is over, whatever the second begins with.
    [{ rows: 100, segments: [['L'], ['M']] }, 'L1 L2 L3 L4 L5 L6 M1 M2', 8, 'over'],
    [{ rows: 100, segments: [['M'], ['L']], wholeTiesOnly: true, most: 1 }, 'M1', 1, 'spent or enough'],
    [
      { rows: 8 + 16 * 7, segments: [['L'], ['M']], needsRecords: true, wholeTiesOnly: true },
      'L1 L2 L3 L4 L5 L6',
      7,
      'spent or enough',
    ],
  ])('%j', async ({ rows, ...more }, found, seen, end) => {
    const order = more.order ?? usual.order
    for (const all of Object.values(lists)) for (const row of all) row[order.index] = row['by_email']
    const walk = await firstInOrder(limitedStore({ query }, { rows, byteBudget: plenty() }), {
      ...usual,
      ...more,
    })
    expect(walk.rows.map(({ pk }) => pk).join(' ')).toBe(found)
    expect([walk.seen, walk.isOver, walk.isStuck]).toEqual([seen, end === 'over', end === 'stuck'])
  })

  it('reads so many rows first as are likely needed, and throws what is no budget', async () => {
    const asked: (number | undefined)[] = []
    const noting = (range: Range) => query(range).finally(() => asked.push(range.limit))
    await firstInOrder(limitedStore({ query: noting }, { rows: 100, byteBudget: plenty() }), { ...usual, most: 3 })
    expect(asked).toEqual([3, 3])
    const broken = async () => {
      throw new TypeError('else')
    }
    await expect(
      firstInOrder(limitedStore({ query: broken }, { rows: 9, byteBudget: plenty() }), usual),
    ).rejects.toThrow('else')
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

  it.each<[Range, from: string | undefined, to: string | undefined]>([
    [{ hash: 'h' }, 's', endOf()],
    [{ hash: 'h', from: 'f' }, 's', endOf()],
    [{ hash: 'h', to: 't' }, 's', 't'],
    [{ hash: 'h', from: 'f', to: 't' }, 's', 't'],
    [{ hash: 'h', beginsWith: 'b' }, 's', endOf('b')],
    [{ hash: 'h', descending: true }, undefined, 's'],
    [{ hash: 'h', descending: true, to: 't' }, undefined, 's'],
    [{ hash: 'h', descending: true, from: 'f', to: 't' }, 'f', 's'],
    [{ hash: 'h', descending: true, beginsWith: 'b' }, 'b', 's'],
    // Both together are inclusive, so nothing can be added here.
    [{ hash: 'h', descending: true, from: 'f' }, 'f', undefined],
  ])('%j where it goes on', (range, from, to) => {
    const after = { pk: 'h', sk: 's' }
    const { ExpressionAttributeValues: values, ExclusiveStartKey } = queryOf({ ...range, after })
    expect(values).toEqual({ ':hash': 'h', ...(from ? { ':from': from } : {}), ...(to ? { ':to': to } : {}) })
    expect(ExclusiveStartKey).toEqual(after)
    const ofIndex = queryOf({ ...range, index: 'find', after: { ...after, found: 'x', sk: '' } })
    expect(Object.values(ofIndex.ExpressionAttributeValues ?? {}).includes('x')).toBe(to === 's' || from === 's')
  })

  it('with all that can be said of it', () => {
    const after = { pk: 'p', sk: 's' }
    const only = ['found', 'hint']
    expect(queryOf({ hash: 'h', descending: true, limit: 3, after, consistent: true, only, countOnly: true })).toEqual({
      KeyConditionExpression: '#hash = :hash AND #sort <= :to',
      ProjectionExpression: '#only0, #only1',
      ExpressionAttributeNames: { '#hash': 'pk', '#sort': 'sk', '#only0': 'found', '#only1': 'hint' },
      ExpressionAttributeValues: { ':hash': 'h', ':to': 's' },
      Select: 'COUNT',
      ScanIndexForward: false,
      Limit: 3,
      ExclusiveStartKey: after,
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
