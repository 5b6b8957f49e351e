import type { Counting } from '../roles/role.ts'
import type { RuleSet } from '../rules/ruleSet.ts'
import { withdraw } from '../rules/settle.ts'
import type { Action, Item } from '../table/store.ts'
import { bumpUserVersion, type UserRecord, users } from '../users/user.ts'
import { type GroupAssignmentId, groupAssignments } from './groupAssignment.ts'

// Memberships that a directory gives and takes: the role USER_GROUP_MEMBER, whatever else a user holds in the group. What is
// MANUAL is the directory's; the primary group and rules are not.

/** A user, their membership as it was read, what counting it needs, and the rules, if there are any. */
type Membership = {
  id: GroupAssignmentId
  user: UserRecord
  found: Item | undefined
  counting: Counting
  rules: RuleSet | undefined
}

/**
 * Makes a membership MANUAL; nothing if it is. Under a primary group it is kept as what comes back later. Stale if user or
 * membership have changed since they were read, or if the group is archived or deleted.
 */
export function giveMembership({ id, user, found, counting }: Membership): Action[] {
  if (!found) return groupAssignments.give(id, user, 'MANUAL', counting)
  const source = groupAssignments.sourceOf(found)
  if (source === 'RULE') return [groupAssignments.changeSource(id, found, 'MANUAL'), bumpUserVersion(user)]
  return source === 'PRIMARY' ? keptUnderPrimary(id, user, found, 'MANUAL') : []
}

/** Withdraws what is MANUAL of a membership; nothing where nothing is. Where a rule gives it, too, it becomes one by rule. */
export function withdrawMembership({ id, user, found, counting, rules }: Membership): Action[] {
  if (!found) return []
  const source = groupAssignments.sourceOf(found)
  if (source === 'MANUAL')
    return rules ? withdraw(rules, id, { user, item: found }, counting) : groupAssignments.remove(id, found, counting)
  return source === 'PRIMARY' && user.primary_was === 'MANUAL' ? keptUnderPrimary(id, user, found, null) : []
}

/**
 * Changes what a membership will be when it is primary no more. Callers see no change, but an event says that the membership
 * is given or withdrawn: later it stays or ends without one.
 */
const keptUnderPrimary = (
  id: GroupAssignmentId,
  user: UserRecord,
  found: Item,
  primary_was: UserRecord['primary_was'],
): Action[] =>
  user.primary_was === primary_was
    ? []
    : [
        users.amend(user, { primary_was, version: user.version + 1 }, { expected: { version: user.version } }),
        groupAssignments.noteBelow(id, found, user.primary_was ?? undefined, primary_was ?? undefined),
      ]
