import { describe, expect, it } from 'vitest'
import { hintOf, profileOf } from '../../../domain/people/records/userSearch.ts'
import { markOf, matchingMarks } from '../../../domain/plans/file/marks.ts'
import type { RowValues } from '../../../domain/plans/file/row.ts'
import { userRecord } from '../../harness/seed.ts'

const user = userRecord(
  { id: 'u', username: 'Zoë.Ørsted', email: 'zoe.orsted@example.org', first_name: 'Zoë', last_name: 'Ørsted' },
  '2026-01-01T00:00:00.000Z',
)
const hint = hintOf(profileOf(user))
const finds = (...rows: RowValues[]): boolean =>
  matchingMarks(Uint32Array.from(rows.flatMap((row) => markOf(row) ?? [])))(hint)

describe('the mark of a row finds a user by', () => {
  it.each<[string, RowValues]>([
    ['the username', { username: 'Zoë.Ørsted' }],
    ['the username in another case, with spaces', { username: ' ZOË.ØRSTED ' }],
    ['the e-mail address', { email: 'zoe.orsted@example.org' }],
    ['the names', { first_name: 'Zoë', last_name: 'ØRSTED' }],
  ])('%s', (_, row) => {
    expect(finds({ username: 'a' }, row, { username: 'b' }, { username: 'c' })).toBe(true)
  })
})

describe('it does not find a user by', () => {
  it.each<[string, RowValues]>([
    ['another username, whatever else is the same', { username: 'zoe', email: 'zoe.orsted@example.org' }],
    ['one name alone', { last_name: 'Ørsted' }],
    ['an e-mail address that is cleared', { email: null }],
    ['a username that is the e-mail address', { username: 'zoe.orsted@example.org' }],
    ['nothing', {}],
  ])('%s', (_, row) => {
    expect(finds({ username: 'a' }, row, { username: 'b' })).toBe(false)
  })
})
