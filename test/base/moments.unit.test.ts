import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isDay, momentOf } from '../../domain/base/moments.ts'
import { isPast } from '../../domain/base/text.ts'

it.each([
  ['2026-02-28', true],
  ['2024-02-29', true],
  ['0001-01-01', true],
  ['9999-12-31', true],
  ['2026-02-29', false],
  ['2026-13-01', false],
  ['2026-00-10', false],
  ['2026-04-31', false],
  ['0000-01-01', false],
  ['10000-01-01', false],
  ['+010000-01-01', false],
  ['2026-1-01', false],
  ['x2026-01-01', false],
  ['2026-01-01x', false],
  ['2026-01-01T00:00:00Z', false],
  ['2026-01-01T00:00:00.000Z', false],
  ['', false],
])('%j is a day: %s', (text, expected) => {
  expect(isDay(text)).toBe(expected)
})

describe('a moment', () => {
  it.each([
    ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00.000Z'],
    ['2026-01-01t23:59:59.9z', '2026-01-01T23:59:59.900Z'],
    ['0001-01-02t03:00:00.1234567+01:00', '0001-01-02T02:00:00.123Z'],
    ['2026-01-01T09:10:11.123456789Z', '2026-01-01T09:10:11.123Z'],
    ['2026-01-01T10:00:00+02:00', '2026-01-01T08:00:00.000Z'],
    ['2026-01-01T00:00:00-00:00', '2026-01-01T00:00:00.000Z'],
    ['2026-01-01T19:00:00-23:59', '2026-01-02T18:59:00.000Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['0000-12-31T23:30:00-01:00', '0001-01-01T00:30:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
  ])('%s is %s', (text, moment) => {
    expect(momentOf(text)).toBe(moment)
  })

  it.each([
    '2026-02-30T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T23:60:00Z',
    '2026-01-01T23:59:60Z',
    '2026-01-01T3:00:00Z',
    '2026-01-01T00:00:00',
    '2026-01-01T00:00:00.Z',
    '2026-01-01T00:00Z',
    '2026-01-01 00:00:00Z',
    '2026-01-012026-01-01T00:00:00Z',
    '2026-01-01T00:00:00+24:00',
    '2026-01-01T00:00:00+02:60',
    '2026-01-01T00:00:00+0200',
    '2026-01-01T00:00:00+02:00x',
    'x2026-01-01T00:00:00Z',
    '0000-01-01T00:00:00Z',
    '0001-01-01T00:00:00+01:00',
    '9999-12-31T23:59:59-01:00',
    '2026-01-01',
    '',
  ])('%j is not a moment', (text) => {
    expect(momentOf(text)).toBeUndefined()
  })

  it('is stored in one form', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }),
        (date) => {
          expect(momentOf(date.toISOString())).toBe(date.toISOString())
          expect(isDay(date.toISOString().slice(0, 10))).toBe(true)
        },
      ),
    )
  })

  it('has passed from its own instant on', () => {
    const [early, now, late] = ['08', '09', '10'].map((hour) => `2026-11-21T${hour}:00:00.000Z`) as [
      string,
      string,
      string,
    ]
    expect([undefined, early, now, late].map((moment) => isPast(moment, now))).toEqual([false, true, true, false])
  })
})
