import { decideAgain } from '../../base/retry.ts'
import { succeeded } from '../../table/actions.ts'
import { idOfWork, randomShard } from '../../table/keys.ts'
import type { Cause } from '../../table/store.ts'
import { mergeCounts } from '../../table/transactions.ts'
import { endWork } from '../../table/work.ts'
import type { Entry } from '../../table/workKinds.ts'
import { inSteps, type Work } from '../../work/steps.ts'
import type { Counting } from '../records/heldRoles.ts'
import { readOrganisation } from '../records/organisation.ts'
import { readUser, type UserRecord } from '../records/user.ts'
import { readHeld, requireRules, roleChangeActions, roleChangesOf } from './roleChanges.ts'
import { type RuleSet, readRuleSet } from './ruleSet.ts'
import { bumpVersionForRoles, requirePresentRules } from './walkActions.ts'

// Applies the rules to one user, apart from a change of the user: there was no room for it, or a walk has to do it.

/** The grants of changed rules, and the cause of the last change of each. */
export type Causes = ReadonlyMap<string, Cause | undefined>

/** Role changes in one transaction: each takes up to four actions, and all of them two more. */
export const ROLE_CHANGES_PER_TRANSACTION = 9

/** Applies the rules to a user whose change had no room for it, and ends the entry. */
export async function finishRulesForUser(work: Work, entry: Entry<'settle'>): Promise<void> {
  if (await applyRulesToUser(work, idOfWork(entry))) await succeeded(work.store.write([endWork(entry)]))
}

/**
 * Gives a user the roles that rules give now, and takes those that they no longer give: the grants in `causes`, by default all
 * that rules name. Events name the causes. False if the time was too short.
 */
export async function applyRulesToUser(work: Work, id: string, causes?: Causes): Promise<boolean> {
  const counting = { predefined: (await readOrganisation(work.store)).predefined, shard: randomShard() }
  const step = async () => ((await applySome(work, id, counting, causes)) ? undefined : id)
  return (await inSteps(work, id, () => decideAgain(step))) === undefined
}

/** Changes as many roles as one transaction holds; false if more is left. */
async function applySome({ store, clock }: Work, id: string, counting: Counting, causes?: Causes): Promise<boolean> {
  const rules = await readRuleSet(store)
  const user = await readUser(store, id, clock().toISOString())
  if (!user) return true
  const grants = grantsFor(rules, user, ofActiveGroups(rules, causes ? [...causes.keys()] : allGrants(rules)))
  const roleChanges = roleChangesOf(rules, user, await readHeld(store, id), grants)
  if (roleChanges.length === 0) return true
  const some = roleChanges.slice(0, ROLE_CHANGES_PER_TRANSACTION)
  const actions = some.flatMap((one) => roleChangeActions(rules, user, one, counting, causes?.get(one.grant)))
  const whole = mergeCounts([...actions, bumpVersionForRoles(user, some)]) ?? []
  const isOfWalk = causes !== undefined || some.some(({ grant }) => rules.ended.has(grant))
  await store.write(isOfWalk ? requirePresentRules(rules, whole) : requireRules(rules, counting.shard, whole))
  return some.length === roleChanges.length
}

const allGrants = ({ matchers, ended }: RuleSet): string[] => [...matchers.keys(), ...ended]

/** These grants without those in archived groups: their rules have no effect. */
export const ofActiveGroups = ({ ofArchivedGroups }: RuleSet, grants: readonly string[]): string[] =>
  grants.filter((grant) => !ofArchivedGroups.has(grant))

/** The grants that a user may get or lose. A user pending deletion only loses roles that no rule names any more. */
export const grantsFor = (
  { matchers }: RuleSet,
  { status }: UserRecord,
  grants: readonly string[],
): readonly string[] => (status === 'PENDING_DELETION' ? grants.filter((grant) => !matchers.has(grant)) : grants)
