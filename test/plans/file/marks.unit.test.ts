import { describe, expect, it } from 'vitest'
import type { UserRecord } from '../../../domain/people/records/user.ts'
import { users } from '../../../domain/people/records/user.ts'
import { hintOf, profileOf, profileOfHint } from '../../../domain/people/records/userSearch.ts'
import { markIn, matchingMarks } from '../../../domain/plans/file/marks.ts'
import { type MatchBy, markOfName, nameOfKey } from '../../../domain/plans/file/rowKey.ts'
import { itemOf } from '../../../domain/table/changes.ts'
import type { Item } from '../../../domain/table/store.ts'
import { userRecord } from '../../harness/seed.ts'

const user = userRecord(
  {
    ...{ id: 'u', username: 'Zoë.Ørsted', external_id: 'E-Ω 1', email: 'zoe.orsted@example.org' },
    ...{ first_name: 'Zoë', last_name: 'Ørsted' },
  },
  '2026-01-01T00:00:00.000Z',
)
const rowOf = (some: UserRecord): Item => itemOf(users, some)
/** A row that an earlier release has written. */
const earlier: Item = { ...rowOf(user), hint: hintOf(profileOf(user)) }
const marks = (by: MatchBy, ...rows: string[]) =>
  matchingMarks(Uint32Array.from(rows.map((key) => markOfName(nameOfKey(by, key)))))

describe('the mark of a key is that of the user who has it', () => {
  it.each<[MatchBy, string]>([
    ['EXTERNAL_ID', 'E-Ω 1'],
    ['USERNAME', 'Zoë.Ørsted'],
    ['USERNAME', 'ZOË.ØRSTED'],
    ['ID', 'u'],
  ])('%s %s', (by, key) => {
    const mark = markIn(by, rowOf(user))
    expect(marks(by, 'other', key, 'another')(mark as number)).toBe(true)
    expect(marks(by, 'other', 'another')(mark as number)).toBe(false)
  })
})

it('a row says that a user has no external id, and one of an earlier release says nothing', () => {
  const nobody = { ...user, external_id: null }
  expect([markIn('EXTERNAL_ID', rowOf(nobody)), markIn('EXTERNAL_ID', earlier)]).toEqual([null, undefined])
  expect(markIn('USERNAME', earlier)).toBe(markIn('USERNAME', rowOf(user)))
})

it('a mark is four characters of a hint, and no part of what a user is found and sorted by', () => {
  const [hint, own] = [hintOf(profileOf(user)), String(rowOf(user).hint)]
  expect([own.slice(0, hint.length), own.length - hint.length]).toEqual([hint, 4])
  expect(profileOfHint(own)).toEqual(profileOf(user))
  // What functions of earlier releases make of it.
  const moment = own.slice(own.lastIndexOf('\u0001') + 1)
  expect(new Date(Number.parseInt(moment, 36)).toISOString()).toBe(user.created_at)
})

it('marks of external ids differ, and are read as they were written', () => {
  const found = Array.from({ length: 20_000 }, (_, n) => {
    const external_id = `E-${n}`
    const row = rowOf({ ...user, external_id })
    expect(profileOfHint(String(row.hint))).toEqual(profileOf(user))
    return [markIn('EXTERNAL_ID', row), markOfName(nameOfKey('EXTERNAL_ID', external_id))]
  })
  expect(found.filter(([shown, own]) => shown !== own)).toEqual([])
  const marks = found.map(([, own]) => own as number)
  expect(new Set(marks).size).toBeGreaterThan(19_900)
})
