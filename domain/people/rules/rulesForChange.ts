import { groupAssignments } from '../records/groupAssignment.ts'
import type { OldMembership } from '../records/primaryGroupMove.ts'
import type { UserRecord } from '../records/user.ts'
import { type Facts, factsOf, hasOtherFacts } from './matching.ts'
import { type HeldRoles, isUnnamed, readHeld } from './roleChanges.ts'
import { grantOf, isGranted, type RuleSet, rulesFor } from './ruleSet.ts'
import type { Reader, RulesForUser } from './rulesInUserChange.ts'

// What a change of a stored user needs to know of rules: what a creation needs is in rulesInUserChange.ts.

type Changed = { before: UserRecord; after: UserRecord; held?: HeldRoles | undefined }

/**
 * Reads what a change of a stored user needs to know of rules; undefined if no condition can test what it changes. `held`: the
 * user's roles in groups, if they were read already, after the user.
 */
export async function rulesForChange(
  context: Reader,
  { before, after, held }: Changed,
): Promise<RulesForUser | undefined> {
  const isRestored = before.status === 'PENDING_DELETION'
  if (!isRestored && !hasOtherFacts(before, after)) return undefined
  const rules = await rulesFor(context)
  if (!rules) return undefined
  const { predefined } = await context.organisation()
  const hasOtherGroup = before.primary_user_group_id !== after.primary_user_group_id
  if (!isRestored && !hasOtherGroup && !givesOther(rules, factsOf(before), factsOf(after))) return { rules, predefined }
  return { rules, predefined, held: held ?? (await readHeld(context.store, after.id)) }
}

/** Whether rules give other grants by the facts after a change than by those before it. */
const givesOther = (rules: RuleSet, before: Facts, after: Facts): boolean =>
  [...rules.matchers.keys()].some((grant) => isGranted(rules, grant, before) !== isGranted(rules, grant, after))

/**
 * What becomes of the membership in a primary group when another group becomes the primary one. The first that is true
 * decides:
 * - it was MANUAL before: it is so again;
 * - a rule matches: it is RULE;
 * - it was RULE before, and the group is archived, or an import brought it and no rule has named it: it stays RULE;
 * - otherwise it ends.
 */
export function oldMembershipOf(
  { rules, held }: RulesForUser,
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
