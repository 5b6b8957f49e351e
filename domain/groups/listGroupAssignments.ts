import type { Input } from '../../schemas/contract.ts'
import type * as contracts from '../../schemas/groupAssignments.ts'
import { termWords } from '../base/text.ts'
import type { Answer, Context } from '../request/context.ts'
import { isBehindAll, type Pagination, paginationOf, type Window, window } from '../request/paging.ts'
import { sortings } from '../request/sorting.ts'
import * as keys from '../table/keys.ts'
import { type ListReader, listReader } from '../table/lists.ts'
import { all, type Item } from '../table/store.ts'
import {
  type Absent,
  absentUsers,
  type Member,
  type MemberSorting,
  memberIndex,
  memberPage,
  type Names,
  peopleLike,
  sortMembers,
  usersById,
} from '../users/people.ts'
import { existingGroup, type RoleList, roleLists } from './group.ts'
import { type GroupAssignmentView, sourceOf, viewGroupAssignment } from './groupAssignment.ts'

type ListInput = Input<typeof contracts.listGroupAssignments>
type List = {
  assignments: GroupAssignmentView[]
  pagination: Pagination
  actions?: { create: { allowed: boolean } }
}
/** Those of a group's roles that are asked for and held by anybody, and who is in no list any more. */
type Scope = { reader: ListReader; roles: RoleList[]; absent: Absent; sorts: MemberSorting[] }

/** Lists the assignments of a group, one entry per user and role. */
export async function listGroupAssignments(context: Context, { path, query }: ListInput): Promise<Answer<List>> {
  const words = termWords(query.search_term ?? '')
  const [group, counts, absent, people] = await Promise.all([
    existingGroup(context.store, path.group_id),
    all(context.store, keys.groupCounts(path.group_id)),
    absentUsers(context),
    words.length > 0 ? peopleLike(context, words) : undefined,
  ])
  const sorts = sortings(query.sort ?? ['USER_LAST_NAME_ASC'])
  const scope: Scope = {
    reader: listReader(context.store, memberIndex[(sorts[0] as MemberSorting).field]),
    roles: roleLists(group.id, counts).filter(({ role }) => !query.role_ids || query.role_ids.includes(role)),
    absent,
    sorts,
  }
  const { members, total } = people
    ? await found(scope, people, window(query))
    : await ordered(context, scope, window(query))
  const users = await usersById(
    context,
    members.map(({ userId }) => userId),
  )
  const assignments = members.map(({ userId, roleId, source }) =>
    viewGroupAssignment(
      { group_id: group.id, user_id: userId, role_id: roleId },
      { source: source as GroupAssignmentView['source'], user: users.get(userId), embed: query.embed },
    ),
  )
  const actions = query.embed?.includes('ACTIONS')
    ? { actions: { create: { allowed: group.status === 'ACTIVE' } } }
    : {}
  return { status: 200, body: { assignments, pagination: paginationOf(query, total), ...actions } }
}

type Found = { members: Member[]; total: number }

/** Without search the lists of the roles are merged only as far as the page needs; totals come from the counters. */
async function ordered(context: Context, scope: Scope, page: Window): Promise<Found> {
  const { reader, roles, absent, sorts } = scope
  const lists = roles.map(({ list }) => list)
  const keep = (row: Item): boolean => !absent.all.has(keys.userOfRow(row))
  const membersOf = (rows: readonly Item[]): Member[] => rows.map(memberOf)
  // A page takes its rows from whatever the count reads whole, so it is begun second.
  const counted = countMembers(scope)
  if (await isBehindAll(page, counted)) return { members: [], total: await counted }
  const [members, total] = await Promise.all([
    memberPage(context, { reader, lists, sorts, keep, membersOf }, page),
    counted,
  ])
  return { members, total }
}

/** How many assignments the roles have; the counters still hold users who are gone, until they are removed. */
async function countMembers({ reader, roles, absent }: Scope): Promise<number> {
  const sizes = roles.map(async (one) => one.size - (await reader.among(one, absent.overdue)).size)
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}

const memberOf = (row: Item): Member => ({
  userId: keys.userOfRow(row),
  roleId: keys.partsOfAssignment(row).role,
  source: sourceOf(row),
})

/** With a search term the people who match are known: of them, those who belong to the group. */
async function found(
  { reader, roles, absent, sorts }: Scope,
  people: Map<string, Names>,
  { skip, take }: Window,
): Promise<Found> {
  const ids = new Set([...people.keys()].filter((id) => !absent.all.has(id)))
  const rows = await Promise.all(roles.map((one) => reader.among(one, ids)))
  const members = rows
    .flatMap((held) => [...held.values()])
    .map((row) => ({ ...memberOf(row), names: people.get(keys.userOfRow(row)) as Names }))
  return { members: sortMembers(members, sorts).slice(skip, skip + take), total: members.length }
}
