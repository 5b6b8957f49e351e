import { describe, expect, it } from 'vitest'
import { StaleRead } from '../../domain/base/errors.ts'
import { inSteps, inWrittenSteps } from '../../domain/work/steps.ts'

/** Time for so many steps. */
const timeFor = (steps: number) => {
  let left = steps
  return { timeLeft: () => (left-- > 0 ? 8000 : 7999) }
}

describe('work step by step', () => {
  const fewer = async (n: number) => (n > 1 ? n - 1 : undefined)

  it.each([
    [5, 3, undefined],
    [3, 3, undefined],
    [2, 3, 1],
    [0, 3, 3],
  ])('in the time for %i steps of %i leaves %s', async (time, all, left) => {
    expect(await inSteps(timeFor(time), all, fewer)).toBe(left)
  })

  it('reads what is left again, for as long as it is stale', async () => {
    const written: string[] = []
    let reads = 0
    const left = await inWrittenSteps(
      timeFor(9),
      { text: 'ab' },
      {
        write: async ({ text }) => {
          if (text === 'b' && reads < 2) throw new StaleRead()
          written.push(text)
          return text.length > 1 ? { text: text.slice(1) } : undefined
        },
        readAgain: async () => ({ text: ++reads < 2 ? 'b' : 'bc' }),
      },
    )
    expect([left, written, reads]).toEqual([undefined, ['ab', 'bc', 'c'], 2])
  })

  it('ends where nothing is left to read', async () => {
    const write = async () => {
      throw new StaleRead()
    }
    expect(await inWrittenSteps(timeFor(9), {}, { write, readAgain: async () => undefined })).toBeUndefined()
  })
})
