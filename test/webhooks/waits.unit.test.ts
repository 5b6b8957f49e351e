import { describe, expect, it } from 'vitest'
import { retryAfter, waitAfter } from '../../domain/webhooks/waits.ts'

const now = '2026-11-21T09:00:00.000Z'
const [SECOND, MINUTE, HOUR] = [1000, 60_000, 3_600_000]

describe('the wait for the next attempt', () => {
  const waits = [5 * SECOND, MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 10 * HOUR]
  it.each(waits.map((wait, n) => [n + 1, wait] as const))(
    'after failure %i is %i ms, a fifth more or less',
    (n, wait) => {
      expect(waitAfter(n, 0.5)).toBe(wait)
      expect(waitAfter(n, 0)).toBe(wait * 0.8)
      expect(waitAfter(n, 1)).toBe(wait * 1.2)
    },
  )
  it('ends with the ninth failure', () => expect(waitAfter(9, 0.5)).toBeUndefined())
})

describe('Retry-After', () => {
  it.each([
    ['120', 120 * SECOND],
    [' 0 ', 0],
    ['Sat, 21 Nov 2026 09:01:00 GMT', MINUTE],
    ['Sat, 21 Nov 2026 08:00:00 GMT', 0],
    ['999999999', 10 * HOUR],
    ['soon', undefined],
    ['21 Nov 2026 09:01:00 GMT', undefined],
    ['1e3', undefined],
    ['3x', undefined],
    ['-5', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('%s is %s ms', (header, ms) => expect(retryAfter(header, new Date(now))).toBe(ms))
})
