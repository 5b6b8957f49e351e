import { decideAgain } from '../base/flow.ts'
import { readOrganisation } from '../organisation/organisation.ts'
import { grantsOf, type RuleSet, readRuleSet } from '../rules/ruleSet.ts'
import { readHeld, requireRules, settle, settledUser, settlementsOf } from '../rules/settle.ts'
import { randomShard } from '../table/counters.ts'
import { idOfWork } from '../table/keys.ts'
import { type Cause, happened } from '../table/store.ts'
import { mergeCounts } from '../table/transactions.ts'
import { type Entry, endWork, isShortOfTime, type Work } from '../table/work.ts'
import { readUser, type UserRecord } from '../users/user.ts'

/** The grants of changed rules, and the cause of the last change of each. */
export type Causes = ReadonlyMap<string, Cause | undefined>

/** Settlements in one transaction: each takes up to four actions, and all of them two more. */
export const SETTLEMENTS_PER_TRANSACTION = 9

/** Settles a user whose change had no room for it, and ends the entry. */
export async function finishSettling(work: Work, entry: Entry<'settle'>): Promise<void> {
  if (await settleUser(work, idOfWork(entry))) await happened(work.store.write([endWork(entry)]))
}

/**
 * Gives a user the roles that rules give now, and takes those that they no longer give: the grants in `causes`, by default all
 * that rules name. Events name the causes. False if the time was too short.
 */
export async function settleUser(work: Work, id: string, causes?: Causes): Promise<boolean> {
  const { predefined } = await readOrganisation(work.store)
  let isDone = false
  while (!isDone) {
    if (isShortOfTime(work)) return false
    isDone = await decideAgain(async () => {
      const rules = await readRuleSet(work.store)
      const shard = randomShard()
      const user = await readUser(work.store, id, work.clock().toISOString())
      if (!user) return true
      const grants = grantsFor(rules, user, awake(rules, causes ? [...causes.keys()] : grantsOf(rules)))
      const settlements = settlementsOf(rules, user, await readHeld(work.store, id), grants)
      if (settlements.length === 0) return true
      const some = settlements.slice(0, SETTLEMENTS_PER_TRANSACTION)
      const actions = some.flatMap((one) => settle(rules, user, one, { predefined, shard }, causes?.get(one.grant)))
      const whole = mergeCounts([...actions, settledUser(user, some)])
      await work.store.write(requireRules(rules, shard, whole ?? []))
      return some.length === settlements.length
    })
  }
  return true
}

/** These grants without those in archived groups: their rules have no effect. */
export const awake = ({ asleep }: RuleSet, grants: readonly string[]): string[] =>
  grants.filter((grant) => !asleep.has(grant))

/** The grants that a user may get or lose. A user pending deletion only loses roles that no rule names any more. */
export const grantsFor = (
  { matchers }: RuleSet,
  { status }: UserRecord,
  grants: readonly string[],
): readonly string[] => (status === 'PENDING_DELETION' ? grants.filter((grant) => !matchers.has(grant)) : grants)
