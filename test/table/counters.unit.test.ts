import { beforeEach, describe, expect, it, vi } from 'vitest'
import { closedShard, isClosed, isOpen, shardedCounter, sumOf } from '../../domain/table/counters.ts'
import { is } from '../../domain/table/expressions.ts'
import { randomShard, SHARDS } from '../../domain/table/keys.ts'
import type { Page, Range } from '../../domain/table/store.ts'
import { actionText, written } from './written.ts'

const keyOf = (shard: number) => ({ pk: 'C', sk: `N#${shard}` })
let counter: ReturnType<typeof shardedCounter>
beforeEach(() => {
  counter = shardedCounter(keyOf, { hash: 'C', beginsWith: 'N#' }, 3)
})
const taken = { code: 'ROLE_NOT_FOUND' } as const
const OPEN = 'if attribute_not_exists(closed)'
const CLOSED = 'if attribute_exists(closed)'

it('has so many shards', () => {
  expect(counter.keys).toEqual([keyOf(0), keyOf(1), keyOf(2)])
  expect(counter.keyOf(1)).toEqual(keyOf(1))
  expect(shardedCounter(keyOf, { hash: 'C' }).keys).toHaveLength(SHARDS)
})

it.each([
  [0, 0],
  [0.5, SHARDS / 2],
  [0.999, SHARDS - 1],
])('a write without a call takes any shard: by the random number %d shard %i', (random, shard) => {
  vi.spyOn(Math, 'random').mockReturnValue(random)
  expect(randomShard()).toBe(shard)
  vi.restoreAllMocks()
})

describe('counting', () => {
  it('goes on whether the counter is closed or not', () => {
    expect(actionText(counter.add(1, { n: 2, m: -1 }))).toEqual(['update C N#1', 'ADD n 2, m -1'])
    const also = { if: is({ n: 1 }), otherwise: taken }
    expect(actionText(counter.add(1, { n: 1 }, also))).toEqual(['update C N#1', 'ADD n 1', 'if n = 1', taken])
  })

  it('up only while it is open, down at any time', () => {
    expect(actionText(counter.count(2, 'n', 1))).toEqual(['update C N#2', 'ADD n 1', OPEN])
    expect(actionText(counter.count(2, 'n', 1, taken))).toEqual(['update C N#2', 'ADD n 1', OPEN, taken])
    expect(actionText(counter.count(2, 'n', -1, taken))).toEqual(['update C N#2', 'ADD n -1'])
    expect(actionText(counter.count(2, 'n', 0, taken))).toEqual(['update C N#2', 'ADD n 0'])
  })
})

it('a write may need it open, or closed', () => {
  expect(actionText(counter.requireOpen(0))).toEqual(['check C N#0', OPEN])
  expect(actionText(counter.requireOpen(0, taken))).toEqual(['check C N#0', OPEN, taken])
  expect(actionText(counter.requireClosed(1))).toEqual(['check C N#1', CLOSED])
  expect([written(isOpen)[0], written(isClosed)[0]]).toEqual([
    'attribute_not_exists(closed)',
    'attribute_exists(closed)',
  ])
  expect(closedShard(keyOf(0))).toEqual({ ...keyOf(0), closed: true })
})

describe('closing and opening', () => {
  it('writes all shards', () => {
    expect(counter.close().map(actionText)).toEqual([0, 1, 2].map((n) => [`update C N#${n}`, 'SET closed = true']))
    expect(counter.open().map(actionText)).toEqual([0, 1, 2].map((n) => [`update C N#${n}`, 'REMOVE closed']))
  })

  it('for a new record opens a closed counter, and else needs it open', () => {
    expect(counter.openForNew(undefined).map(actionText)).toEqual([['check C N#0', OPEN]])
    expect(counter.openForNew({ ...keyOf(0), n: 1 }).map(actionText)).toEqual([['check C N#0', OPEN]])
    expect(counter.openForNew(closedShard(keyOf(0))).map(actionText)).toEqual(
      [0, 1, 2].map((n) => [`update C N#${n}`, 'REMOVE closed', CLOSED]),
    )
  })

  it('while nothing is counted needs each shard as it was read', () => {
    const read = [
      { ...keyOf(0), n: 2, m: 5 },
      { ...keyOf(2), n: -2 },
    ]
    expect(counter.closeIfZero(read, 'n')?.map(actionText)).toEqual([
      ['update C N#0', 'SET closed = true', 'if n = 2'],
      ['update C N#1', 'SET closed = true', 'if attribute_not_exists(n)'],
      ['update C N#2', 'SET closed = true', 'if n = -2'],
    ])
    expect(counter.closeIfZero(read, 'm')).toBeUndefined()
    expect(counter.closeIfZero([], 'n', { set: { gone: 1 } })?.map(actionText)[0]).toEqual([
      'update C N#0',
      'SET gone = 1',
      'if attribute_not_exists(n)',
    ])
  })
})

it('the sum of a count is that of all shards', () => {
  expect(sumOf([], 'n')).toBe(0)
  expect(sumOf([{ ...keyOf(0), n: 2 }, keyOf(1), { ...keyOf(2), n: 3, m: 9 }], 'n')).toBe(5)
})

it('is read as it is now, or as it was a moment ago', async () => {
  const asked: Range[] = []
  const query = async (range: Range): Promise<Page> => {
    asked.push(range)
    return { items: [keyOf(0)], count: 1 }
  }
  expect(await counter.read({ query }, 'strong')).toEqual([keyOf(0)])
  await counter.read({ query }, 'eventual')
  await counter.read({ query })
  expect(asked).toMatchObject([true, false, false].map((consistent) => ({ hash: 'C', beginsWith: 'N#', consistent })))
})
