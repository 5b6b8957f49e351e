import { compareBytes } from '../base/text.ts'
import type { Part } from '../import/unfinished.ts'
import type { Context } from '../request/context.ts'
import { firstExhausted } from '../table/firstExhausted.ts'
import * as keys from '../table/keys.ts'
import * as places from '../table/places.ts'
import { userOfWord, WORDS_READ, wordsLike, wordyUsers } from '../table/searchKeys.ts'
import { all, type Item } from '../table/store.ts'
import { matchesMember, profileOf, profileOfHint } from './userItems.ts'
import { isGone, type UserRecord, userOf } from './userRecord.ts'

/** One role that a user holds somewhere, as a row of a list names it. */
export type Member = { userId: string; roleId: string; source: string }

/** How a list of people is ordered; ties by user id, then role id, in the direction of the last. */
export type MemberSorting = { field: 'last_name' | 'first_name'; descending: boolean }

export const memberIndex = { last_name: 'by_last_name', first_name: 'by_first_name' } as const

/** `USER_LAST_NAME_DESC` taken apart; by last name if nothing is asked for. */
export const memberSortings = (sort: readonly string[] | undefined): MemberSorting[] =>
  (sort ?? ['USER_LAST_NAME_ASC']).map((value) => ({
    field: value.startsWith('USER_LAST_NAME') ? 'last_name' : 'first_name',
    descending: value.endsWith('_DESC'),
  }))

/** Names as the lists' indexes have them. */
export type Named = Member & { names: Record<'last_name' | 'first_name', string> }

/** Orders members by several fields. */
export function compareMembers(sorts: readonly MemberSorting[]): (a: Named, b: Named) => number {
  const last = sorts.at(-1)?.descending ? -1 : 1
  return (a, b) => {
    for (const { field, descending } of sorts) {
      const order = compareBytes(a.names[field], b.names[field])
      if (order !== 0) return descending ? -order : order
    }
    return last * (compareBytes(a.userId, b.userId) || compareBytes(a.roleId, b.roleId))
  }
}

/** People who match a search term by first name, last name or department, with their names, wherever they belong. */
export async function peopleLike(context: Context, words: readonly string[]): Promise<Map<string, Named['names']>> {
  const [shortest, wordy] = await Promise.all([
    firstExhausted(context.store, words.slice(0, WORDS_READ).map(wordsLike)),
    all(context.store, wordyUsers),
  ])
  const people = new Map<string, Named['names']>()
  for (const row of [...shortest.rows, ...wordy]) {
    const profile = profileOfHint(String(row['hint']))
    if (matchesMember(profile, words)) people.set(userOfWord(row), namesOf(profile))
  }
  return people
}

/** The names of a record as lists sort them. */
export const namesOfUser = (user: UserRecord): Named['names'] => namesOf(profileOf(user))

const namesOf = (names: Named['names']): Named['names'] => ({
  last_name: places.leadOf(places.place(names.last_name, '')),
  first_name: places.leadOf(places.place(names.first_name, '')),
})

/** Who is in no list, whatever rows of his there are; of those, whose deadline has passed: he is still counted. */
export type Absent = { overdue: Set<string>; all: Set<string> }

/** Users who are overdue, and users whom an import is about to bring: their rows come before their records. */
export async function absentUsers({ store, now }: Pick<Context, 'store' | 'now'>): Promise<Absent> {
  const entries = await all(store, keys.absent(now))
  const [coming, due] = [entries.filter(keys.isComing), entries.filter((entry) => !keys.isComing(entry))]
  const overdue = new Set(due.map(({ sk }) => keys.userOfPurge(sk)))
  return {
    overdue,
    all: new Set([...overdue, ...coming.flatMap(({ data }) => (data as Part).users.map(({ id }) => id))]),
  }
}

/** Whose deadline has passed without his having been removed: he is in no list any more. */
export async function overdueUsers(context: Context): Promise<Set<string>> {
  return new Set((await all(context.store, keys.overdue(context.now))).map(({ sk }) => keys.userOfPurge(sk)))
}

/** The records of users by id; who is gone is missing. */
export async function usersById(context: Context, ids: Iterable<string>): Promise<Map<string, UserRecord>> {
  const items = await Promise.all([...new Set(ids)].map((id) => context.store.getSoon(keys.userKey(id))))
  const users = items.filter((item): item is Item => item !== undefined).map(userOf)
  return new Map(users.filter((user) => !isGone(user, context.now)).map((user) => [user.id, user]))
}
