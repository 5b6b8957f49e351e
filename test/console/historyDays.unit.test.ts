import { describe, expect, it } from 'vitest'
import { dayBefore, daysListed, faultOfDays, historyQuery, recordIn } from '../../console/history/historyQuery.ts'
import { en } from '../../console/texts/en.ts'

const query = (text: string) => new URLSearchParams(text)

it.each([
  ['', undefined],
  ['from=2026-11-20', undefined],
  ['to=2026-11-20', undefined],
  ['from=2026-11-20&to=2026-11-20', undefined],
  ['from=2026-07-01&to=2026-07-31', undefined],
  ['from=2026-11-20&to=2026-11-19', en.history.backwards],
  ['from=2026-07-01&to=2026-08-01', en.faults.days(31)],
  ['from=2026-01-01&to=2026-08-01&kind=user&record=r', undefined],
  ['from=nonsense&to=2026-08-01', undefined],
])('the fault of days: %s', (text, fault) => expect(faultOfDays(query(text), en)).toBe(fault))

it('days before today, over the ends of months and years', () => {
  const now = new Date(2027, 0, 1, 0, 30)
  expect(dayBefore(0, now)).toBe('2027-01-01')
  expect(dayBefore(1, now)).toBe('2026-12-31')
  expect(dayBefore(-31, now)).toBe('2027-02-01')
})

describe('which days are listed', () => {
  const now = new Date(2026, 10, 28, 12)
  it.each([
    ['', '2026-10-30', '2026-11-28'],
    ['to=2026-10-29', '2026-09-30', '2026-10-29'],
    ['from=2026-03-01', '2026-03-01', '2026-03-30'],
    ['from=2026-11-20', '2026-11-20', '2026-11-28'],
    ['from=2026-12-24', '2026-12-24', '2026-12-24'],
    ['from=0002-01-01', '0002-01-01', '0002-01-30'],
    ['from=2026-11-20&to=2026-11-21', '2026-11-20', '2026-11-21'],
  ])('%j', (text, from, to) => expect(daysListed(query(text), now)).toEqual({ from, to }))

  it('of one record all', () => expect(daysListed(query('kind=user&record=r'), now)).toBeUndefined())

  it('are those that are asked for, in the zone of the reader', () => {
    expect(historyQuery(query('to=2026-10-29'), [])).toEqual({
      from: new Date(2026, 8, 30).toISOString(),
      to: new Date(2026, 9, 30).toISOString(),
    })
    expect(historyQuery(query('kind=plan&record=p'), [])).toEqual({ record_kind: 'plan', record_id: 'p' })
  })
})

it('a record is meant together with its kind, and alone not at all', () => {
  expect(recordIn(query('kind=plan&record=p'))).toEqual({ kind: 'plan', id: 'p' })
  for (const text of ['record=p', 'kind=plan', 'kind=nonsense&record=p']) expect(recordIn(query(text))).toBeUndefined()
})
