import type { Input } from '../../schemas/contract.ts'
import type * as contracts from '../../schemas/groupAssignments.ts'
import type { Answer, Context } from '../context.ts'
import { refuse } from '../errors.ts'
import {
  type Absent,
  absentUsers,
  compareMembers,
  type Member,
  type MemberSorting,
  memberIndex,
  memberSortings,
  type Named,
  namesOfUser,
  peopleLike,
  usersById,
} from '../lists/members.ts'
import { listRanges, merged } from '../lists/merge.ts'
import { paginationOf, window } from '../lists/pages.ts'
import * as keys from '../store/keys.ts'
import { all, type Item } from '../store/store.ts'
import { termWords } from '../text.ts'
import { readGroup } from './group.ts'
import { type AssignmentView, viewAssignment } from './groupAssignmentOperations.ts'

type ListInput = Input<typeof contracts.listGroupAssignments>
type List = {
  assignments: AssignmentView[]
  pagination: ReturnType<typeof paginationOf>
  actions?: { create: { allowed: boolean } }
}
type Window = { skip: number; take: number }
/** A group, those of its roles that are asked for and held by anybody, and who is in no list any more. */
type Scope = { group: string; roles: string[]; size: number; absent: Absent; sorts: MemberSorting[] }

/** Fewer matches than this are looked up one by one; more are compared with all members. */
const FEW = 200

/** Lists the assignments of a group, one entry per user and role. */
export async function listGroupAssignments(context: Context, { path, query }: ListInput): Promise<Answer<List>> {
  const words = termWords(query.search_term ?? '')
  const [group, counts, absent, people] = await Promise.all([
    readGroup(context.store, path.group_id),
    all(context.store, keys.groupCounts(path.group_id)),
    absentUsers(context),
    words.length > 0 ? peopleLike(context, words) : undefined,
  ])
  if (!group) throw refuse('USER_GROUP_NOT_FOUND', 'group_id')
  const roles = countedRoles(counts, query.role_ids)
  const size = [...roles.values()].reduce((sum, count) => sum + count, 0)
  const scope = { group: group.id, roles: [...roles.keys()], size, absent, sorts: memberSortings(query.sort) }
  const { members, total } = people
    ? await found(context, scope, people, window(query))
    : await ordered(context, scope, window(query))
  const users = await usersById(
    context,
    members.map(({ userId }) => userId),
  )
  const assignments = members.map(({ userId, roleId, source }) =>
    viewAssignment(
      { group_id: group.id, user_id: userId, role_id: roleId },
      source as AssignmentView['source'],
      users.get(userId),
      query.embed,
    ),
  )
  const actions = query.embed?.includes('ACTIONS')
    ? { actions: { create: { allowed: group.status === 'ACTIVE' } } }
    : {}
  return { status: 200, body: { assignments, pagination: paginationOf(query, total), ...actions } }
}

/** How many hold each role in the group, over all shards; only roles that somebody holds. */
function countedRoles(shards: readonly Item[], wanted: readonly string[] | undefined): Map<string, number> {
  const counts = new Map<string, number>()
  for (const [attribute, count] of shards.flatMap((shard) => Object.entries(shard))) {
    const role = keys.countedRole(attribute)
    if (role !== undefined && (!wanted || wanted.includes(role)))
      counts.set(role, (counts.get(role) ?? 0) + Number(count))
  }
  return new Map([...counts].filter(([, count]) => count > 0))
}

type Found = { members: Member[]; total: number }

/** Without search the lists of the roles are merged only as far as the page needs; totals come from the counters. */
async function ordered(context: Context, scope: Scope, { skip, take }: Window): Promise<Found> {
  const [first] = scope.sorts as [MemberSorting]
  const index = memberIndex[first.field]
  const ranges = scope.roles.flatMap((role) => listRanges(keys.groupList(scope.group, role), index, first.descending))
  const rows = merged(context.store, ranges, (row) => !scope.absent.all.has(keys.userOfRow(row)))
  const [page, gone] = await Promise.all([
    scope.sorts.length === 1
      ? rows.take(skip + take).then((read) => read.slice(skip).map(memberOf))
      : inRuns(context, scope, rows, { skip, take }),
    overdueHere(context, scope),
  ])
  return { members: page, total: scope.size - gone }
}

