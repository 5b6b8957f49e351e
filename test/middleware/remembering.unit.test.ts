import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { remembering } from '../../handlers/middleware/issuerTokens.ts'

const now = Date.parse('2026-11-21T09:00:00.000Z')
const verify = vi.fn(async (token: string): Promise<Record<string, unknown>> => {
  if (token.startsWith('bad')) throw new Error('bad')
  return token === 'endless' ? { sub: token } : { sub: token, exp: now / 1000 + 3600 }
})

beforeEach(() => {
  vi.useFakeTimers({ now })
  verify.mockClear()
})
afterEach(() => {
  vi.useRealTimers()
})

test('a good token is verified once while it lasts, and again from its last second on', async () => {
  const verified = remembering(verify)
  for (let n = 0; n < 3; n++) expect(await verified('ann')).toMatchObject({ sub: 'ann' })
  expect(verify).toHaveBeenCalledTimes(1)
  vi.setSystemTime(now + 3_599_999)
  await verified('ann')
  expect(verify).toHaveBeenCalledTimes(1)
  vi.setSystemTime(now + 3_600_000)
  await verified('ann')
  expect(verify).toHaveBeenCalledTimes(2)
})

test('what is no good, or never ends, is verified each time', async () => {
  const verified = remembering(verify)
  for (let n = 0; n < 2; n++) await expect(verified('bad')).rejects.toThrow('bad')
  for (let n = 0; n < 2; n++) await verified('endless')
  expect(verify).toHaveBeenCalledTimes(4)
})

test('a token that only begins like a good one is another token', async () => {
  const verified = remembering(verify)
  await verified('ann')
  expect(await verified('ann2')).toMatchObject({ sub: 'ann2' })
})

test('no more are remembered than there is room for: the oldest go', async () => {
  const verified = remembering(verify)
  for (let n = 0; n <= 500; n++) await verified(`t-${n}`)
  await verified('t-500')
  expect(verify).toHaveBeenCalledTimes(501)
  await verified('t-0')
  expect(verify).toHaveBeenCalledTimes(502)
})
