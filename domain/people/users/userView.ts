import type { Context } from '../../request/context.ts'
import { type Group, groupReference, groups } from '../records/group.ts'
import { readUser, requireUser, type UserRecord } from '../records/user.ts'
import { recentAdministrators } from '../records/userCounters.ts'
import { userFields } from '../records/userFields.ts'
import { allowedActions } from '../records/userRules.ts'

/** What an answer shows besides the record. */
export type Embed = readonly 'ACTIONS'[] | undefined

/** Parts of a view that need no read: the primary group, and the number of administrators after the change. */
type Known = { group?: Group | undefined; administrators?: number }

/** The number of administrators, where an answer shows actions; zero where it does not. */
export const administratorsFor = async (context: Context, embed: Embed): Promise<number> =>
  embed?.includes('ACTIONS') ? recentAdministrators(context) : 0

async function primaryGroup(context: Context, id: string, ready?: Group) {
  const group = ready ?? (await groups.readEventual(context.store, id))
  return group ? groupReference(context, group) : null
}

/** The user as every user operation answers them. */
export async function viewUser(context: Context, user: UserRecord, embed: Embed, ready: Known = {}): Promise<UserView> {
  const [group, actionsOf] = await Promise.all([
    primaryGroup(context, user.primary_user_group_id, ready.group),
    showingActions(context, embed, ready.administrators),
  ])
  return view(user, group, actionsOf(user))
}

/** The users of a list. What several of them share is read once. */
export async function viewUsers(context: Context, users: readonly UserRecord[], embed: Embed): Promise<UserView[]> {
  const ids = [...new Set(users.map((user) => user.primary_user_group_id))]
  const [shown, actionsOf] = await Promise.all([
    Promise.all(ids.map((id) => primaryGroup(context, id))),
    showingActions(context, embed),
  ])
  const groupOf = new Map(ids.map((id, n) => [id, shown[n] ?? null]))
  return users.map((user) => view(user, groupOf.get(user.primary_user_group_id) ?? null, actionsOf(user)))
}

/** The answer that shows one user. Throws USER_NOT_FOUND. */
export async function showUser(context: Context, id: string, embed: Embed) {
  const user = requireUser(await readUser(context.store, id, context.now))
  return { status: 200, body: await viewUser(context, user, embed), own: userFields.own(user) }
}

const view = (
  user: UserRecord,
  primary_user_group: Awaited<ReturnType<typeof primaryGroup>>,
  actions: ReturnType<typeof allowedActions> | undefined,
) => ({ ...userFields.shown(user), primary_user_group, ...(actions ? { actions } : {}) })

/** Returns a function that says which actions a user allows now, for answers that show them. */
async function showingActions(context: Context, embed: Embed, count?: number) {
  if (!embed?.includes('ACTIONS')) return () => undefined
  const { actorId } = context
  const [administrators, actor, { features }] = await Promise.all([
    count ?? recentAdministrators(context),
    context.actor(),
    context.organisation(),
  ])
  const deactivation = features.user_deactivation
  return (user: UserRecord) => allowedActions(user, { actorId, actor, administrators, deactivation })
}

export type UserView = ReturnType<typeof view>
