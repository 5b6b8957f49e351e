import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DAY_MS, momentAfter } from '../../domain/base/text.ts'
import {
  hashOfSecret,
  hasPrevious,
  isUseDue,
  opens,
  type ServiceToken,
} from '../../domain/people/tokens/serviceToken.ts'
import {
  patchedToken,
  rotated,
  tokenFaults,
  tokenFrom,
  warned,
  wrongToken,
} from '../../domain/people/tokens/tokenRules.ts'
import { viewToken } from '../../domain/people/tokens/tokenView.ts'
import { codeOf } from '../harness/refusal.ts'

const now = '2026-11-21T09:00:00.000Z'
const [first, second, third] = ['first', 'second', 'third'].map(hashOfSecret) as [string, string, string]
const made: ServiceToken = tokenFrom(
  { name: 'HR', scopes: ['USERS', 'READ'] },
  { id: 'i', secret: first, now, by: 'admin' },
)
const minutes = (count: number): string => momentAfter(now, count * 60_000)
const days = (count: number): string => momentAfter(now, count * DAY_MS)

describe('a new token', () => {
  it('lives for a year, or as long as wanted, with its scopes in one order', () => {
    expect(made).toMatchObject({
      expires_at: '2027-11-21T09:00:00.000Z',
      scopes: ['READ', 'USERS'],
      created_by: 'admin',
    })
    const until = (expires_at: string | null) =>
      tokenFrom({ name: 'n', scopes: ['READ'], expires_at }, { id: 'i', secret: first, now, by: 'a' }).expires_at
    expect(until(null)).toBe('2027-11-21T09:00:00.000Z')
    expect(until('2026-12-24T18:00:00+01:00')).toBe('2026-12-24T17:00:00.000Z')
  })

  it.each<[string, object, string[]]>([
    ['without a fault', { scopes: ['READ', 'WEBHOOKS'], expires_at: '2028-11-21T09:00:00.000Z' }, []],
    ['of any form', { scopes: 'WEBHOOKS', expires_at: 7 }, []],
    [
      'with WEBHOOKS and without READ',
      { scopes: ['WEBHOOKS', 'USERS'] },
      ['scopes must have READ together with WEBHOOKS'],
    ],
    ['that ends in the past', { expires_at: now }, ['expires_at must be in the future']],
    ['that ends too late', { expires_at: '2028-11-21T09:00:00.001Z' }, ['expires_at must be at most 2 years from now']],
    ['that never ends', { expires_at: 'never' }, ['expires_at must be a moment that the calendar has']],
    [
      'that ends on 30 February',
      { expires_at: '2027-02-30T00:00:00Z' },
      ['expires_at must be a moment that the calendar has'],
    ],
  ])('%s', (_what, body, expected) => {
    const faults = tokenFaults(body, now)
    expect(faults.map(({ fault }) => `${fault.property} ${fault.message}`)).toEqual(expected)
    for (const { code } of faults) expect(code).toBe('VALIDATION_ERROR')
  })

  it.each([undefined, null, 'text', 7, []])('that is %j has no fault that only these rules find', (body) => {
    expect(tokenFaults(body, now)).toEqual([])
  })

  it('is refused by the same rules after the schema has refused it', async () => {
    const context = { now } as Parameters<typeof wrongToken>[0]
    expect(await wrongToken(context, { expires_at: now }, {}, {})).toMatchObject({
      code: 'VALIDATION_ERROR',
      property: 'expires_at',
    })
    expect(await wrongToken(context, { expires_at: days(1) }, {}, {})).toBeUndefined()
  })

  it('that is patched may be sent back with the end it has', () => {
    expect(tokenFaults({ expires_at: '2020-01-01T00:00:00+00:00' }, now, '2020-01-01T00:00:00.000Z')).toEqual([])
  })
})

