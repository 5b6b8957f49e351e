import { mayChange } from '../../request/actor.ts'
import { askedPage } from '../../request/askedPage.ts'
import type { Context, Input } from '../../request/context.ts'
import * as keys from '../../table/keys.ts'
import type { ListReader } from '../../table/peopleLists.ts'
import { all } from '../../table/reader.ts'
import type { Item } from '../../table/store.ts'
import { type Member, type MemberListing, memberReader } from '../finding/members.ts'
import { membersPage, peopleLike } from '../finding/membersPage.ts'
import { overdueUsers } from '../records/deadlineItem.ts'
import { existingGroup } from '../records/group.ts'
import { groupAssignments } from '../records/groupAssignment.ts'
import { type RoleList, roleLists } from '../records/groupLists.ts'
import { loadUsers } from '../records/userReference.ts'
import { type GroupAssignmentView, viewGroupAssignment } from './groupAssignmentView.ts'

type Holder = Member & { source: GroupAssignmentView['source'] }

/** Lists the assignments of a group, one entry per user and role. */
export async function listGroupAssignments(context: Context, { path, query }: Input<'listGroupAssignments'>) {
  const asked = await askedPage(context, ['listGroupAssignments', path.group_id], {
    sort: ['USER_LAST_NAME_ASC'],
    ...query,
  })
  const { sorts, window } = asked
  const [group, counts, overdue, people] = await Promise.all([
    existingGroup(context.store, path.group_id),
    all(context.store, keys.groupCounts(path.group_id)),
    overdueUsers(context),
    peopleLike(context, query.search_term),
  ])
  const reader = memberReader(context.store, sorts)
  const lists = roleLists(group.id, counts).filter(({ role }) => !query.role_ids || query.role_ids.includes(role))
  const listing: MemberListing<Holder> = {
    reader,
    lists,
    overlaps: false,
    sorts,
    overdue,
    membersOf: (rows) => rows.map(holderOf),
    count: () => countAssignments(reader, lists, overdue),
  }
  const { members, ...size } = await membersPage(context, listing, people, window)
  const [users, actor] = await Promise.all([
    loadUsers(
      context,
      members.map(({ userId }) => userId),
    ),
    context.actor(),
  ])
  const assignments = members.map(({ userId, roleId, source }) =>
    viewGroupAssignment(
      { group_id: group.id, user_id: userId, role_id: roleId },
      { source, user: users.get(userId), embed: query.embed, actor },
    ),
  )
  const mayCreate = group.status === 'ACTIVE' && mayChange(actor, 'USER_GROUPS')
  const actions = query.embed?.includes('ACTIONS') ? { actions: { create: { allowed: mayCreate } } } : {}
  return { status: 200, body: { assignments, pagination: await asked.pagination(size), ...actions } }
}

/** How many assignments the roles have: their counters still count users who are overdue. */
async function countAssignments(
  reader: ListReader,
  lists: readonly RoleList[],
  overdue: ReadonlySet<string>,
): Promise<number> {
  const sizes = lists.map(async (one) => one.size - (await reader.among(one, overdue)).size)
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}

const holderOf = (row: Item): Holder => ({
  userId: keys.userOfRow(row),
  roleId: keys.partsOfAssignment(row).role,
  source: groupAssignments.sourceOf(row),
  row,
})
