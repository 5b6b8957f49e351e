import type { userSorts } from '../../../schemas/userRecords.ts'
import { userRoles as allRoles, statuses as allStatuses } from '../../../schemas/userStates.ts'
import { type Position, type Positioned, type Sorting, sortRecords } from '../../request/sorting.ts'
import * as keys from '../../table/keys.ts'
import type { Item } from '../../table/store.ts'
import type { UserRecord, UserStatus } from './user.ts'
import type { Match } from './userMatch.ts'
import { type Profile, profileOf, profileOfHint, sortValueFor, type UserIndex } from './userSearch.ts'

type Role = UserRecord['role']
type UserSort = (typeof userSorts)[number]
export type UserSorting = Sorting<UserSort>

/** What a list of users is asked for. */
export type UserFilter = {
  /** Empty means all. */
  statuses: readonly UserStatus[]
  roles: readonly Role[]
  sorts: UserSorting[]
  /** What else must be true of a user. */
  condition?: UserCondition | undefined
}

/** A name that at most one user has. */
export type UserName = { by: 'id' | 'username' | 'external_id'; value: string }

/** What must be true of a user. The two functions test a user; `names`, `words` and `attribute` lead to users, and each match fulfils them. */
export type UserCondition = {
  /** Each match has one of these names. */
  names?: readonly UserName[] | undefined
  /** Folded words, each the beginning of a word of each match. */
  words?: readonly string[]
  /** The user with this id is a match, whatever words they have. */
  id?: string | undefined
  attribute?: { name: string; value: string } | undefined
  /** Each match has changed at this moment or later. */
  since?: string | undefined
  /** Whether the user of a hint may match: hints lack most attributes. */
  mayMatch: Match
  matches: (user: UserRecord) => boolean
  /** Whether `mayMatch` is exact, except for the attribute: then no record is read, unless the order needs it. */
  isHintEnough: boolean
  /** Whether all matches are wanted or none. Otherwise the first ones are, if all are too many. */
  isAllOrNone?: boolean
}

/** The list of the users of one status and role; every user is in one of these. */
export type UserList = { status: UserStatus; role: Role }

/** The lists of these statuses and roles; none given means all. */
export const listsOf = ({ statuses, roles }: Pick<UserFilter, 'statuses' | 'roles'>): UserList[] =>
  (statuses.length > 0 ? statuses : allStatuses).flatMap((status) =>
    (roles.length > 0 ? roles : allRoles).map((role) => ({ status, role })),
  )

/** The lists of all users. */
export const allLists: readonly UserList[] = /* @__PURE__ */ listsOf({ statuses: [], roles: [] })

/** Whether users of this status and role are asked for. */
export const matchesStatusAndRole = (
  { status, role }: UserList,
  { statuses, roles }: Pick<UserFilter, 'statuses' | 'roles'>,
): boolean => (statuses.length === 0 || statuses.includes(status)) && (roles.length === 0 || roles.includes(role))

export const nameOfList = ({ status, role }: UserList): string => keys.userList(status, role)

/** All lists of users by their names. */
export const listOfName: ReadonlyMap<string, UserList> = new Map(allLists.map((list) => [nameOfList(list), list]))

/** What a user is sorted by: the profile, and what only the record or its list shows. */
export type Sortable = { id: string; profile: Profile } & Partial<Pick<UserRecord, 'status' | 'role' | 'updated_at'>>

export const sortableOf = (record: UserRecord) => {
  const { id, status, role, updated_at } = record
  return { id, profile: profileOf(record), status, role, updated_at, record }
}

/** The part of a user that a row of an index has; `list` is the list it was read from, by default as the row names it. */
export function sortableOfRow(row: Item, list = listOfName.get(String(row.list))): Sortable {
  const isByChange = row.by_updated_at !== undefined
  return {
    id: keys.userOfRow(row),
    profile: profileOfHint(String(row.hint)),
    ...list,
    ...(isByChange ? { updated_at: keys.textOfValue(keys.sortValueOf(keys.sortKeyIn(row, 'by_updated_at'))) } : {}),
  }
}

/** The index whose order a field is. Status and role have none: whole lists are read one after the other. */
export const indexOf: Partial<Record<UserSort, UserIndex>> = {
  LAST_NAME: 'by_last_name',
  FIRST_NAME: 'by_first_name',
  USERNAME: 'by_username_or_change',
  EMAIL: 'by_email',
  DEPARTMENT: 'by_department',
  LOCATION: 'by_location_or_due',
  CREATED_AT: 'by_created_at',
  UPDATED_AT: 'by_updated_at',
}

/** The fields that users are ordered by, as the indexes have it: equal last names go by first name. */
export function orderOf(sorts: readonly UserSorting[]): readonly UserSorting[] {
  const last = sorts.at(-1)
  return last?.field === 'LAST_NAME' ? [...sorts, { ...last, field: 'FIRST_NAME' }] : sorts
}

/**
 * Segments of lists follow each other in the order of the leading fields STATUS and ROLE. The lists of each are merged
 * by an index, which the next field names.
 */
export type SortedRead = {
  leading: readonly UserSorting[]
  segments: UserList[][]
  index: string
  descending: boolean
  sorts: readonly UserSorting[]
}

/** How users are read in the order of a sort. */
export function sortedReadOf(sorts: readonly UserSorting[], lists: readonly UserList[]): SortedRead {
  const first = sorts.findIndex(({ field }) => field !== 'STATUS' && field !== 'ROLE')
  const rest = first < 0 ? [] : sorts.slice(first)
  const leading = sorts.slice(0, sorts.length - rest.length)
  let segments: UserList[][] = [[...lists]]
  for (const sort of leading) {
    const values = [...new Set(lists.map((list) => valueIn(list, sort)))].sort()
    if (sort.descending) values.reverse()
    segments = segments.flatMap((some) => values.map((value) => some.filter((one) => valueIn(one, sort) === value)))
  }
  const [by] = rest
  return {
    leading,
    segments: segments.filter(({ length }) => length > 0),
    index: (by && indexOf[by.field]) ?? 'by_id',
    descending: (by ?? sorts.at(-1))?.descending ?? false,
    sorts: rest,
  }
}

/** The status or role of a list. */
export const valueIn = ({ status, role }: UserList, { field }: UserSorting): string =>
  field === 'STATUS' ? status : role

/** Users in order, each with its position. */
export const sortUsers = <T extends Sortable>(users: readonly T[], sorts: readonly UserSorting[]): Positioned<T>[] =>
  sortRecords(users, orderOf(sorts), fieldValue, ({ id }) => id)

/** The position of one user. */
export const positionOf = (user: Sortable, order: readonly UserSorting[]): Position => ({
  values: order.map(({ field }) => fieldValue(user, field) ?? null),
  id: user.id,
})

/** The value of one field, as its index has it. */
export function fieldValue({ profile, status, role, updated_at = '' }: Sortable, field: UserSort): string | undefined {
  if (field === 'STATUS') return status
  if (field === 'ROLE') return role
  return sortValueFor(indexOf[field] ?? 'by_id', profile, updated_at)
}
