import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareBytes } from '../../domain/base/text.ts'
import { endOf, sortOf } from '../../domain/table/items.ts'
import { MISSING, PRESENT, sortKey, sortKeyAt, sortKeyIn } from '../../domain/table/keys.ts'
import { afterTie, isDownwards, listRanges, mergeLists, type Order } from '../../domain/table/lists.ts'
import { beginAll } from '../../domain/table/merge.ts'
import { costOfAmong, isCheaperWhole, listReader } from '../../domain/table/peopleLists.ts'
import type { Item, Page, Range } from '../../domain/table/store.ts'

/** A row of a list, at a place of an index. */
const row = (list: string, index: string, at: string, id: string, role = ''): Item => ({
  pk: `USER#${id}`,
  sk: `S${role}`,
  list,
  [sortOf(index)]: at,
})

/** Answers queries as DynamoDB does, in pages of so many rows at most; notes what it was asked. */
function reader(rows: readonly Item[], index: string, most = 1000) {
  const asked: Range[] = []
  const order = (a: Item, b: Item) =>
    compareBytes(sortKeyIn(a, index), sortKeyIn(b, index)) || compareBytes(a.pk, b.pk) || compareBytes(a.sk, b.sk)
  const query = async (range: Range): Promise<Page> => {
    asked.push(range)
    const { from = range.beginsWith, to, beginsWith, descending, after, limit = most, countOnly } = range
    const within = rows
      .filter((one) => {
        const at = sortKeyIn(one, index)
        const isInclusive = to !== undefined || beginsWith !== undefined
        const isFrom = from === undefined || (isInclusive ? compareBytes(at, from) >= 0 : compareBytes(at, from) > 0)
        const isTo = to === undefined || compareBytes(at, to) <= 0
        return one['list'] === range.hash && isFrom && isTo && (beginsWith === undefined || at.startsWith(beginsWith))
      })
      .sort(order)
    if (descending) within.reverse()
    const behind = after ? within.findIndex(({ pk, sk }) => pk === after['pk'] && sk === after['sk']) + 1 : 0
    const items = within.slice(behind, behind + Math.min(limit, most))
    const last = items.at(-1)
    // A page that its limit has filled has a next one, even if there is nothing more.
    const isFull = items.length === Math.min(limit, most)
    const next = last && { pk: last.pk, sk: last.sk, [sortOf(index)]: sortKeyIn(last, index) }
    return { items: countOnly ? [] : items, count: items.length, ...(next && isFull ? { next } : {}) }
  }
  const getEventual = async ({ pk, sk }: { pk: string; sk: string }) => {
    asked.push({ hash: pk })
    return rows.find((one) => one.pk === pk && one.sk === sk)
  }
  return { query, getEventual, asked }
}

const everything = () => true

/** Takes rows out of a sequence of batches, as many as wanted; fewer at the end. */
function taking(batches: AsyncGenerator<Item[]>) {
  const rows: Item[] = []
  return async (count: number): Promise<Item[]> => {
    while (rows.length < count) {
      const { value, done } = await batches.next()
      if (done) break
      expect(value.length, 'no batch is empty').toBeGreaterThan(0)
      rows.push(...value)
    }
    return rows.splice(0, count)
  }
}
const usual = { keep: everything, likely: 5, more: 3 }

