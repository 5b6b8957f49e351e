import { expect, it } from 'vitest'
import { finderIn } from '../../../domain/plans/file/groupNames.ts'

const group = (id: string, titles: string[], more: object = {}) =>
  ({
    id,
    external_id: null,
    status: 'ACTIVE',
    title: titles.map((text, n) => ({ language: ['en-GB', 'de-DE'][n], text })),
    ...more,
  }) as never

const find = finderIn([
  group('sales', ['Sales', 'Vertrieb'], { external_id: 'CC-1' }),
  group('CC-1', ['Cost centre one']),
  group('night', ['Crew']),
  group('day', ['Crew', 'Tagschicht']),
  group('old', ['Archived'], { status: 'ARCHIVED' }),
  group('new', ['Archived']),
  group('twice', ['Same', 'same']),
])

it.each([
  ['sales', 'sales'],
  // An id comes before an external id.
  ['CC-1', 'CC-1'],
  ['vertrieb', 'sales'],
  ['SALES', 'sales'],
  ['Tagschicht', 'day'],
  // Of an archived group, only the id counts: the call refuses it.
  ['Archived', 'new'],
  ['old', 'old'],
  ['Same', 'twice'],
])('%s is %s', (named, id) => {
  expect(find(named)).toBe(id)
})

it.each(['Crew', 'Nowhere', ''])('%s is none', (named) => {
  expect(() => find(named)).toThrow(expect.objectContaining({ code: 'UNKNOWN_USER_GROUP_ID' }))
})
