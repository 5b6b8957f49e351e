import { refuse } from '../../base/errors.ts'
import type { Context, Input } from '../../request/context.ts'
import { reserveIdempotencyKey } from '../../request/repetition.ts'
import { existingGroup } from '../records/group.ts'
import { groupAssignments, ownOfGroupAssignment } from '../records/groupAssignment.ts'
import { checkAssignable } from '../records/groupAssignmentRules.ts'
import { roles } from '../records/role.ts'
import { readUser } from '../records/user.ts'
import { viewGroupAssignment } from './groupAssignmentView.ts'

/** Gives a user a role in a group. */
export async function createGroupAssignment(context: Context, { path, body, query }: Input<'createGroupAssignment'>) {
  const { store, shard } = context
  const id = { ...body, group_id: path.group_id }
  const [group, user, role, existing, actor, { predefined }] = await Promise.all([
    existingGroup(store, id.group_id),
    readUser(store, id.user_id, context.now),
    roles.read(store, id.role_id),
    groupAssignments.read(store, id),
    context.actor(),
    context.organisation(),
  ])
  const assignee = checkAssignable({ group, user, role, actor })
  if (existing) throw refuse('USER_GROUP_ASSIGNMENT_ALREADY_EXISTS')
  const source = 'MANUAL'
  const giving = groupAssignments.give(id, assignee, source, { predefined, shard })
  await store.write([...reserveIdempotencyKey(context, id.user_id), ...giving])
  const view = viewGroupAssignment(id, { source, user: assignee, embed: query.embed, actor })
  return { status: 201, body: view, own: ownOfGroupAssignment(id, source) }
}