describe('several lists as one', () => {
  const indexes = ['by_email', 'by_created_at', 'by_id', 'find'] as const
  const some = fc.record({
    index: fc.constantFrom(...indexes),
    descending: fc.boolean(),
    backwards: fc.boolean(),
    eager: fc.boolean(),
    most: fc.integer({ min: 1, max: 6 }),
    rows: fc.uniqueArray(
      fc.record({
        list: fc.constantFrom('A', 'B', 'C'),
        value: fc.option(fc.constantFrom('', 'a', 'b', 'ba', '字', '\u{1f600}'), { nil: undefined }),
        id: fc.constantFrom('0x', '1', '1y', 'c', 'd', 'e', 'f', 'g', 'h'),
        role: fc.constantFrom('r', 's'),
      }),
      { maxLength: 25, selector: ({ list, id, role }) => `${list} ${id} ${role}` },
    ),
    dropped: fc.constantFrom('', 'c', 'g'),
  })
  type Some = typeof some extends fc.Arbitrary<infer T> ? T : never

  /** What there is, and the order in which it is to be answered. */
  function prepared({ index, descending, backwards, rows, dropped, most }: Some) {
    const isOptional = index === 'by_email' || index === 'find'
    // A user has one value, in whatever lists.
    const values = new Map(rows.map(({ id, value }) => [id, value]))
    const items = rows.map(({ list, id, role }) => {
      const value = values.get(id)
      const at = index === 'by_id' ? id : sortKey(isOptional ? value : (value ?? ''), id)
      return row(list, index, at, id, `${list}${role}`)
    })
    const keep = ({ pk }: Item) => !pk.endsWith(`#${dropped}`)
    const isMissing = (one: Item) => isOptional && sortKeyIn(one, index).startsWith(MISSING)
    const rank = (a: Item, b: Item) =>
      compareBytes(sortKeyIn(a, index), sortKeyIn(b, index)) || compareBytes(a.sk, b.sk)
    const sorted = items
      .filter(keep)
      .sort((a, b) => Number(isMissing(a)) - Number(isMissing(b)) || (descending ? -1 : 1) * rank(a, b))
    return {
      store: reader(items, index, most),
      order: { index, descending, backwards } satisfies Order,
      keep,
      sorted: backwards ? sorted.reverse() : sorted,
    }
  }
  const names = (rows: readonly Item[]) => rows.map(({ pk, sk }) => `${pk} ${sk}`)
  const lists = ['A', 'B', 'C']

  it('are answered in order, however they are taken', async () => {
    await fc.assert(
      fc.asyncProperty(
        some,
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 9 }),
        async (one, likely, more) => {
          const { store, order, keep, sorted } = prepared(one)
          const merged = mergeLists(store, { lists, keep, eager: one.eager, ...order, likely, more })
          expect(names(await taking(merged)(30))).toEqual(names(sorted))
        },
      ),
      { numRuns: 300 },
    )
  })

  it('may both have a user who moves from one to the other', async () => {
    const [old, there] = ['A', 'B'].map((list) => row(list, 'by_id', '1', '1'))
    const store = reader([old as Item, there as Item, row('A', 'by_id', '2', '2')], 'by_id')
    const merged = mergeLists(store, { lists, index: 'by_id', descending: false, ...usual, skip: 2 })
    expect(names(await taking(merged)(4))).toEqual(['USER#2 S'])
  })

  it('are passed over as if they had been taken', async () => {
    await fc.assert(
      fc.asyncProperty(some, fc.nat(30), fc.integer({ min: 1, max: 9 }), async (one, skip, likely) => {
        const { store, order, keep, sorted } = prepared(one)
        const keepsAllRows = () => one.dropped === ''
        const merged = mergeLists(store, {
          lists,
          keep,
          keepsAllRows,
          eager: one.eager,
          ...order,
          skip,
          likely,
          more: 2,
        })
        expect(names(await taking(merged)(30))).toEqual(names(sorted.slice(skip)))
      }),
      { numRuns: 300 },
    )
  })

  const long = fc.record({
    index: fc.constantFrom('by_email', 'by_created_at'),
    descending: fc.boolean(),
    backwards: fc.boolean(),
    eager: fc.boolean(),
    most: fc.integer({ min: 2, max: 6 }),
    rows: fc
      .array(
        fc.record({
          list: fc.constantFrom(...'AAAAAABBC'),
          value: fc.option(fc.constantFrom('a', 'b', 'c', 'd'), { nil: undefined }),
        }),
        { minLength: 20, maxLength: 90 },
      )
      .map((rows) => rows.map((one, n) => ({ ...one, id: `u${n}`, role: 'r' }))),
    dropped: fc.constant(''),
  })

  it('are counted where one is longer than the others, as if they had been taken', async () => {
    await fc.assert(
      fc.asyncProperty(long, fc.nat(100), fc.integer({ min: 1, max: 9 }), async (one, skip, likely) => {
        const { store, order, keep, sorted } = prepared(one as Some)
        const merged = mergeLists(store, {
          ...{ lists, keep, keepsAllRows: everything, eager: one.eager, ...order },
          ...{ skip, likely, more: 3 },
        })
        expect(names(await taking(merged)(100))).toEqual(names(sorted.slice(skip)))
        // Only pages behind others of the same range are counted: that is known to be long.
        expect(store.asked.filter(({ countOnly, after }) => countOnly && !after)).toEqual([])
      }),
      { numRuns: 200 },
    )
  })

  it('begin at a place', async () => {
    await fc.assert(
      fc.asyncProperty(some, fc.nat(24), async (one, nth) => {
        const { store, order, keep, sorted } = prepared(one)
        const at = sorted[nth % (sorted.length || 1)]
        const start = at && sortKeyIn(at, one.index)
        const merged = mergeLists(store, { lists, start, ...order, ...usual, keep })
        const found = await taking(merged)(30)
        // Whether the place itself belongs to it, the ranges say.
        const others = (rows: readonly Item[]) => names(rows.filter((row) => sortKeyIn(row, one.index) !== start))
        expect(others(found)).toEqual(others(at ? sorted.slice(sorted.indexOf(at)) : sorted))
      }),
      { numRuns: 300 },
    )
  })
})

