import { refuse } from '../base/errors.ts'
import { isObject } from '../base/values.ts'
import { type Group, groups } from '../people/records/group.ts'
import { groupAssignments } from '../people/records/groupAssignment.ts'
import { checkAssignable, checkRole } from '../people/records/groupAssignmentRules.ts'
import { patchedUser } from '../people/records/patchedUser.ts'
import { withLanguage } from '../people/records/preferredLanguage.ts'
import { type Role, roles } from '../people/records/role.ts'
import { checkNewRole } from '../people/records/roleRules.ts'
import type { UserRecord } from '../people/records/user.ts'
import { actedOn, checkAction, checkAdministrator, type UserAction } from '../people/records/userRules.ts'
import { readReferences } from '../people/users/references.ts'
import type { Context, Input } from '../request/context.ts'
import {
  assignmentField,
  fieldChanges,
  type GroupRole,
  groupRoleOf,
  orderOf,
  type PlannedChange,
  withFields,
} from './change.ts'
import type { Change, PlanAction } from './plan.ts'

// What a change does to each user: the rules are those of the single calls.

/** What is to be done with one user; undefined if they are so already. Throws the refusal of the single call. */
export type Judge = (user: UserRecord) => Promise<Omit<PlannedChange, 'row'> | undefined>

type LifeCycleAction = Exclude<UserAction, 'update'>
type Patch = Input<'updateUser'>['body']

/** Reads what a change refers to, and returns what it does to each user. Throws if it cannot be made of any user. */
export function judgeOf(context: Context, change: Change): Promise<Judge> {
  if (change.action) return lifeCycle(context, change.action)
  if (change.update) return update(context, change.update)
  if (change.assign) return assign(context, change.assign)
  return unassign(context, change.unassign as GroupRole)
}

/** Refuses what the organisation has switched off, as the endpoints of the single calls do. `at` is its property in the request. */
export async function requireFeature(context: Context, action: PlanAction, at = 'change.action'): Promise<void> {
  if (action !== 'DEACTIVATE' && action !== 'REACTIVATE') return
  const { features } = await context.organisation()
  if (!features.user_deactivation) throw refuse('FEATURE_NOT_ENABLED', at)
}

async function lifeCycle(context: Context, action: NonNullable<Change['action']>): Promise<Judge> {
  const [actor] = await Promise.all([context.actor(), requireFeature(context, action)])
  const act = action.toLowerCase() as LifeCycleAction
  return async (user) => {
    const after = actedOn(act, user, context.now)
    checkAdministrator(actor, user, after)
    checkAction(act, user, context.actorId)
    if (after === user) return undefined
    // A deadline that begins is the moment of the change and 14 days.
    const fields = fieldChanges(user, after).filter(({ field }) => field !== 'deletion_at' || user.deletion_at)
    return { action, fields }
  }
}

async function update(context: Context, patch: NonNullable<Change['update']>): Promise<Judge> {
  const { tags, ...given } = patch
  // As in the single call, an object without members changes nothing.
  const isEmptyObject = (value: unknown): boolean => isObject(value) && Object.keys(value).length === 0
  const rest: typeof given = Object.fromEntries(Object.entries(given).filter(([, value]) => !isEmptyObject(value)))
  // The tags of each user differ, so they are no part of what is checked once.
  const [actor, references] = await Promise.all([context.actor(), readReferences(context, rest)])
  checkNewRole(actor, rest.role)
  if (references.fault) throw references.fault
  const group = rest.primary_user_group_id === undefined ? undefined : await targetGroup(context, references.group)
  return async (user) => {
    const body = withLanguage({ ...rest, ...tagsOf(user, tags) } as Patch, references)
    const after = patchedUser(user, body, { group: group ?? user.primary_user_group_id, now: context.now })
    checkAdministrator(actor, user, after)
    checkAction('update', user, context.actorId)
    const fields = fieldChanges(user, after)
    return fields.length === 0 ? undefined : { action: 'UPDATE', fields, ...orderOf(user, fields) }
  }
}

