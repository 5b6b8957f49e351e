import { forProperty } from '../../table/actions.ts'
import { createRecord } from '../../table/changes.ts'
import { absent } from '../../table/expressions.ts'
import * as keys from '../../table/keys.ts'
import type { Action, Item } from '../../table/store.ts'
import { groupAssignmentItem } from '../records/groupAssignment.ts'
import { itemsWithUser, type UserRecord, users } from '../records/user.ts'
import { countUser } from '../records/userCounters.ts'
import { grantOf } from '../rules/ruleSet.ts'
import { countMember, isReservation, take, type WriteContext, withRolesOfRules } from './writeContext.ts'

/**
 * All actions that create a user, in one transaction. Each action with a condition names the `property` that it is about: a call is
 * refused for it, and an import lists it as a conflict. Only an import creates users who are pending
 * deletion. They also need a deadline item.
 */
export function creation(
  user: UserRecord,
  context: WriteContext,
  whenIdTaken?: (found: Item | undefined) => Error,
): Action[] {
  const { primary_user_group_id: group } = user
  const actions = [
    forProperty('id', createRecord(users, user, whenIdTaken)),
    forProperty('id', idNeverUsed(user)),
    ...itemsWithUser(user).map((item) => (isReservation(item) ? take(item, context.now) : { put: item })),
    // The one condition of these counts is the edition of the attribute definitions by which the values were checked.
    ...countUser(undefined, user, context).map((action) => forProperty('attributes', action)),
    { put: groupAssignmentItem(user, { group, role: context.memberRole, source: 'PRIMARY' }) },
    forProperty('primary_user_group_id', countMember(group, 1, context)),
  ]
  return withRolesOfRules(actions, user, context, [grantOf(group, context.memberRole)])
}

/** Refuses an id that another user has ever had: then there is a tombstone. A user pending deletion gets one right away. */
const idNeverUsed = ({ id, deletion_at }: UserRecord): Action => ({
  ...(deletion_at ? { put: keys.tombstoneKey(id) } : { check: keys.tombstoneKey(id) }),
  if: absent,
  otherwise: { code: 'USER_ID_ALREADY_EXISTS', property: 'id' },
})