describe('the secret', () => {
  it('works until the instant of the end', () => {
    expect(opens(made, first, momentAfter(made.expires_at, -1))).toBe(true)
    expect(opens(made, first, made.expires_at)).toBe(false)
    expect(opens(made, second, now)).toBe(false)
  })

  it('before the newest works until the overlap ends', () => {
    const token = rotated(made, { secret: second, now })
    expect(token).toMatchObject({ previous_expires_at: minutes(60), rotated_at: now, version: 2 })
    for (const [moment, works] of [
      [now, true],
      [momentAfter(minutes(60), -1), true],
      [minutes(60), false],
    ] as const) {
      expect(opens(token, first, moment)).toBe(works)
      expect(opens(token, second, moment)).toBe(true)
      expect(viewToken(token, undefined, moment).previous_expires_at).toBe(works ? minutes(60) : null)
    }
  })

  it('rotated twice within an overlap: only the newest one is replaced', () => {
    const twice = rotated(rotated(made, { secret: second, now }), {
      secret: third,
      now: minutes(1),
      overlap_minutes: 999,
    })
    expect([first, second, third].map((secret) => opens(twice, secret, minutes(2)))).toEqual([true, false, true])
    expect(twice.previous_expires_at).toBe(minutes(60))
  })

  it.each([
    [10, 11],
    [999, 60],
  ])('rotated again with an overlap of %i minutes: the first secret ends after %i', (overlap_minutes, end) => {
    const twice = rotated(rotated(made, { secret: second, now }), { secret: third, now: minutes(1), overlap_minutes })
    expect(twice.previous_expires_at).toBe(minutes(end))
    expect([minutes(end - 1), minutes(end)].map((moment) => opens(twice, first, moment))).toEqual([true, false])
  })

  it('rotated again after the overlap: the last one works on', () => {
    const twice = rotated(rotated(made, { secret: second, now }), {
      secret: third,
      now: minutes(60),
      overlap_minutes: 5,
    })
    expect([first, second, third].map((secret) => opens(twice, secret, minutes(61)))).toEqual([false, true, true])
  })

  it('rotated without an overlap: all older ones end', () => {
    const twice = rotated(rotated(made, { secret: second, now }), { secret: third, now, overlap_minutes: 0 })
    expect([first, second, third].map((secret) => opens(twice, secret, now))).toEqual([false, false, true])
    expect(twice).toMatchObject({ previous_secret: null, previous_expires_at: null })
  })

  it('before the newest works no longer than the token', () => {
    const token = rotated({ ...made, expires_at: minutes(30) }, { secret: second, now })
    expect(opens(token, first, minutes(30))).toBe(false)
    expect(viewToken(token, undefined, now).previous_expires_at).toBe(minutes(30))
    const later = patchedToken(token, { expires_at: days(100) }, now)
    expect(opens(later, first, minutes(59))).toBe(true)
  })

  it('of an expired token cannot be rotated', () => {
    expect(codeOf(() => rotated(made, { secret: second, now: made.expires_at }))).toBe('SERVICE_TOKEN_EXPIRED token_id')
  })

  it('never more than two work, whatever is rotated when', () => {
    const steps = fc.array(fc.tuple(fc.nat(200), fc.constantFrom(0, 1, 60, 100, 10_080, null)), { maxLength: 8 })
    fc.assert(
      fc.property(steps, fc.nat(300), (rotations, wait) => {
        const hashes = [first, ...rotations.map((_, n) => hashOfSecret(String(n)))]
        let [token, at] = [made, 0]
        rotations.forEach(([later, overlap_minutes], n) => {
          at += later
          const before = token
          token = rotated(before, { secret: hashes[n + 1] as string, now: minutes(at), overlap_minutes })
          expect(opens(token, hashes[n + 1] as string, minutes(at))).toBe(true)
          const keepsOldest = hasPrevious(before, minutes(at))
          expect(opens(token, before.secret, minutes(at))).toBe(overlap_minutes !== 0 && !keepsOldest)
        })
        const working = hashes.filter((hash) => opens(token, hash, minutes(at + wait)))
        expect(working.length).toBeLessThanOrEqual(2)
        expect(working).toContain(hashes.at(-1))
      }),
    )
  })
})

describe('a patch', () => {
  it('changes name, scopes and end, and nothing else', () => {
    const after = patchedToken(made, { name: 'Other', scopes: ['SCIM'], expires_at: days(400) }, now)
    expect(after).toEqual({ ...made, name: 'Other', scopes: ['SCIM'], expires_at: days(400), version: 2 })
  })

  it('of nothing changes nothing: scopes in another order, and the end that it has', () => {
    const expires_at = '2027-11-21T10:00:00+01:00'
    for (const patch of [{}, { scopes: ['USERS', 'READ'] as const }, { name: 'HR', expires_at }])
      expect(patchedToken(made, patch as never, now)).toBe(made)
  })

  it('cannot revive an expired token, but can rename it', () => {
    const later = days(500)
    expect(codeOf(() => patchedToken(made, { expires_at: days(600) }, later))).toBe('SERVICE_TOKEN_EXPIRED token_id')
    expect(patchedToken(made, { name: 'Old', expires_at: made.expires_at }, later)).toMatchObject({ name: 'Old' })
  })
})

describe('warnings', () => {
  const ending = (inDays: number, warned_days: number | null = null) => ({
    ...made,
    expires_at: days(inDays),
    warned_days,
  })
  it.each<[string, ServiceToken, number | undefined]>([
    ['a day too early', ending(31), undefined],
    ['30 days before', ending(30), 30],
    ['later, if the first hour was missed', ending(20), 30],
    ['once', ending(30, 30), undefined],
    ['not between the two', ending(8, 30), undefined],
    ['7 days before', ending(7, 30), 7],
    ['7 days before, once', ending(7, 7), undefined],
    ['not after the end', ending(0), undefined],
  ])('%s', (_when, token, expected) => {
    expect(warned(token, now)).toEqual(
      expected === undefined ? undefined : { ...token, warned_days: expected, version: token.version + 1 },
    )
  })

  it('do not come for moments before the token was made, or its end was moved', () => {
    const of = (inDays: number) =>
      tokenFrom({ name: 'n', scopes: ['READ'], expires_at: days(inDays) }, { id: 'i', secret: first, now, by: 'a' })
    expect([31, 30, 29, 7, 6].map((inDays) => of(inDays).warned_days)).toEqual([null, null, 30, 30, 7])
    expect(patchedToken(ending(3, 7), { expires_at: days(300) }, now).warned_days).toBeNull()
    expect(patchedToken(ending(300), { expires_at: days(3) }, now).warned_days).toBe(7)
    expect(patchedToken(ending(3, 7), { name: 'Other' }, now).warned_days).toBe(7)
  })
})

describe('the last use', () => {
  const use = (at: string | null) => ({ pk: 'TOKEN_USES', sk: 'i', at })
  it.each<[string, string | null, boolean]>([
    ['for the first time', null, true],
    ['an hour later', minutes(-60), true],
    ['within the hour', minutes(-59), false],
    ['by a clock that is behind', minutes(1), false],
  ])('is noted %s', (_when, at, isNoted) => {
    expect(isUseDue(use(at), now)).toBe(isNoted)
  })
})
