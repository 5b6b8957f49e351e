import { type Group, groupReference, groups } from '../groups/group.ts'
import type { Context } from '../request/context.ts'
import { adminCountKey } from '../table/keys.ts'
import type { UserRecord } from './userRecord.ts'
import { allowedActions } from './userRules.ts'

/** What may be asked to be told besides the record. */
export type Embed = readonly 'ACTIONS'[] | undefined

/**
 * How many unprotected active administrators there are, a moment ago: for showing what is allowed, not for deciding.
 * Zero where the answer is not to show it.
 */
export async function administratorsSoon(context: Context, embed: Embed): Promise<number> {
  if (!embed?.includes('ACTIONS')) return 0
  return Number((await context.store.getSoon(adminCountKey))?.count ?? 0)
}

/** What has been read already for a view: his primary group, and how many administrators there will be. */
type Known = { group?: Group | undefined; administrators?: number }

async function primaryGroup(context: Context, id: string, known?: Group) {
  const group = known ?? (await groups.readSoon(context.store, id))
  return group ? groupReference(context, group) : null
}

/** The user as every user operation answers him. */
export async function viewUser(context: Context, user: UserRecord, embed: Embed, known: Known = {}): Promise<UserView> {
  const [group, actions] = await Promise.all([
    primaryGroup(context, user.primary_user_group_id, known.group),
    actionsOf(context, user, embed, known.administrators),
  ])
  return view(user, group, actions)
}

/** The users of a list: what several of them have in common is looked at once. */
export async function viewUsers(context: Context, users: readonly UserRecord[], embed: Embed): Promise<UserView[]> {
  const ids = [...new Set(users.map((user) => user.primary_user_group_id))]
  const [administrators, ...groups] = await Promise.all([
    administratorsSoon(context, embed),
    ...ids.map((id) => primaryGroup(context, id)),
  ])
  const groupOf = new Map(ids.map((id, n) => [id, groups[n] ?? null]))
  const actions = await Promise.all(users.map((user) => actionsOf(context, user, embed, administrators)))
  return users.map((user, n) => view(user, groupOf.get(user.primary_user_group_id) ?? null, actions[n]))
}

function view(
  user: UserRecord,
  primary_user_group: Awaited<ReturnType<typeof primaryGroup>>,
  actions: Awaited<ReturnType<typeof actionsOf>>,
) {
  return {
    id: user.id,
    external_id: user.external_id,
    first_name: user.first_name,
    last_name: user.last_name,
    email: user.email,
    status: user.status,
    username: user.username,
    role: user.role,
    required_actions: user.required_actions,
    primary_user_group,
    attributes: user.attributes,
    profile_picture: user.profile_picture,
    tags: user.tags,
    created_at: user.created_at,
    updated_at: user.updated_at,
    ...(user.deletion_at ? { deletion_at: user.deletion_at } : {}),
    ...(actions ? { actions } : {}),
  }
}

async function actionsOf(context: Context, user: UserRecord, embed: Embed, known?: number) {
  if (!embed?.includes('ACTIONS')) return undefined
  const [administrators, { features }] = await Promise.all([
    known ?? administratorsSoon(context, embed),
    context.organisation(),
  ])
  return allowedActions(user, context.actorId, administrators, features.user_deactivation)
}

export type UserView = ReturnType<typeof view>
