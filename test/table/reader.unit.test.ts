import { expect, it } from 'vitest'
import { beginAll, merge } from '../../domain/table/merge.ts'
import { all, FIRST_LIMIT, pagesOf } from '../../domain/table/reader.ts'
import type { Item, Page, Range } from '../../domain/table/store.ts'
import { type WalkPosition, walkOn } from '../../domain/table/walk.ts'

const key = { pk: 'p', sk: 's' }
const row = (sk: string) => ({ pk: 'p', sk })

it('everything of a range is read page after page, as many rows at once as pages held', async () => {
  const asked: Range[] = []
  const pages: Page[] = [
    { items: [row('1')], count: FIRST_LIMIT, next: row('1') },
    { items: [], count: 700, next: row('2') },
    { items: [], count: 7, next: row('3') },
    { items: [], count: 0, next: row('4') },
    { items: [row('5')], count: 1 },
  ]
  const query = async (range: Range): Promise<Page> => pages[asked.push(range) - 1] as Page
  const range = { hash: 'p', beginsWith: 'x' }
  expect((await all({ query }, range)).map(({ sk }) => sk)).toEqual(['1', '5'])
  const behind = (sk: string, limit: number) => ({ ...range, limit, after: row(sk) })
  expect(asked).toEqual([
    { ...range, limit: FIRST_LIMIT },
    behind('1', 8000),
    behind('2', 700),
    behind('3', 100),
    behind('4', 100),
  ])
})

it.each<[wanted: number, count: number, limit: number, next: number]>([
  [Number.POSITIVE_INFINITY, 4, 50, 50],
  [Number.POSITIVE_INFINITY, 0, 50, 50],
  [Number.POSITIVE_INFINITY, 50, 50, 50],
  [110, 104, 150, 104],
  [110, 0, 150, 150],
  [110, 110, 150, 150],
  [Number.POSITIVE_INFINITY, FIRST_LIMIT, FIRST_LIMIT, 8000],
  [Number.POSITIVE_INFINITY, 700, FIRST_LIMIT, 700],
  [10, 10, FIRST_LIMIT, FIRST_LIMIT],
])(
  'with %i rows wanted and %i got, of at most %i: the next page has at most %i',
  async (wanted, count, limit, next) => {
    const asked: (number | undefined)[] = []
    const query = async (range: Range): Promise<Page> => {
      asked.push(range.limit)
      return { items: [], count, ...(asked.length === 1 ? { next: row('1') } : {}) }
    }
    const wants = [wanted, Number.POSITIVE_INFINITY]
    for await (const _page of pagesOf({ query }, { hash: 'p', limit }, () => wants.shift() ?? 0));
    expect(asked).toEqual([Math.min(wanted, limit), next])
  },
)

it('pages of a range are read one by one, each when the loop comes to it', async () => {
  const asked: Range[] = []
  const all: Page[] = [
    { items: [key], count: 1, next: key },
    { items: [], count: 0 },
  ]
  const reading = pagesOf({ query: async (range) => all[asked.push(range) - 1] as Page }, { hash: 'p', limit: 20 })
  expect((await reading.next()).value).toBe(all[0])
  expect(asked).toStrictEqual([{ hash: 'p', limit: 20 }])
  expect([(await reading.next()).value, (await reading.next()).done]).toEqual([all[1], true])
  expect(asked.slice(1)).toStrictEqual([{ hash: 'p', limit: 20, after: key }])
})

it('sequences that are begun read their first batches at the same time, and the rest when the loop comes to it', async () => {
  const log: string[] = []
  async function* sequence(name: string, batches: number) {
    for (let n = 0; n < batches; n++) {
      log.push(`${name}${n} begins`)
      await Promise.resolve()
      yield `${name}${n}`
    }
  }
  const sequences = await beginAll([sequence('a', 2), sequence('b', 1), sequence('c', 0)])
  expect(log).toEqual(['a0 begins', 'b0 begins'])
  const found: string[] = []
  for (const one of sequences) for await (const batch of one) found.push(batch)
  expect(found).toEqual(['a0', 'a1', 'b0'])
  expect(log.at(-1)).toBe('a1 begins')
})

it('ranges of any kind are merged, each after the one before it in its list', async () => {
  const items: Record<string, Item[]> = { x: [row('1'), row('4')], y: [row('5')], z: [row('2'), row('6')] }
  const asked: string[] = []
  const query = async ({ hash }: Range): Promise<Page> => {
    asked.push(hash)
    return { items: items[hash] ?? [], count: items[hash]?.length ?? 0 }
  }
  const lists = [[{ hash: 'x' }, { hash: 'y' }], [{ hash: 'z' }]]
  const compare = (a: Item, b: Item) => Number(a.sk) - Number(b.sk)
  const found: string[] = []
  for await (const rows of merge({ query }, { lists, compare, likely: 9, more: 9 }))
    found.push(rows.map(({ sk }) => sk).join(''))
  expect(found).toEqual(['124', '56'])
  expect(asked).toEqual(['x', 'z', 'y'])
})

it('a walk through ranges goes on where it was, page by page, from range to range', async () => {
  const asked: Range[] = []
  const query = async (range: Range): Promise<Page> => {
    asked.push(range)
    return { items: [row(range.hash)], count: 1, ...(range.hash === 'a' && !range.after ? { next: row('1') } : {}) }
  }
  const ranges = [{ hash: 'a' }, { hash: 'b', from: 'x' }]
  const positions: WalkPosition[] = [{ part: 0, after: null }]
  for (let at = positions[0]; at && at.part < ranges.length; at = positions.at(-1)) {
    const { items, position } = await walkOn({ query }, ranges, at, 9)
    expect(items).toEqual([row(ranges[at.part]?.hash ?? '')])
    positions.push(position)
  }
  expect(positions.slice(1)).toEqual([
    { part: 0, after: row('1') },
    { part: 1, after: null },
    { part: 2, after: null },
  ])
  expect(asked).toStrictEqual([
    { hash: 'a', limit: 9 },
    { hash: 'a', limit: 9, after: row('1') },
    { hash: 'b', from: 'x', limit: 9 },
  ])
})