describe('the ranges of a list', () => {
  const up = { index: 'by_email', descending: false }
  const down = { index: 'by_email', descending: true }
  const plain = { index: 'by_created_at', descending: true }
  const LAST = '\u{10ffff}'.repeat(4)
  it.each<[Order, string | undefined, Partial<Range>[]]>([
    [up, undefined, [{ descending: false }]],
    [up, '0b', [{ descending: false, from: '0b' }]],
    [{ ...up, backwards: true }, '0b', [{ descending: true, to: '0b' }]],
    [plain, undefined, [{ descending: true }]],
    [plain, '0b', [{ descending: true, to: '0b' }]],
    [{ ...plain, backwards: true }, '0b', [{ descending: false, from: '0b' }]],
    [
      down,
      undefined,
      [
        { descending: true, beginsWith: PRESENT },
        { descending: true, beginsWith: MISSING },
      ],
    ],
    [
      down,
      '0b',
      [
        { descending: true, from: PRESENT, to: '0b' },
        { descending: true, beginsWith: MISSING },
      ],
    ],
    [down, '1b', [{ descending: true, from: MISSING, to: '1b' }]],
    [
      { ...down, backwards: true },
      undefined,
      [
        { descending: false, beginsWith: MISSING },
        { descending: false, beginsWith: PRESENT },
      ],
    ],
    [
      { ...down, backwards: true },
      '1b',
      [
        { descending: false, from: '1b', to: `${MISSING}${LAST}` },
        { descending: false, beginsWith: PRESENT },
      ],
    ],
    [{ ...down, backwards: true }, '0b', [{ descending: false, from: '0b', to: `${PRESENT}${LAST}` }]],
  ])('%j from %s on', (order, start, expected) => {
    expect(listRanges('L', order, start)).toStrictEqual(
      expected.map((one) => ({ index: order.index, hash: 'L', ...one })),
    )
  })

  it.each([
    ['by_email', 2],
    ['by_department', 2],
    ['by_location_or_due', 2],
    ['find', 2],
    ['by_last_name', 1],
    ['by_id', 1],
  ])('of %s, downwards: %i', (index, count) => {
    expect(listRanges('L', { index, descending: true })).toHaveLength(count)
  })
})

it.each<[Order, boolean]>([
  [{ index: 'by_id', descending: false }, false],
  [{ index: 'by_id', descending: true }, true],
  [{ index: 'by_id', descending: false, backwards: true }, true],
  [{ index: 'by_id', descending: true, backwards: true }, false],
])('%j goes downwards: %s; behind a run of equal values it goes on before or after all of them', (order, isDown) => {
  expect(isDownwards(order)).toBe(isDown)
  const places = ['1', '2'].map((id) => sortKey('a', id))
  const behind = afterTie(order, '0a')
  for (const one of places) expect(compareBytes(behind, one) * (isDown ? -1 : 1)).toBeGreaterThan(0)
  expect(behind).toBe(isDown ? '0a' : endOf(sortKeyAt('0a', '')))
})