/** The group that a patch makes the primary one; null is the group of all users. */
const targetGroup = async (context: Context, group: Group | undefined): Promise<string> =>
  group?.id ?? (await context.organisation()).predefined.ALL_USERS ?? ''

const MOST_TAGS = 50

function tagsOf({ tags }: UserRecord, wanted: NonNullable<Change['update']>['tags']): Pick<Patch, 'tags'> {
  if (wanted === undefined) return {}
  if (wanted === null || Array.isArray(wanted)) return { tags: wanted as { name: string }[] | null }
  const { add = [], remove = [] } = wanted as { add?: string[]; remove?: string[] }
  const kept = tags.filter(({ name }) => !remove.includes(name))
  const added = [...new Set(add)].filter((name) => !kept.some((tag) => tag.name === name))
  if (kept.length + added.length > MOST_TAGS)
    throw refuse('VALIDATION_ERROR', 'tags', `A user has at most ${MOST_TAGS} tags`)
  return { tags: [...kept, ...added.map((name) => ({ name }))] }
}

async function assign(context: Context, wanted: GroupRole): Promise<Judge> {
  const { group, role, actor } = await readGiven(context, wanted)
  if (group.status === 'ARCHIVED') throw refuse('USER_GROUP_ARCHIVED', 'change.assign.user_group_id')
  return async (user) => {
    checkAssignable({ group, user, role, actor })
    const found = await sourceOf(context, user, wanted)
    return found ? undefined : { action: 'ASSIGN', fields: [assignmentField(wanted, true)] }
  }
}

async function unassign(context: Context, wanted: GroupRole): Promise<Judge> {
  await readGiven(context, wanted)
  return async (user) => {
    const found = await sourceOf(context, user, wanted)
    if (!found) return undefined
    if (found !== 'MANUAL') throw refuse('DERIVED_ASSIGNMENT_DELETION_FORBIDDEN')
    return { action: 'UNASSIGN', fields: [assignmentField(wanted, false)] }
  }
}

/** Where a user has a role in a group from; undefined if they do not have it. */
async function sourceOf({ store }: Context, { id }: UserRecord, { user_group_id, role_id }: GroupRole) {
  const found = await groupAssignments.read(store, { user_id: id, group_id: user_group_id, role_id })
  return found && groupAssignments.sourceOf(found)
}

/** The group and the role that a change names. */
async function readGiven(context: Context, { user_group_id, role_id }: GroupRole) {
  const [group, role, actor] = await Promise.all([
    groups.read(context.store, user_group_id),
    roles.read(context.store, role_id),
    context.actor(),
  ])
  if (!group) throw refuse('UNKNOWN_USER_GROUP_ID', 'user_group_id')
  return { group, role: requireGroupRole(role), actor }
}

function requireGroupRole(role: Role | undefined): Role {
  if (!role) throw refuse('ROLE_DOES_NOT_EXIST', 'role_id')
  if (role.scope !== 'USER_GROUPS') throw refuse('ROLE_HAS_WRONG_PERMISSION_SCOPE', 'role_id')
  return role
}

/** Throws if a caller may not make a change of a user, as far as their rights, the user's status and the role that is given say. */
export async function requireAllowed(
  context: Context,
  user: UserRecord,
  change: Omit<PlannedChange, 'row'>,
): Promise<void> {
  const { action, fields } = change
  const actor = await context.actor()
  const groupRole = groupRoleOf(fields)
  if (groupRole) {
    if (action === 'ASSIGN') checkRole(await roles.read(context.store, groupRole.role_id), actor)
    return
  }
  const act = action.toLowerCase() as UserAction
  const role = fields.find(({ field }) => field === 'role')?.after as UserRecord['role'] | undefined
  checkNewRole(actor, role)
  const after = act === 'update' ? withFields(user, change) : actedOn(act, user, context.now)
  checkAdministrator(actor, user, after)
  checkAction(act, user, context.actorId)
}
