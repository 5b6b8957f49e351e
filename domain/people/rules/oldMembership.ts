import { groupAssignments } from '../records/groupAssignment.ts'
import type { UserRecord } from '../records/user.ts'
import type { OldMembership } from '../records/userRules.ts'
import { factsOf } from './matching.ts'
import { grantOf, isGranted } from './ruleSet.ts'
import { isUnnamed, type Settling } from './settle.ts'

/**
 * What becomes of the membership in a primary group when another group becomes the primary one. The first that is true
 * decides:
 * - it was MANUAL before: it is so again;
 * - a rule matches: it is RULE;
 * - it was RULE before, and the group is archived, or an import brought it and no rule has named it: it stays RULE;
 * - otherwise it ends.
 */
export function oldMembershipOf(
  { rules, held }: Settling,
  { before, after, memberRole }: { before: UserRecord; after: UserRecord; memberRole: string },
): OldMembership {
  const { primary_was: was, primary_user_group_id: group } = before
  const grant = grantOf(group, memberRole)
  const item = held?.get(grant)
  if (was === 'MANUAL') return { source: was }
  // Its events already say RULE if it was that before.
  if (isGranted(rules, grant, factsOf(after))) return { source: 'RULE', ...(was === 'RULE' ? {} : { byRule: item }) }
  const isByRules = item !== undefined && groupAssignments.isImported(item) === false
  const isKept = rules.ofArchivedGroups.has(grant) || (isUnnamed(rules, grant) && !isByRules)
  return was === 'RULE' && isKept ? { source: was } : undefined
}
