import { describe, expect, it } from 'vitest'
import { momentAfter } from '../../domain/base/text.ts'
import {
  afterFailure,
  afterSuccess,
  type Health,
  healthy,
  isFailing,
  isGivenUp,
  isPaused,
  MOST_AT_ONCE,
} from '../../domain/webhooks/health.ts'

const now = '2026-11-21T09:00:00.000Z'
const [SECOND, MINUTE, HOUR] = [1000, 60_000, 3_600_000]

describe('a webhook', () => {
  const failed = (times: number, from: Health = healthy, at = now): Health =>
    Array.from({ length: times }).reduce<Health>((health) => afterFailure(health, at), from)

  it('is FAILING after five failures in a row', () => {
    expect(isFailing(failed(4))).toBe(false)
    expect(failed(4)).toMatchObject({ atOnce: MOST_AT_ONCE, paused_until: null })
    expect(failed(5)).toEqual({
      failures: 5,
      failing_since: now,
      atOnce: 1,
      paused_until: momentAfter(now, 5 * SECOND),
    })
    expect(isFailing(afterFailure(afterSuccess(failed(4)), now))).toBe(false)
  })

  it.each([
    [0, 5 * SECOND],
    [5 * SECOND, 5 * SECOND],
    [MINUTE, MINUTE],
    [HOUR, 5 * MINUTE],
  ])('that fails %i ms after the beginning is tried again after %i ms', (since, wait) => {
    const at = momentAfter(now, since)
    const health = afterFailure(failed(5), at)
    expect(health.failing_since).toBe(now)
    expect(health.paused_until).toBe(momentAfter(at, wait))
    expect(isPaused(health, momentAfter(at, wait - 1))).toBe(true)
    expect(isPaused(health, momentAfter(at, wait))).toBe(false)
  })

  it('comes back at a doubling rate', () => {
    const rates = []
    for (let health = failed(7); rates.length < 6; rates.push(health.atOnce)) health = afterSuccess(health)
    expect(rates).toEqual([2, 4, 8, MOST_AT_ONCE, MOST_AT_ONCE, MOST_AT_ONCE])
    expect(afterSuccess(failed(7))).toMatchObject({ failures: 0, failing_since: null, paused_until: null })
  })

  it('is given up five days after it began to fail', () => {
    const since = failed(5)
    expect(isGivenUp(since, momentAfter(now, 5 * 24 * HOUR - 1))).toBe(false)
    expect(isGivenUp(since, momentAfter(now, 5 * 24 * HOUR))).toBe(true)
    expect(isGivenUp(healthy, now)).toBe(false)
  })

  it('waits as long as its receiver says, and as long as it must', () => {
    expect(afterFailure(healthy, now, MINUTE).paused_until).toBe(momentAfter(now, MINUTE))
    expect(afterFailure(failed(4), now, SECOND).paused_until).toBe(momentAfter(now, 5 * SECOND))
    expect(afterFailure(failed(4), now, MINUTE).paused_until).toBe(momentAfter(now, MINUTE))
    expect(isPaused(healthy, now)).toBe(false)
    const paused = afterFailure(healthy, now, MINUTE)
    expect(afterFailure(paused, momentAfter(now, SECOND)).paused_until).toBe(paused.paused_until)
  })
})