describe('reads ask for', () => {
  const index = 'by_created_at'
  const rows = Array.from({ length: 100 }, (_, n) =>
    row('L', index, sortKey(String(n).padStart(3, '0'), `${n}`), `${n}`),
  )
  const merging = (
    asked: { likely: number; more?: number; skip?: number },
    keep: (row: Item) => boolean = everything,
    most?: number,
  ) => {
    const store = reader(rows, index, most)
    const merged = mergeLists(store, { lists: ['L'], index, descending: false, keep, more: asked.likely, ...asked })
    return { merged, take: taking(merged), asked: store.asked }
  }
  const limits = (asked: readonly Range[]) => asked.map(({ limit }) => limit)

  it('nothing before the first row is wanted', () => {
    expect(merging({ likely: 5 }).asked).toEqual([])
  })

  it('what is likely, then what else is wanted, then four times as much', async () => {
    const { take, asked } = merging({ likely: 10, more: 8 })
    expect(await take(10)).toHaveLength(10)
    expect(limits(asked)).toEqual([10])
    // No fewer than were kept so far.
    await take(1)
    expect(limits(asked)).toEqual([10, 10])
    await take(10)
    expect(limits(asked)).toEqual([10, 10, 40])
    expect(asked.slice(1).every(({ after }) => after !== undefined)).toBe(true)
    const wide = merging({ likely: 2, more: 30 })
    await wide.take(3)
    expect(limits(wide.asked)).toEqual([2, 30])
  })

  it('what is left of it', async () => {
    const { take, asked } = merging({ likely: 10 }, everything, 6)
    await take(10)
    expect(limits(asked)).toEqual([10, 4])
  })

  it('as many as the page before held, where that ended before its limit', async () => {
    const { take, asked } = merging({ likely: 20 }, everything, 3)
    await take(8)
    expect(limits(asked)).toEqual([20, 3, 3])
  })

  it('more rows where some were left out, by their share', async () => {
    const { take, asked } = merging({ likely: 2, more: 7 }, ({ pk }) => Number(pk.slice('USER#'.length)) >= 20)
    await take(2)
    expect(limits(asked)).toEqual([2, 6, 18])
    await take(7)
    expect(limits(asked).slice(3)).toEqual([27])
  })

  it('what is passed over together with what comes behind', async () => {
    const { take, asked } = merging({ skip: 30, likely: 5 })
    expect((await take(5)).map(({ pk }) => pk)).toEqual([30, 31, 32, 33, 34].map((n) => `USER#${n}`))
    expect(limits(asked)).toEqual([35])
    expect(await merging({ skip: 101, likely: 5 }).take(1)).toEqual([])
  })

  it('no batch larger than what is wanted', async () => {
    const { merged } = merging({ likely: 4, more: 3, skip: 2 })
    const sizes: number[] = []
    for await (const some of merged) sizes.push(some.length)
    // A batch ends where a list has to be read.
    expect(sizes.slice(0, 3)).toEqual([4, 3, 3])
    expect(Math.max(...sizes)).toBe(4)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(98)
  })

  it.each([
    ['all along', (n: number) => n % 10 === 5, [69, '10', '10', '10', '10', 10, 2]],
    // A page that is counted ends behind what is to be passed over: it is read again.
    ['in one place', (n: number) => n >= 50 && n < 60, [69, '10', '10', '10', '10', '10', 10]],
  ] as const)(
    'how many rows a long list has where they are passed over, others being %s',
    async (_, isOther, expected) => {
      const all = Array.from({ length: 100 }, (_, n) =>
        row(isOther(n) ? 'M' : 'L', index, sortKey(String(n).padStart(3, '0'), `${n}`), `${n}`),
      )
      const store = reader(all, index, 10)
      const merged = mergeLists(store, {
        ...{ lists: ['L', 'M'], index, descending: false, keep: everything, keepsAllRows: everything },
        ...{ skip: 64, likely: 5, more: 5 },
      })
      expect((await taking(merged)(5)).map(({ pk }) => pk)).toEqual([64, 65, 66, 67, 68].map((n) => `USER#${n}`))
      const ofL = store.asked.filter(({ hash }) => hash === 'L')
      expect(ofL.map(({ limit, countOnly }) => (countOnly ? `${limit}` : limit))).toEqual(expected)
    },
  )

  it('rows without a value when they come, or at once', async () => {
    const people = [row('L', 'by_email', sortKey('a', 'x'), 'x'), row('L', 'by_email', sortKey(undefined, 'y'), 'y')]
    for (const [eager, first] of [
      [{}, 1],
      [{ eager: false }, 1],
      [{ eager: true }, 2],
    ] as const) {
      const { asked, ...store } = reader(people, 'by_email')
      const merged = mergeLists(store, { lists: ['L'], index: 'by_email', descending: true, ...usual, ...eager })
      const [sequence] = await beginAll([merged])
      // The first range is read to its end, and with it the next one, unless that is a separate stream.
      expect(asked.filter(({ beginsWith }) => beginsWith === PRESENT).length).toBe(1)
      expect(asked.length).toBe(first)
      const found: Item[] = []
      for await (const some of sequence ?? []) found.push(...some)
      expect(found.map(({ pk }) => pk)).toEqual(['USER#x', 'USER#y'])
    }
  })
})

