import { syncBuiltinESMExports } from 'node:module'
import timers from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { StaleRead } from '../../domain/base/errors.ts'
import { backOff, decideAgain, retry } from '../../domain/base/retry.ts'

const failing = (times: number, error: () => unknown = () => new Error('not yet')) => {
  const attempts: number[] = []
  const run = async (attempt = attempts.length + 1) => {
    attempts.push(attempt)
    if (attempts.length <= times) throw error()
    return 'done'
  }
  return { attempts, run }
}
const wait = async () => {}

describe('what failed is repeated', () => {
  it('until it succeeds', async () => {
    const { attempts, run } = failing(2)
    expect(await retry(run, { attempts: 3, again: () => true, wait })).toBe('done')
    expect(attempts).toEqual([1, 2, 3])
  })

  it('so often, and no more', async () => {
    const { attempts, run } = failing(9)
    await expect(retry(run, { attempts: 3, again: () => true, wait })).rejects.toThrow('not yet')
    expect(attempts).toEqual([1, 2, 3])
  })

  it('while that may help', async () => {
    const { attempts, run } = failing(9)
    await expect(retry(run, { attempts: 3, again: () => attempts.length < 2, wait })).rejects.toThrow('not yet')
    expect(attempts).toEqual([1, 2])
  })

  it('after a wait that knows the attempt', async () => {
    const waits: number[] = []
    const { run } = failing(2)
    await retry(run, { attempts: 5, again: () => true, wait: async (attempt) => waits.push(attempt) })
    expect(waits).toEqual([1, 2])
  })
})

it('each wait is a random part of a time that doubles, up to 400 ms: here half of it', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0.5)
  const wait = vi.spyOn(timers, 'setTimeout').mockResolvedValue(undefined)
  syncBuiltinESMExports()
  for (const attempt of [1, 2, 4, 5, 9]) await backOff(attempt)
  expect(wait.mock.calls).toEqual([[15], [30], [120], [200], [200]])
  vi.restoreAllMocks()
  syncBuiltinESMExports()
})

describe('reading, deciding and writing', () => {
  beforeEach(() => {
    vi.spyOn(Math, 'random').mockReturnValue(0)
  })
  afterEach(() => vi.restoreAllMocks())

  it('begins again while others were faster, ten times', async () => {
    const few = failing(9, () => new StaleRead())
    expect(await decideAgain(() => few.run())).toBe('done')
    const many = failing(10, () => new StaleRead())
    await expect(decideAgain(() => many.run())).rejects.toMatchObject({ code: 'CONCURRENT_MODIFICATION' })
    expect(many.attempts).toHaveLength(10)
  })

  it('fails as it fails', async () => {
    const { attempts, run } = failing(1)
    await expect(decideAgain(() => run())).rejects.toThrow('not yet')
    expect(attempts).toHaveLength(1)
  })
})
