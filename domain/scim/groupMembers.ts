import { groupMembers } from '../people/records/group.ts'
import { type GroupAssignmentSource, groupAssignments } from '../people/records/groupAssignment.ts'
import { countedRoles } from '../people/records/groupLists.ts'
import type { Context } from '../request/context.ts'
import * as keys from '../table/keys.ts'
import { all } from '../table/reader.ts'
import { ScimError } from './scimError.ts'

/** The most members that one answer shows, in all of its groups. */
export const MOST_MEMBERS = 10_000

/** Members in an answer. */
export type MemberList = readonly { value: string; $ref: string; type: 'User' }[]

/** How many members a group has, including users pending deletion. */
export async function countMembers({ store, organisation }: Context, group: string): Promise<number> {
  const [shards, { predefined }] = await Promise.all([groupMembers(group).read(store), organisation()])
  return countedRoles(shards).get(predefined.USER_GROUP_MEMBER ?? '') ?? 0
}

/** The users who hold the role of members, with its source. The index that lists them may be a moment late. */
export async function currentMembers(
  { store, organisation }: Context,
  group: string,
): Promise<{ user: string; source: GroupAssignmentSource }[]> {
  const { predefined } = await organisation()
  const hash = keys.groupList(group, predefined.USER_GROUP_MEMBER ?? '')
  const rows = await all(store, { index: 'by_last_name', hash })
  return rows.map((row) => ({ user: keys.userOfRow(row), source: groupAssignments.sourceOf(row) }))
}

/** Users as the members of a group. */
export const memberList = (ids: readonly string[], baseUrl: string): MemberList =>
  ids.map((id) => ({ value: id, $ref: `${baseUrl}/Users/${id}`, type: 'User' }))

/** The members of a group who are not pending deletion. If there are too many: undefined, or `tooMany` if the request names members. */
export async function membersShown(
  context: Context,
  group: string,
  { baseUrl, isAskedFor }: { baseUrl: string; isAskedFor: boolean },
): Promise<MemberList | undefined> {
  const [count, leaving] = await Promise.all([
    countMembers(context, group),
    all(context.store, { ...keys.allDeadlineItems, consistent: true }),
  ])
  if (count > MOST_MEMBERS) {
    if (isAskedFor) throw tooManyMembers()
    return undefined
  }
  const members = count === 0 ? [] : await currentMembers(context, group)
  const gone = new Set(leaving.map(keys.userOfDeadlineItem))
  return memberList(
    members.map(({ user }) => user).filter((id) => !gone.has(id)),
    baseUrl,
  )
}

const tooManyMembers = (): ScimError =>
  new ScimError(
    'tooMany',
    `The group has more than ${MOST_MEMBERS} members: GET user-groups/{group_id}/assignments pages them`,
  )
