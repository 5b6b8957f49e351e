import type { Input } from '../../schemas/contract.ts'
import type * as contracts from '../../schemas/groupAssignments.ts'
import { refuse } from '../base/errors.ts'
import type { Answer, Context } from '../request/context.ts'
import { assignableRoles } from '../roles/assignableRoles.ts'
import { countRoleUse, roles } from '../roles/role.ts'
import { groupAssignmentKey } from '../table/keys.ts'
import { retrying } from '../table/retry.ts'
import type { Item } from '../table/store.ts'
import { readUser, type UserRecord } from '../users/userRecord.ts'
import { userReference } from '../users/userReference.ts'
import { existingGroup } from './group.ts'
import { checkAssignable } from './groupAssignmentRules.ts'
import { groupAssignmentCreation, groupAssignmentDeletion } from './groupAssignmentWrites.ts'

/** What identifies an assignment: one role of one user in one group. */
export type Triple = { group_id: string; user_id: string; role_id: string }
type Source = 'PRIMARY' | 'MANUAL' | 'RULE'
type Embed = readonly 'ACTIONS'[] | undefined

/** An assignment as every operation here answers it. */
export const viewAssignment = (id: Triple, source: Source, user: UserRecord | undefined, embed: Embed) => ({
  id: { group_id: id.group_id, user_id: id.user_id, role_id: id.role_id },
  source,
  user: userReference(id.user_id, user),
  ...(embed?.includes('ACTIONS') ? { actions: { delete: { allowed: source === 'MANUAL' } } } : {}),
})
export type AssignmentView = ReturnType<typeof viewAssignment>

/** Lists the roles that the actor may hand out in a group. */
export async function listAssignableGroupRoles(
  context: Context,
  { path, query }: Input<typeof contracts.listAssignableGroupRoles>,
): Promise<Answer<Awaited<ReturnType<typeof assignableRoles>>>> {
  const [roles] = await Promise.all([
    assignableRoles(context, 'USER_GROUPS', query),
    existingGroup(context.store, path.group_id),
  ])
  return { status: 200, body: roles }
}

/** Gives a user a role in a group. */
export const createGroupAssignment = (
  context: Context,
  { path, body, query }: Input<typeof contracts.createGroupAssignment>,
): Promise<Answer<AssignmentView>> =>
  assign(context, { group_id: path.group_id, user_id: body.user_id, role_id: body.role_id }, query.embed)

/** The single call behind POST and its batch. */
export function assign(context: Context, id: Triple, embed: Embed): Promise<Answer<AssignmentView>> {
  return retrying(async () => {
    const [group, user, role, existing, actor, { predefined }] = await Promise.all([
      existingGroup(context.store, id.group_id),
      readUser(context.store, id.user_id, context.now),
      roles.read(context.store, id.role_id),
      context.store.get(keyOf(id)),
      context.actor(),
      context.organisation(),
    ])
    const assignee = checkAssignable({ group, user, role, actor })
    if (existing) throw refuse('USER_GROUP_ASSIGNMENT_ALREADY_EXISTS')
    await context.store.write([
      ...groupAssignmentCreation(id, assignee, context.shard),
      ...countRoleUse(predefined, id.role_id, 1, context.shard),
    ])
    return { status: 201, body: viewAssignment(id, 'MANUAL', assignee, embed) }
  })
}

/** Reads an assignment. */
export async function getGroupAssignment(
  context: Context,
  { path, query }: Input<typeof contracts.getGroupAssignment>,
): Promise<Answer<AssignmentView>> {
  const { source, user } = await existing(context, path)
  return { status: 200, body: viewAssignment(path, source, user, query.embed) }
}

/** Takes a role in a group away; what follows from the primary group or a rule stays. */
export const deleteGroupAssignment = (
  context: Context,
  { path, query }: Input<typeof contracts.deleteGroupAssignment>,
): Promise<Answer<AssignmentView>> => withdraw(context, path, query.embed)

/** The single call behind DELETE and its batch. */
export function withdraw(context: Context, id: Triple, embed: Embed): Promise<Answer<AssignmentView>> {
  return retrying(async () => {
    const [{ source, user }, { predefined }] = await Promise.all([existing(context, id), context.organisation()])
    if (source !== 'MANUAL') throw refuse('DERIVED_ASSIGNMENT_DELETION_FORBIDDEN')
    await context.store.write([
      ...groupAssignmentDeletion(id, context.shard),
      ...countRoleUse(predefined, id.role_id, -1, context.shard),
    ])
    return { status: 200, body: viewAssignment(id, source, user, embed) }
  })
}

const keyOf = ({ group_id, user_id, role_id }: Triple) => groupAssignmentKey(user_id, group_id, role_id)

/** Nobody who is gone holds anything, whether or not it has been removed yet. */
async function existing(context: Context, id: Triple): Promise<{ source: Source; user: UserRecord }> {
  const [, user, item] = await Promise.all([
    existingGroup(context.store, id.group_id),
    readUser(context.store, id.user_id, context.now),
    context.store.get(keyOf(id)),
  ])
  if (!user || !item) throw refuse('USER_GROUP_ASSIGNMENT_NOT_FOUND')
  return { source: sourceOf(item), user }
}

/** Where an assignment comes from. */
export const sourceOf = (item: Item): Source => item['source'] as Source
