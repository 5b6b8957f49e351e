import type { Context } from '../../request/context.ts'
import type { Listing } from '../../request/readPage.ts'
import { positionOfRow, type Sorting, sortRecords } from '../../request/sorting.ts'
import * as keys from '../../table/keys.ts'
import { isCheaperWhole, type ListReader, listReader, type PeopleList } from '../../table/peopleLists.ts'
import type { Item } from '../../table/store.ts'
import { loadUsers } from '../records/userReference.ts'
import { profileOf } from '../records/userSearch.ts'

// The common parts of the lists of members: of groups, and of channels.

/** One role that a user holds somewhere, and the row that says so. */
export type Member = { userId: string; roleId: string; row: Item }

type MemberSorting = Sorting<'USER_LAST_NAME' | 'USER_FIRST_NAME'>

const indexOf = { USER_LAST_NAME: 'by_last_name', USER_FIRST_NAME: 'by_first_name' } as const

/** A user's names, folded as in the indexes. */
export type Names = Record<MemberSorting['field'], string>

/** The index that lists of members are read by, for these sorts. */
export const leadingIndex = ([first]: readonly MemberSorting[]): string => indexOf[first?.field ?? 'USER_LAST_NAME']

/** Reads lists of members in the order of these sorts. */
export const memberReader = (store: Context['store'], sorts: readonly MemberSorting[]): ListReader =>
  listReader(store, leadingIndex(sorts))

/** Members in the order of their names, each with its position; ties go by user id, then role id. */
export function sortMembers<T extends Member>(
  members: readonly T[],
  sorts: readonly MemberSorting[],
  namesOf: (user: string) => Names,
) {
  return sortRecords(
    members,
    sorts,
    ({ userId }, field) => namesOf(userId)[field],
    ({ userId, roleId }) => keys.sortKeyAt(userId, roleId),
  )
}

export const namesOf = ({ last_name, first_name }: { last_name: string; first_name: string }): Names => ({
  USER_LAST_NAME: keys.sortValueOf(keys.sortKey(last_name, '')),
  USER_FIRST_NAME: keys.sortValueOf(keys.sortKey(first_name, '')),
})

/** How many users are in at least one of the lists. */
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
  // The largest list is only counted; users of the other lists are looked up in it.
  const [ids, gone] = await Promise.all([people(others), reader.among(largest, overdue)])
  return largest.size - gone.size + ids.size - (await reader.among(largest, ids)).size
}

/** A list of members, merged from several. */
export type MemberListing<M extends Member> = {
  reader: ListReader
  lists: readonly PeopleList[]
  /** Whether the same member can be in several lists. */
  overlaps: boolean
  sorts: readonly MemberSorting[]
  overdue: ReadonlySet<string>
  /** The members of rows. Each row is passed once, so members seen before can be left out. */
  membersOf: (rows: readonly Item[]) => M[]
  /** How many members there are. */
  count: () => Promise<number>
}

/** Members in the order of their names. Lists are merged only as far as the page needs. */
export function inOrder<M extends Member>(
  context: Context,
  { reader, lists, overlaps, sorts, overdue, membersOf }: MemberListing<M>,
  size: number | undefined,
): Listing<M> {
  const order = { index: leadingIndex(sorts), descending: sorts[0]?.descending ?? false }
  const names = new Map<string, Names>()
  return {
    store: { query: (range) => reader.query(range, context.store) },
    segments: [{ lists: lists.map(({ list }) => list), values: [], size }],
    order,
    sorts,
    ties: sorts.length > 1 ? 'values' : overlaps ? 'sortKeys' : 'rows',
    keep: (row) => !overdue.has(keys.userOfRow(row)),
    keepsAllRows: () => overdue.size === 0,
    load: membersOf,
    prepare: async (members) => {
      // The row has the name that is sorted by first; only a second one is in the record.
      const ids = sorts.length > 1 ? members.map(({ userId }) => userId) : []
      for (const [id, user] of await loadUsers(context, ids)) names.set(id, namesOf(profileOf(user)))
    },
    positionOf: ({ row, userId, roleId }) => {
      const others = sorts.slice(1).map(({ field }) => (names.get(userId) ?? NO_NAMES)[field])
      const [first = null] = positionOfRow(row, order.index).values
      return { values: [first, ...others], id: keys.sortKeyAt(userId, roleId) }
    },
  }
}

export const NO_NAMES: Names = { USER_LAST_NAME: '', USER_FIRST_NAME: '' }