/** Further sorts order runs of people with one leading name; runs before the page are only counted. */
async function inRuns(
  context: Context,
  { sorts }: Scope,
  rows: ReturnType<typeof merged>,
  { skip, take }: Window,
): Promise<Member[]> {
  const index = memberIndex[(sorts[0] as MemberSorting).field]
  const page: Member[] = []
  let passed = 0
  let [row] = await rows.take(1, skip + take + 1)
  while (row && page.length < take) {
    const lead = keys.leadOf(String(row[index]))
    const run: Member[] = []
    while (row && keys.leadOf(String(row[index])) === lead) {
      run.push(memberOf(row))
      ;[row] = await rows.take(1, take + 1)
    }
    const from = Math.max(0, skip - passed)
    if (from < run.length) page.push(...(await sortedRun(context, run, sorts)).slice(from, from + take - page.length))
    passed += run.length
  }
  return page
}

async function sortedRun(context: Context, run: Member[], sorts: readonly MemberSorting[]): Promise<Member[]> {
  const users = await usersById(
    context,
    run.map(({ userId }) => userId),
  )
  return run
    .map((member): Named => ({ ...member, names: namesFrom(users.get(member.userId)) }))
    .sort(compareMembers(sorts))
}

const namesFrom = (user: Parameters<typeof namesOfUser>[0] | undefined): Named['names'] =>
  user ? namesOfUser(user) : { last_name: '', first_name: '' }

const memberOf = (row: Item): Member => ({
  userId: keys.userOfRow(row),
  roleId: keys.partsOfAssignment(row).role,
  source: String(row['source']),
})

/** Assignments of users past their deadline, still counted because nothing has removed them yet. */
async function overdueHere(context: Context, scope: Scope): Promise<number> {
  const { group, roles } = scope
  const { overdue } = scope.absent
  if (overdue.size > FEW)
    return (await allRows(context, scope)).filter((row) => overdue.has(keys.userOfRow(row))).length
  const held = await Promise.all([...overdue].map((id) => all(context.store, keys.groupAssignmentsOf(id, group))))
  return held.flat().filter((item) => roles.includes(keys.partsOfAssignment(item).role)).length
}

/** With a search term the people who match are known: few are looked up in the group, many compared with its members. */
async function found(
  context: Context,
  scope: Scope,
  people: Map<string, Named['names']>,
  { skip, take }: Window,
): Promise<Found> {
  const wanted = [...people.keys()].filter((id) => !scope.absent.all.has(id))
  const rows =
    wanted.length * scope.roles.length <= FEW ? await lookedUp(context, scope, wanted) : await allRows(context, scope)
  const members = rows
    .map(memberOf)
    .flatMap((member) => {
      const names = people.get(member.userId)
      return names && !scope.absent.all.has(member.userId) ? [{ ...member, names }] : []
    })
    .sort(compareMembers(scope.sorts))
  return { members: members.slice(skip, skip + take), total: members.length }
}

async function lookedUp({ store }: Context, { group, roles }: Scope, ids: readonly string[]): Promise<Item[]> {
  const wanted = ids.flatMap((id) => roles.map((role) => keys.groupAssignmentKey(id, group, role)))
  const items = await Promise.all(wanted.map((key) => store.getSoon(key)))
  return items.filter((item): item is Item => item !== undefined)
}

async function allRows({ store }: Context, { group, roles }: Scope): Promise<Item[]> {
  const lists = roles.map((role) => all(store, { index: 'by_last_name', hash: keys.groupList(group, role) }))
  return (await Promise.all(lists)).flat()
}
