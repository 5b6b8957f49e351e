import type { Action, Item } from '../../table/store.ts'
import { groupMembers } from '../records/group.ts'
import { type GroupAssignmentId, groupAssignments } from '../records/groupAssignment.ts'
import { bumpUserVersion, type Counting } from '../records/heldRoles.ts'
import type { UserRecord } from '../records/user.ts'
import { factsOf } from './matching.ts'
import { requireRules, staleRules } from './roleChanges.ts'
import { grantOf, isGranted, type RuleSet } from './ruleSet.ts'

/** A MANUAL assignment, and its user. */
type Withdrawn = { user: UserRecord; item: Item }

/**
 * Takes back a MANUAL role. If a rule gives this role, too, it stays with the source RULE. If rules name the grant, the user must
 * not have changed since they were read, as their facts decide.
 */
export function withdraw(
  rules: RuleSet,
  id: GroupAssignmentId,
  { user, item }: Withdrawn,
  counting: Counting,
): Action[] {
  const grant = grantOf(id.group_id, id.role_id)
  const { shard } = counting
  if (!rules.matchers.has(grant)) return requireRules(rules, shard, groupAssignments.remove(id, item, counting))
  const isKept = user.status !== 'PENDING_DELETION' && isGranted(rules, grant, factsOf(user))
  const actions = isKept
    ? [groupAssignments.changeSource(id, item, 'RULE'), groupMembers(id.group_id).requireOpen(shard, staleRules(rules))]
    : groupAssignments.remove(id, item, counting)
  return requireRules(rules, shard, [...actions, bumpUserVersion(user)])
}
