import { refuse } from '../base/errors.ts'
import { createGroupAssignment } from '../people/groups/createGroupAssignment.ts'
import { deleteGroupAssignment } from '../people/groups/deleteGroupAssignment.ts'
import { giveMembership } from '../people/groups/membership.ts'
import { groups } from '../people/records/group.ts'
import { groupAssignments } from '../people/records/groupAssignment.ts'
import { checkRole } from '../people/records/groupAssignmentRules.ts'
import { roles } from '../people/records/role.ts'
import type { UserRecord } from '../people/records/user.ts'
import { userFields } from '../people/records/userFields.ts'
import type { UserAction } from '../people/records/userRules.ts'
import { createUser } from '../people/users/createUser.ts'
import { patching, restoring, updateUser } from '../people/users/updateUser.ts'
import { lifeCycle } from '../people/users/userLifeCycle.ts'
import type { Context, Input } from '../request/context.ts'
import { recordTag } from '../request/etags.ts'
import {
  creationOf,
  type GroupRole,
  groupRoleOf,
  isOfLifeCycle,
  patchOf,
  type StoredChange,
  withOrder,
} from './change.ts'
import { requireFeature } from './judge.ts'
import type { Plan } from './plan.ts'

// The operation of the single call that makes a change.

/** Creates the user whom a change plans. */
export async function runCreation(context: Context, { user, fields }: Pick<StoredChange, 'user' | 'fields'>) {
  await createUser(context, { path: {}, query: {}, body: creationOf(user, fields) as Input<'createUser'>['body'] })
}

/** Runs the operation of a change of a user who was judged. */
export async function runChange(
  context: Context,
  user: UserRecord,
  change: Pick<StoredChange, 'action' | 'fields' | 'order'>,
  { kind }: Pick<Plan, 'kind'>,
): Promise<void> {
  const groupRole = groupRoleOf(change.fields)
  if (groupRole) return runAssignment(context, user, { change, groupRole, isUndo: kind === 'UNDO' })
  const own = { ...context, ifMatch: [recordTag(userFields.own(user))] }
  const path = { user_id: user.id }
  const others = change.fields.filter((field) => !isOfLifeCycle(field))
  if (change.action === 'UPDATE' || (change.action === 'RESTORE' && others.length > 0)) {
    const body = patchOf(others) as Input<'updateUser'>['body']
    const how = change.action === 'RESTORE' ? restoring : patching
    const finished: typeof how.finished = (patched, before, now) =>
      withOrder(how.finished(patched, before, now), before, change.order?.after)
    await updateUser(own, { path, query: {}, body }, { ...how, finished })
  } else {
    await requireFeature(context, change.action)
    const act = change.action.toLowerCase() as Exclude<UserAction, 'update'>
    await lifeCycle(act, deadlineOf(change, context.now))(own, { path, query: {} })
  }
}

/** The deadline that a deletion brings back, if it is still ahead. */
function deadlineOf({ fields }: Pick<StoredChange, 'fields'>, now: string): string | undefined {
  const deadline = fields.find(({ field }) => field === 'deletion_at')?.after
  return typeof deadline === 'string' && deadline > now ? deadline : undefined
}

type Assigning = { change: Pick<StoredChange, 'action'>; groupRole: GroupRole; isUndo: boolean }

async function runAssignment(
  context: Context,
  user: UserRecord,
  { change, groupRole, isUndo }: Assigning,
): Promise<void> {
  const { user_group_id: group_id, role_id } = groupRole
  if (change.action === 'UNASSIGN')
    await deleteGroupAssignment(context, { path: { group_id, user_id: user.id, role_id }, query: {}, body: {} })
  else if (isUndo) await giveBack(context, user, groupRole)
  else await createGroupAssignment(context, { path: { group_id }, query: {}, body: { user_id: user.id, role_id } })
}

/** Gives back a role that a plan has taken: also to a user who is not active, and beside a rule that gives it by now. */
async function giveBack(context: Context, user: UserRecord, { user_group_id, role_id }: GroupRole): Promise<void> {
  const { store, shard } = context
  const id = { group_id: user_group_id, user_id: user.id, role_id }
  const [group, role, found, actor, { predefined }] = await Promise.all([
    groups.read(store, user_group_id),
    roles.read(store, role_id),
    groupAssignments.read(store, id),
    context.actor(),
    context.organisation(),
  ])
  if (!group) throw refuse('USER_GROUP_NOT_FOUND')
  if (group.status === 'ARCHIVED') throw refuse('USER_GROUP_ARCHIVED')
  checkRole(role, actor)
  await store.write(giveMembership({ id, user, found, counting: { predefined, shard }, rules: undefined }))
}