describe('rows that are passed over', () => {
  const index = 'by_created_at'
  /** Lists whose rows have this order, a letter for each; what reads of at most `most` rows at once ask for. */
  function passing(line: string, most: number, skip: number, isCounted = true) {
    const rows = [...line].map((list, n) => row(list, index, sortKey(String(n).padStart(3, '0'), `${n}`), `${n}`))
    const { query, asked } = reader(rows, index, most)
    const lists = [...new Set(line)]
    const keepsAllRows = isCounted ? everything : undefined
    const merge = { lists, index, descending: false, keep: everything, keepsAllRows, skip, likely: 1, more: 1 }
    const reads = () => asked.map(({ hash, limit, countOnly }) => `${hash}${limit}${countOnly ? ' counted' : ''}`)
    return { take: taking(mergeLists({ query }, merge)), reads, rows }
  }
  const [twoBetween, threeBetween] = ['AAABAAABAAAA', 'AAABABABAAAA']
  const tenOf = (list: string, times = 1) => list.repeat(10 * times)

  it.each<[string, line: string, most: number, count: number, reads: string[]]>([
    ['are counted, page by page', tenOf('A', 4), 5, 30, ['A31', ...Array(4).fill('A5 counted'), 'A5', 'A1']],
    ['are read where they are all that is needed', tenOf('A', 4), 50, 10, ['A11']],
    ['are read where a page more may be too long', tenOf('A', 4), 10, 21, ['A22', 'A10', 'A2']],
    ['are counted where it is not', tenOf('A', 4), 10, 22, ['A23', 'A10 counted', 'A3']],
    [
      'are counted with the others between them',
      tenOf('A') + twoBetween + tenOf('A'),
      10,
      22,
      ['A23', 'B23', 'A10 counted', 'A1'],
    ],
    [
      'are read after all where there are too many',
      tenOf('A') + threeBetween + tenOf('A'),
      10,
      22,
      ['A23', 'B23', 'A10 counted', 'A10'],
    ],
    [
      'of others are not read to find that',
      tenOf('A') + tenOf('B', 3) + tenOf('A'),
      10,
      22,
      ['A23', 'B23', 'A10 counted', 'A10', 'B3'],
    ],
    [
      'of others are read as far as the page goes',
      tenOf('AAAB', 2),
      4,
      36,
      ['A37', 'B37', ...Array(3).fill('A4 counted'), 'B4', 'A4 counted', 'A4 counted', 'A4', 'B4'],
    ],
    [
      'are read where no list has most of them',
      'ABC'.repeat(20),
      5,
      40,
      ['A41', 'B41', 'C41', 'A5', 'B5', 'C5', 'A5', 'B5', 'C5'],
    ],
    [
      'are read where a list has half of them',
      `ABABABABCA${tenOf('A', 2)}`,
      5,
      23,
      ['A24', 'B24', 'C24', 'A5', 'A5', 'A4'],
    ],
  ])('%s', async (_what, line, most, count, reads) => {
    const passed = passing(line, most, count)
    const [next] = await passed.take(1)
    expect(next?.pk).toBe(passed.rows[count]?.pk)
    expect(passed.reads()).toEqual(reads)
    const { take, reads: plain } = passing(line, most, count, false)
    expect((await take(1))[0]?.pk).toBe(passed.rows[count]?.pk)
    expect(plain().filter((read) => read.includes('counted'))).toEqual([])
  })
})

