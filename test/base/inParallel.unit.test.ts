import { expect, it } from 'vitest'
import { chunksOf, inParallel } from '../../domain/base/parallel.ts'

it.each([
  [1, 1],
  [3, 3],
  [10, 5],
])('%i at once: %i of five', async (atOnce, most) => {
  const done: number[] = []
  let running = 0
  let seen = 0
  await inParallel(atOnce, [1, 2, 3, 4, 5], async (one, nth) => {
    expect(nth).toBe(one - 1)
    seen = Math.max(seen, ++running)
    await new Promise((resolve) => setImmediate(resolve))
    running--
    done.push(one)
  })
  expect([seen, done.sort()]).toEqual([most, [1, 2, 3, 4, 5]])
})

it('after a failure nothing is begun, and what has begun is waited for', async () => {
  const begun: number[] = []
  const done: number[] = []
  const work = inParallel(2, [1, 2, 3, 4], async (one) => {
    begun.push(one)
    if (one === 1) throw new Error('first')
    await new Promise((resolve) => setTimeout(resolve, 20))
    done.push(one)
    throw new Error('second')
  })
  await expect(work).rejects.toMatchObject({ message: 'first' })
  expect([begun, done]).toEqual([[1, 2], [2]])
})

it('a failure that is no error is one, too', async () => {
  await expect(inParallel(1, [1], () => Promise.reject(undefined))).rejects.toBeUndefined()
  await expect(inParallel(1, [], () => Promise.reject(undefined))).resolves.toBeUndefined()
})

it.each([
  [[], 2, []],
  [[1, 2, 3], 2, [[1, 2], [3]]],
  [[1, 2], 2, [[1, 2]]],
  [[1], 5, [[1]]],
])('%j in chunks of %i: %j', (all, size, expected) => {
  expect([...chunksOf<number>(all, size)]).toEqual(expected)
})
