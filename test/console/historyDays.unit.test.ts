import { expect, it } from 'vitest'
import { dayBefore, isBackwards } from '../../console/history/historyQuery.ts'

it.each([
  ['', false],
  ['from=2026-11-20', false],
  ['to=2026-11-20', false],
  ['from=2026-11-20&to=2026-11-20', false],
  ['from=2026-11-20&to=2026-11-19', true],
])('a time ends before it begins: %s', (query, is) => expect(isBackwards(new URLSearchParams(query))).toBe(is))

it('days before today, over the ends of months and years', () => {
  const now = new Date(2027, 0, 1, 0, 30)
  expect(dayBefore(0, now)).toBe('2027-01-01')
  expect(dayBefore(1, now)).toBe('2026-12-31')
})
