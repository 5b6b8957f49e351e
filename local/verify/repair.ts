import { userCounts } from '../../domain/people/records/userCounters.ts'
import { applyRulesToUser } from '../../domain/people/rules/applyToUser.ts'
import { readRules } from '../../domain/people/rules/rule.ts'
import { readRulesWork, rulesNote } from '../../domain/people/rules/rulesWork.ts'
import { countRuleEdition } from '../../domain/people/rules/ruleWrites.ts'
import { succeeded } from '../../domain/table/actions.ts'
import { atMost } from '../../domain/table/expressions.ts'
import { RULES_ROUND } from '../../domain/table/keys.ts'
import type { Store } from '../../domain/table/store.ts'

/** What can be put right: users, with the grants that rules decide otherwise, and whether a walk has stopped before its end. */
export type Repairs = { users: Map<string, Set<string>>; hasStopped: boolean }

/** Nothing to put right yet. */
export const noRepairs = (): Repairs => ({ users: new Map(), hasStopped: false })

/**
 * Puts right what the check of rules has found: applies the rules as they are now to users, as a change of them does, and has the walk
 * noted again that takes back what deleted rules gave. May be repeated, and calls may change the table meanwhile. Returns how many
 * users it has corrected.
 */
export async function repair(store: Store, { users, hasStopped }: Repairs, clock = () => new Date()): Promise<number> {
  const work = { store, now: clock().toISOString(), clock, timeLeft: () => Number.POSITIVE_INFINITY }
  for (const [user, grants] of users)
    await applyRulesToUser(work, user, new Map([...grants].map((grant) => [grant, undefined])))
  if (hasStopped) await goOn(store, work.now)
  return users.size
}

/** Notes the work of deleted rules again. Without any, only the notes of a walk are left in the counters. */
async function goOn(store: Store, now: string): Promise<void> {
  // In this order: changes after these reads have later editions, and so have their rounds, whose notes stay.
  const stored = await readRules(store)
  if (await readRulesWork(store)) return
  const deleted = stored.rules.filter(({ deleting }) => deleting)
  if (deleted.length > 0) return store.write([countRuleEdition, rulesNote(deleted, { now, stored })])
  for (const update of userCounts.keys)
    await succeeded(store.write([{ update, clear: [RULES_ROUND], if: atMost(RULES_ROUND, stored.edition) }]))
}