describe('a reader of lists', () => {
  const index = 'by_last_name'
  const ids = ['a', 'b', 'c', 'd']
  const rows = ids.map((id) => row('L', index, sortKey(id, id), id))
  const list = { list: 'L', size: 4, keyOf: (id: string) => ({ pk: `USER#${id}`, sk: 'S' }) }
  const reading = () => {
    const store = reader(rows, index)
    return { lists: listReader(store, index), asked: store.asked }
  }
  const hashes = (asked: readonly Range[]) => asked.map(({ hash }) => hash)

  it('reads a whole list once', async () => {
    const { lists, asked } = reading()
    expect(await lists.whole(list)).toEqual(rows)
    expect(await lists.whole(list)).toEqual(rows)
    expect(asked).toMatchObject([{ index, hash: 'L' }])
  })

  it('goes on page by page where a list was begun so, also once it has been read whole', async () => {
    const { lists } = reading()
    const range = { index, hash: 'L', limit: 1 }
    const first = await lists.query(range)
    await lists.whole(list)
    const rest = await lists.query({ ...range, limit: 10, ...(first.next ? { after: first.next } : {}) })
    expect([...first.items, ...rest.items]).toEqual(rows)
  })

  it('finds some users in the way that is cheaper', async () => {
    const { lists, asked } = reading()
    expect(await lists.among(list, new Set())).toEqual(new Map())
    expect(asked).toEqual([])
    const large = { ...list, size: 100 }
    expect(await lists.among(large, new Set(['b', 'z']))).toEqual(new Map([['b', rows[1]]]))
    expect(hashes(asked)).toEqual(['USER#b', 'USER#z'])
    expect(await lists.among(list, new Set(['b', 'z']))).toEqual(new Map([['b', rows[1]]]))
    expect(hashes(asked).slice(2)).toEqual(['L'])
    expect(await lists.among(large, new Set(['c']))).toEqual(new Map([['c', rows[2]]]))
    expect(asked).toHaveLength(3)
    // A list costs its rows, or so much for each user, whichever is less.
    expect(costOfAmong([list, large, { ...list, size: 54 }], 2)).toBe(4 + 54 + 54)
    expect([isCheaperWhole({ ...list, size: 26 }, 1), isCheaperWhole({ ...list, size: 27 }, 1)]).toEqual([true, false])
  })

  it('answers pages out of a list that it has read', async () => {
    const { lists, asked } = reading()
    const range = { index, hash: 'L', descending: false }
    expect((await lists.query({ ...range, limit: 1 })).items).toEqual([rows[0]])
    await lists.whole(list)
    const pagesOf = async (more: Partial<Range>) => {
      const { items, count, next } = await lists.query({ ...range, ...more })
      expect([count, next]).toEqual([items.length, undefined])
      return items.map(({ pk }) => pk.slice('USER#'.length)).join('')
    }
    const at = (id: string) => sortKey(id, id)
    expect(await pagesOf({})).toBe('abcd')
    expect(await pagesOf({ descending: true })).toBe('dcba')
    expect(await pagesOf({ from: at('b') })).toBe('cd')
    expect(await pagesOf({ to: at('b') })).toBe('ab')
    expect(await pagesOf({ from: at('a'), to: at('c'), descending: true })).toBe('cb')
    expect(await pagesOf({})).toBe('abcd')
    expect(asked).toHaveLength(2)
    expect((await lists.query({ ...range, hash: 'other' })).items).toEqual([])
    expect(asked).toHaveLength(3)
  })
})
