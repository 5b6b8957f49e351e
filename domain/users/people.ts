import { termWords } from '../base/text.ts'
import type { Context } from '../request/context.ts'
import { type Extent, inRows, isBehindAll, nextInRows, pageOf, type Window } from '../request/paging.ts'
import { ranked, type Sorting } from '../request/sorting.ts'
import * as keys from '../table/keys.ts'
import {
  isCheaperWhole,
  type ListReader,
  listRanges,
  listReader,
  mergeLists,
  type PeopleList,
  placeIn,
  runsOf,
} from '../table/lists.ts'
import * as places from '../table/places.ts'
import type { Item } from '../table/store.ts'
import { loadUsers } from './user.ts'
import { candidates } from './userLists.ts'
import { matchesMember, profileOf } from './userSearch.ts'

// What the lists of members of groups and channels have in common.

/** One role that a user holds somewhere. */
export type Member = { userId: string; roleId: string }

type MemberSorting = Sorting<'USER_LAST_NAME' | 'USER_FIRST_NAME'>

const indexOf = { USER_LAST_NAME: 'by_last_name', USER_FIRST_NAME: 'by_first_name' } as const

/** A user's names as the indexes have them. */
type Names = Record<MemberSorting['field'], string>

/** The index that lists of members are read by, for these sorts. */
const leadingIndex = ([first]: readonly MemberSorting[]): string => indexOf[first?.field ?? 'USER_LAST_NAME']

/** Reads lists of members in the order of these sorts. */
export const memberReader = (store: Context['store'], sorts: readonly MemberSorting[]): ListReader =>
  listReader(store, leadingIndex(sorts))

/** Members in the order of their names, each with its position; ties go by user id, then role id. */
function rankMembers<T extends Member>(
  members: readonly T[],
  sorts: readonly MemberSorting[],
  namesOf: (user: string) => Names,
) {
  return ranked(
    members,
    sorts,
    ({ userId }, field) => namesOf(userId)[field],
    ({ userId, roleId }) => places.placeAt(userId, roleId),
  )
}

/** Users who match a search term by first name, last name or department, with their names; undefined without a term. */
export async function peopleLike(context: Context, term: string | undefined): Promise<Map<string, Names> | undefined> {
  const words = termWords(term ?? '')
  if (words.length === 0) return undefined
  const { profiles } = await candidates(context.store, words)
  const found = [...profiles].filter(([, profile]) => matchesMember(profile, words))
  return new Map(found.map(([id, profile]) => [id, namesOf(profile)]))
}

const namesOf = ({ last_name, first_name }: { last_name: string; first_name: string }): Names => ({
  USER_LAST_NAME: places.leadOf(places.place(last_name, '')),
  USER_FIRST_NAME: places.leadOf(places.place(first_name, '')),
})

/** How many users are in one list or another. */
export async function countPeople(
  reader: ListReader,
  lists: readonly PeopleList[],
  overdue: ReadonlySet<string>,
): Promise<number> {
  const [largest, ...others] = lists.toSorted((a, b) => b.size - a.size)
  if (!largest) return 0
  const people = async (some: readonly PeopleList[]): Promise<Set<string>> => {
    const rows = (await Promise.all(some.map(reader.whole))).flat()
    return new Set(rows.map(keys.userOfRow).filter((id) => !overdue.has(id)))
  }
  const rest = others.reduce((sum, { size }) => sum + size, 0)
  if (rest > 0 && isCheaperWhole(largest, rest)) return (await people(lists)).size
  // The largest list is only counted, and those of the others who are in it are looked up.
  const [ids, gone] = await Promise.all([people(others), reader.among(largest, overdue)])
  return largest.size - gone.size + ids.size - (await reader.among(largest, ids)).size
}

/** A list of members, merged from several. */
export type MemberListing<M extends Member> = {
  reader: ListReader
  lists: readonly PeopleList[]
  sorts: readonly MemberSorting[]
  overdue: ReadonlySet<string>
  /** What rows stand for. It is given each row once, in order, so it can leave out what it has seen before. */
  membersOf: (rows: readonly Item[]) => M[]
  /** How many members there are. */
  count: () => Promise<number>
}

type MemberPage<M> = { members: M[] } & Extent

/** One page of members, in order; `people` are the users who match a search, if there is one. */
export async function membersPage<M extends Member>(
  context: Context,
  listing: MemberListing<M>,
  people: Map<string, Names> | undefined,
  asked: Window,
): Promise<MemberPage<M>> {
  if (people) return foundMembers(listing, people, asked)
  const page = inRows(asked)
  // Counting is begun first: the page takes its rows from the lists that the count reads whole.
  const counted = listing.count()
  if (await isBehindAll(page, counted)) return { members: [], total: await counted, next: undefined }
  const [members, total] = await Promise.all([orderedMembers(context, listing, page), counted])
  return { members, total, next: nextInRows(page, total) }
}

async function foundMembers<M extends Member>(
  { reader, lists, sorts, overdue, membersOf }: MemberListing<M>,
  people: Map<string, Names>,
  window: Window,
): Promise<MemberPage<M>> {
  const ids = new Set([...people.keys()].filter((id) => !overdue.has(id)))
  const rows = await Promise.all(lists.map((one) => reader.among(one, ids)))
  const members = membersOf(rows.flatMap((held) => [...held.values()]))
  const all = rankMembers(members, sorts, (id) => people.get(id) ?? NO_NAMES)
  const { page, next } = pageOf(all, sorts, window)
  return { members: page, total: members.length, next }
}

/**
 * Lists are merged only as far as the page needs. Rows go in runs: those of one user, or, where further sorts order them,
 * those of all users with one leading name.
 */
async function orderedMembers<M extends Member>(
  context: Context,
  { reader, lists, sorts, overdue, membersOf }: MemberListing<M>,
  { skip, take }: Window,
): Promise<M[]> {
  const index = leadingIndex(sorts)
  const ranges = lists.flatMap(({ list }) => listRanges(list, index, sorts[0]?.descending ?? false))
  const rows = mergeLists(reader, ranges, (row) => !overdue.has(keys.userOfRow(row)))
  const valueIn = (row: Item): string => (sorts.length > 1 ? places.leadOf(placeIn(row, index)) : placeIn(row, index))
  const page: M[] = []
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
async function inOrder<M extends Member>(context: Context, run: readonly M[], sorts: readonly MemberSorting[]) {
  const ids = sorts.length > 1 ? run.map(({ userId }) => userId) : []
  const users = await loadUsers(context, ids)
  const names = new Map([...users].map(([id, user]) => [id, namesOf(profileOf(user))]))
  return rankMembers(run, sorts, (id) => names.get(id) ?? NO_NAMES).map(({ record }) => record)
}
