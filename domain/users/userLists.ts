import { roles as allRoles, statuses as allStatuses, type userSorts } from '../../schemas/userRecords.ts'
import type { Context } from '../request/context.ts'
import { type Sorting, sorted } from '../request/sorting.ts'
import * as keys from '../table/keys.ts'
import * as places from '../table/places.ts'
import { all, type Item, type Range } from '../table/store.ts'
import { type Profile, placesOf, profileOf } from './userItems.ts'
import { type UserRecord, type UserStatus, userOf } from './userRecord.ts'
import { countAttribute } from './userWrites.ts'

type Role = UserRecord['role']
type UserSort = (typeof userSorts)[number]
export type UserSorting = Sorting<UserSort>

/** What a list of users is asked for. */
export type UserFilter = {
  /** Folded words of the search term, and the term itself, which may be a user's id. */
  words: string[]
  term: string | undefined
  username: string | undefined
  externalId: string | undefined
  attribute: { name: string; value: string } | undefined
  /** Empty means all. */
  statuses: readonly UserStatus[]
  /** Empty means all. */
  roles: readonly Role[]
  sorts: UserSorting[]
}

export type UserPage = { users: UserRecord[]; total: number }

/** What a user is sorted by. Status, role and last change stand in the record only. */
export type Sortable = { id: string; profile: Profile; record?: UserRecord }

export const sortableOf = (record: UserRecord) => ({ id: record.id, profile: profileOf(record), record })

/** The index whose order a field is. Status and role have none: whole lists are put one behind the other. */
export const indexOf: Partial<Record<UserSort, string>> = {
  LAST_NAME: 'by_last_name',
  FIRST_NAME: 'by_first_name',
  USERNAME: 'by_username_or_change',
  EMAIL: 'by_email',
  DEPARTMENT: 'by_department',
  LOCATION: 'by_location_or_due',
  CREATED_AT: 'by_created_at',
  UPDATED_AT: 'by_updated_at',
}

/** Sorting by these needs the record, not only the profile. */
export const needsRecord = ({ field }: UserSorting): boolean =>
  field === 'STATUS' || field === 'ROLE' || field === 'UPDATED_AT'

/** Orders users as the indexes do: equal last names go by first name. */
export function sortUsers<T extends Sortable>(users: readonly T[], sorts: readonly UserSorting[]): T[] {
  const last = sorts.at(-1)
  const fields = last?.field === 'LAST_NAME' ? [...sorts, { ...last, field: 'FIRST_NAME' as const }] : sorts
  return sorted(users, fields, fieldValue, ({ id }) => id)
}

/** The value of one field, as its index has it. */
function fieldValue({ profile, record }: Sortable, field: UserSort): string | undefined {
  if (field === 'STATUS') return record?.status
  if (field === 'ROLE') return record?.role
  const index = indexOf[field] as keyof ReturnType<typeof placesOf>
  const place = placesOf(profile, { id: '', updated_at: record?.updated_at ?? '' })[index]
  return places.valueOfLead(places.leadOf(place))
}

/** How many users there are, in all states. */
export const countEverybody = (context: Context): Promise<number> =>
  countUsers(
    context,
    allStatuses.flatMap((status) => allRoles.map((role) => ({ status, role }))),
  )

/**
 * How many users there are in lists of one status and role each. Counters know it, but for users pending deletion: those
 * are counted by their purge entries, as they leave the lists when their deadline passes.
 */
export async function countUsers(
  context: Context,
  lists: readonly { status: UserStatus; role: Role }[],
): Promise<number> {
  const leaving = lists.filter(({ status }) => status === 'PENDING_DELETION').map(({ role }) => role)
  const [shards, pending] = await Promise.all([all(context.store, keys.userCounts), countPending(context, leaving)])
  const names = lists.map(({ status, role }) => countAttribute(status, role))
  let count = pending
  for (const shard of shards) for (const name of names) count += Number(shard[name] ?? 0)
  return count
}

/** Users of these roles who are pending deletion. Only where some of the roles are asked for, the entries are read. */
async function countPending(context: Context, roles: readonly Role[]): Promise<number> {
  const range = keys.pending(context.now)
  if (roles.length === 0) return 0
  if (roles.length === allRoles.length) return countEntries(context, range)
  const entries = await all(context.store, range)
  const found = await Promise.all(entries.map((entry) => entry.role ?? roleOf(context, entry)))
  return found.filter((role) => roles.includes(role as Role)).length
}

async function countEntries({ store }: Context, range: Range): Promise<number> {
  let count = 0
  let rest: Range | undefined = { ...range, countOnly: true }
  while (rest) {
    const page: Awaited<ReturnType<Context['store']['query']>> = await store.query(rest)
    count += page.count
    rest = page.next ? { ...rest, after: page.next } : undefined
  }
  return count
}

/** Entries of older versions do not name the role: the record does, and nothing changes it before the deadline. */
async function roleOf({ store }: Context, entry: Item): Promise<Role | undefined> {
  const item = await store.getSoon(keys.userKey(keys.userOfPurge(entry.sk)))
  return item && userOf(item).role
}
