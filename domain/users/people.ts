import type { Context } from '../request/context.ts'
import type { Window } from '../request/paging.ts'
import { type Sorting, sorted } from '../request/sorting.ts'
import * as keys from '../table/keys.ts'
import { type ListReader, listRanges, mergeLists, placeIn, runsOf } from '../table/lists.ts'
import * as places from '../table/places.ts'
import { firstExhausted, userOfWord, WORDS_READ, wordsLike, wordyUsers } from '../table/search.ts'
import { all, type Item } from '../table/store.ts'
import { matchesMember, profileOf, profileOfHint } from './userItems.ts'
import { isGone, type UserRecord, userOf } from './userRecord.ts'

// What the lists of members of groups and channels have in common.

/** One role that a user holds somewhere. */
export type Member = { userId: string; roleId: string; source: string }

export type MemberSorting = Sorting<'USER_LAST_NAME' | 'USER_FIRST_NAME'>

/** The index for each field. */
export const memberIndex = { USER_LAST_NAME: 'by_last_name', USER_FIRST_NAME: 'by_first_name' } as const

/** A user's names as the indexes have them. */
export type Names = Record<MemberSorting['field'], string>

/** Orders members; ties go by user id, then role id. */
export const sortMembers = <T extends Member & { names: Names }>(
  members: readonly T[],
  sorts: readonly MemberSorting[],
): T[] =>
  sorted(
    members,
    sorts,
    ({ names }, field) => names[field],
    ({ userId, roleId }) => places.placeAt(userId, roleId),
  )

/** Users who match a search term by first name, last name or department, with their names. */
export async function peopleLike(context: Context, words: readonly string[]): Promise<Map<string, Names>> {
  const [shortest, wordy] = await Promise.all([
    firstExhausted(context.store, words.slice(0, WORDS_READ).map(wordsLike)),
    all(context.store, wordyUsers),
  ])
  const people = new Map<string, Names>()
  for (const row of [...shortest.rows, ...wordy]) {
    const profile = profileOfHint(String(row.hint))
    if (matchesMember(profile, words)) people.set(userOfWord(row), namesOf(profile))
  }
  return people
}

const namesOf = ({ last_name, first_name }: { last_name: string; first_name: string }): Names => ({
  USER_LAST_NAME: places.leadOf(places.place(last_name, '')),
  USER_FIRST_NAME: places.leadOf(places.place(first_name, '')),
})

/** Users who are in no list although they have rows: all of them, and those of them who are overdue and still counted. */
export type Absent = { overdue: Set<string>; all: Set<string> }

/** Users who are overdue, and users whom an import is about to bring: their rows come before their records. */
export async function absentUsers({ store, now }: Pick<Context, 'store' | 'now'>): Promise<Absent> {
  const entries = await all(store, keys.absent(now))
  const [coming, due] = [entries.filter(keys.isComing), entries.filter((entry) => !keys.isComing(entry))]
  const overdue = new Set(due.map(({ sk }) => keys.userOfPurge(sk)))
  const parts = coming.map(({ data }) => data as { users: { id: string }[] })
  return { overdue, all: new Set([...overdue, ...parts.flatMap(({ users }) => users.map(({ id }) => id))]) }
}

/** Users whose deadline has passed and who are not yet removed. */
export async function overdueUsers(context: Context): Promise<Set<string>> {
  return new Set((await all(context.store, keys.overdue(context.now))).map(({ sk }) => keys.userOfPurge(sk)))
}

/** The records of users by id, without those who are gone. */
export async function usersById(context: Context, ids: Iterable<string>): Promise<Map<string, UserRecord>> {
  const items = await Promise.all([...new Set(ids)].map((id) => context.store.getSoon(keys.userKey(id))))
  const users = items.filter((item): item is Item => item !== undefined).map(userOf)
  return new Map(users.filter((user) => !isGone(user, context.now)).map((user) => [user.id, user]))
}

type Listing = {
  reader: ListReader
  lists: readonly string[]
  sorts: readonly MemberSorting[]
  /** Whether a row counts. */
  keep: (row: Item) => boolean
  /** What rows stand for. It is given all rows in order, so it can leave out what it has seen before. */
  membersOf: (rows: readonly Item[]) => Member[]
}

/**
 * One page of members, out of several lists that are merged only as far as the page needs. Rows go in runs: those of one
 * user, or, where further sorts order them, those of all users with one leading name.
 */
export async function memberPage(
  context: Context,
  { reader, lists, sorts, keep, membersOf }: Listing,
  { skip, take }: Window,
): Promise<Member[]> {
  const [first] = sorts as [MemberSorting]
  const index = memberIndex[first.field]
  const ranges = lists.flatMap((list) => listRanges(list, index, first.descending))
  const rows = mergeLists(reader, ranges, keep)
  const isPlain = sorts.length === 1
  const valueIn = (row: Item): string => (isPlain ? placeIn(row, index) : places.leadOf(placeIn(row, index)))
  const page: Member[] = []
  let passed = 0
  for await (const run of runsOf(rows, valueIn, skip + take + 1, take + 1)) {
    const members = membersOf(run)
    const from = Math.max(0, skip - passed)
    // Runs before the page are only counted.
    if (from < members.length) page.push(...(await inOrder(context, members, sorts)).slice(from))
    passed += members.length
    if (page.length >= take) break
  }
  return page.slice(0, take)
}

const NO_NAMES: Names = { USER_LAST_NAME: '', USER_FIRST_NAME: '' }

/** The members of one run in order. With one sort they have the same names, so these are not read. */
async function inOrder(context: Context, run: readonly Member[], sorts: readonly MemberSorting[]): Promise<Member[]> {
  const ids = sorts.length > 1 ? run.map(({ userId }) => userId) : []
  const users = await usersById(context, ids)
  const namesNow = (user: UserRecord | undefined): Names => (user ? namesOf(profileOf(user)) : NO_NAMES)
  return sortMembers(
    run.map((member) => ({ ...member, names: namesNow(users.get(member.userId)) })),
    sorts,
  )
}
