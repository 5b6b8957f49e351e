import { amendRecord } from '../../table/changes.ts'
import type { Action, Item } from '../../table/store.ts'
import { type GroupAssignmentId, groupAssignments } from '../records/groupAssignment.ts'
import type { Counting } from '../records/heldRoles.ts'
import { bumpUserVersion } from '../records/heldRoles.ts'
import { type UserRecord, users } from '../records/user.ts'
import type { RuleSet } from '../rules/ruleSet.ts'
import { withdraw } from '../rules/withdraw.ts'

// Memberships that a client gives and takes by SCIM: the role USER_GROUP_MEMBER, whatever other roles a user has in the
// group. A client decides on MANUAL memberships only, not on those by the primary group or by rules.

/** A user, their membership as it was read, what counting it needs, and the rules, if there are any. */
type Membership = {
  id: GroupAssignmentId
  user: UserRecord
  found: Item | undefined
  counting: Counting
  rules: RuleSet | undefined
}

/**
 * Makes a membership MANUAL; no action if it is already. A primary one stays so, and becomes MANUAL when the user gets another
 * primary group. Stale if user or membership have changed since they were read, or if the group is archived or deleted.
 */
export function giveMembership({ id, user, found, counting }: Membership): Action[] {
  if (!found) return groupAssignments.give(id, user, 'MANUAL', counting)
  const source = groupAssignments.sourceOf(found)
  if (source === 'RULE') return [groupAssignments.changeSource(id, found, 'MANUAL'), bumpUserVersion(user)]
  return source === 'PRIMARY' ? changeLaterSource(id, user, found, 'MANUAL') : []
}

/** Takes away a MANUAL membership; no action for others. If a rule gives it too, the user keeps it with the source RULE. */
export function withdrawMembership({ id, user, found, counting, rules }: Membership): Action[] {
  if (!found) return []
  const source = groupAssignments.sourceOf(found)
  if (source === 'MANUAL')
    return rules ? withdraw(rules, id, { user, item: found }, counting) : groupAssignments.remove(id, found, counting)
  return source === 'PRIMARY' && user.primary_was === 'MANUAL' ? changeLaterSource(id, user, found, null) : []
}

/**
 * Changes what a primary membership becomes when the user gets another primary group. Callers see no change yet, but an event
 * says now that the membership is given or withdrawn: later it stays or ends without an event.
 */
const changeLaterSource = (
  id: GroupAssignmentId,
  user: UserRecord,
  found: Item,
  primary_was: UserRecord['primary_was'],
): Action[] =>
  user.primary_was === primary_was
    ? []
    : [
        amendRecord(users, user, { primary_was, version: user.version + 1 }, { expected: { version: user.version } }),
        groupAssignments.noteLaterSource(id, found, user.primary_was ?? undefined, primary_was ?? undefined),
      ]
