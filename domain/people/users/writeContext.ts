import type { Context } from '../../request/context.ts'
import { forProperty } from '../../table/actions.ts'
import { type Reservation, takeName } from '../../table/changes.ts'
import * as keys from '../../table/keys.ts'
import type { Action, Item } from '../../table/store.ts'
import type { Editions } from '../records/attributes.ts'
import { groupMembers } from '../records/group.ts'
import type { UserRecord } from '../records/user.ts'
import { type RulesForUser, withRules } from '../rules/rulesInUserChange.ts'

// What all writes of a user share: creation.ts and change.ts write one.

/** What writes of a user need besides the user. */
export type WriteContext = {
  now: string
  /** The shard of the counters that this call writes to. */
  shard: number
  /** Id of the predefined role that members of the primary group have. */
  memberRole: string
  /** The rules and what the user holds, if rules have to be applied. */
  rulesForUser?: RulesForUser | undefined
  /** Roles in groups that rules must leave alone, as the caller writes them. */
  leftAlone?: readonly string[]
  /** Editions of the attribute definitions by which new values were checked. */
  editions?: Editions | undefined
}

/** The context of a call's writes, and the id of the group of all users. */
export async function writeContext(context: Context): Promise<WriteContext & { allUsers: string }> {
  const { predefined } = await context.organisation()
  const { USER_GROUP_MEMBER: memberRole = '', ALL_USERS: allUsers = '' } = predefined
  return { now: context.now, shard: context.shard, memberRole, allUsers }
}

/** Adds what rules give and take. Rules leave the `primary` memberships alone. */
export const withRolesOfRules = (
  actions: readonly Action[],
  user: UserRecord,
  { rulesForUser, now, shard, leftAlone = [] }: WriteContext,
  primary: readonly string[],
): Action[] =>
  rulesForUser
    ? withRules(actions, user, rulesForUser, { now, shard, leftAlone: [...primary, ...leftAlone] })
    : [...actions]

/** Whether an item reserves a name of the user. */
export const isReservation = (item: Item): item is Reservation => item['owner'] !== undefined

/** Takes a name for a user. */
export function take(name: Reservation, now: string): Action {
  const taken = keys.isUsernameKey(name) ? usernameTaken : externalIdTaken
  return forProperty(taken.property, takeName(name, taken, now))
}

const usernameTaken = { code: 'USERNAME_ALREADY_EXISTS', property: 'username' } as const
const externalIdTaken = { code: 'EXTERNAL_ID_ALREADY_EXISTS', property: 'external_id' } as const

/** Counts a member who joins or leaves a group. A closed group can only be left. */
export const countMember = (group: string, by: number, { shard, memberRole }: WriteContext): Action =>
  groupMembers(group).count(shard, keys.roleCount(memberRole), by, groupClosed)

/** The refusal of a group that is closed. */
export const groupClosed = { code: 'UNKNOWN_USER_GROUP_ID', property: 'primary_user_group_id' } as const
