import { describe, expect, it } from 'vitest'
import { daysOf, shortSpan, wholeSpan } from '../../domain/events/eventRules.ts'
import { eventSortKey, eventsOn } from '../../domain/table/keys.ts'
import { refusal } from '../harness/refusal.ts'

const now = '2026-11-21T09:00:00.000Z'
const first = '0001-01-01T00:00:00.000Z'
const last = '9999-12-31T23:59:59.999Z'
const invalidMoment = 'must be a moment that the calendar has'
const tooLong = 'must be at most 31 days after from'

type Asked = Parameters<typeof wholeSpan>[0]

describe('a stretch of time', () => {
  it.each<[string, Asked, string, string]>([
    ['nothing', {}, first, last],
    ['a beginning', { from: '2026-11-11T01:00:00+01:00' }, '2026-11-11T00:00:00.000Z', last],
    ['an end', { to: '2026-11-11t00:00:00.5z' }, first, '2026-11-11T00:00:00.500Z'],
    ['one moment', { from: now, to: now }, now, now],
  ])('asked for %s, reaches as far as it says', (_what, asked, from, to) => {
    expect(wholeSpan(asked)).toEqual({ from, to })
  })

  it.each<[string, Asked, string, string]>([
    ['nothing', {}, '2026-10-21T09:01:00.000Z', '2026-11-21T09:01:00.000Z'],
    ['a beginning', { from: '2026-11-11T00:00:00Z' }, '2026-11-11T00:00:00.000Z', '2026-11-21T09:01:00.000Z'],
    ['an early beginning', { from: '2026-01-01T00:00:00Z' }, '2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z'],
    ['a beginning to come', { from: '2027-01-01T00:00:00Z' }, '2027-01-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z'],
    ['an end', { to: '2026-02-01T00:00:00Z' }, '2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z'],
    ['an end on the first days', { to: '0001-01-02T00:00:00Z' }, first, '0001-01-02T00:00:00.000Z'],
    ['a beginning on the last days', { from: '9999-12-31T00:00:00Z', to: last }, '9999-12-31T00:00:00.000Z', last],
    [
      '31 days',
      { from: '2026-01-01T00:00:00Z', to: '2026-02-01T00:00:00Z' },
      '2026-01-01T00:00:00.000Z',
      '2026-02-01T00:00:00.000Z',
    ],
  ])('asked for %s, has up to 31 days, and none that are to come', (_what, asked, from, to) => {
    expect(shortSpan(asked, now)).toEqual({ from, to })
  })

  it.each<[Asked, string, string[]]>([
    [{ from: '2026-02-30T00:00:00Z' }, 'from', [invalidMoment]],
    [{ to: '' }, 'to', [invalidMoment]],
    [{ from: 'x', to: 'y' }, 'from', [invalidMoment, invalidMoment]],
    [{ from: now, to: '2026-11-21T08:59:59.999Z' }, 'to', ['must not be before from']],
  ])('%j is refused', (asked, property, messages) => {
    const expected = { code: 'VALIDATION_ERROR', property, message: `${property} ${messages[0]}` }
    for (const read of [wholeSpan, (some: Asked) => shortSpan(some, now)])
      expect(refusal(() => read(asked))).toEqual(expected)
    expect(() => wholeSpan(asked)).toThrow(
      expect.objectContaining({ errors: messages.map((message) => expect.objectContaining({ message })) }),
    )
  })

  it('of more than 31 days is refused only where all events are asked for', () => {
    const asked = { from: '2026-01-01T00:00:00Z', to: '2026-02-01T00:00:00.001Z' }
    expect(refusal(() => shortSpan(asked, now))).toEqual({
      code: 'VALIDATION_ERROR',
      property: 'to',
      message: `to ${tooLong}`,
    })
    expect(wholeSpan(asked)).toEqual({ from: '2026-01-01T00:00:00.000Z', to: '2026-02-01T00:00:00.001Z' })
  })
})

describe('the days of a stretch', () => {
  const day = (n: number): string => new Date(Date.UTC(2026, 0, n)).toISOString().slice(0, 10)
  const days = (from: number, to: number): string[] => Array.from({ length: to - from + 1 }, (_, n) => day(from + n))

  it.each<[string, string, string, string[][]]>([
    ['within a day', `${day(1)}T08:00:00.000Z`, `${day(1)}T09:00:00.000Z`, [[day(1)]]],
    ['a whole day', `${day(1)}T00:00:00.000Z`, `${day(2)}T00:00:00.000Z`, [[day(1)]]],
    ['a moment more', `${day(1)}T00:00:00.000Z`, `${day(2)}T00:00:00.001Z`, [[day(1)], [day(2)]]],
    ['over a midnight', `${day(1)}T23:59:59.999Z`, `${day(2)}T09:00:00.000Z`, [[day(1)], [day(2)]]],
    [
      'behind a page',
      `${eventSortKey(`${day(1)}T08:00:00.000Z`, 'e')} `,
      `${day(2)}T09:00:00.000Z`,
      [[day(1)], [day(2)]],
    ],
    ['before a page', `${day(1)}T08:00:00.000Z`, eventSortKey(`${day(2)}T09:00:00.000Z`, 'e'), [[day(1)], [day(2)]]],
    ['no time at all', `${day(1)}T00:00:00.000Z`, `${day(1)}T00:00:00.000Z`, []],
    [
      '31 days',
      `${day(1)}T08:00:00.000Z`,
      `${day(32)}T08:00:00.000Z`,
      [days(1, 1), days(2, 5), days(6, 21), days(22, 32)],
    ],
  ])('come in order, more and more at once: %s', (_what, from, to, expected) => {
    expect(daysOf({ from, to }, false)).toEqual(expected.map((some) => some.flatMap(eventsOn)))
  })

  it('come from the last one on, too', () => {
    const span = { from: `${day(1)}T08:00:00.000Z`, to: `${day(3)}T08:00:00.000Z` }
    expect(daysOf(span, true)).toEqual([[day(3)], [day(2), day(1)]].map((some) => some.flatMap(eventsOn)))
  })
})
