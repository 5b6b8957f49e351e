import type { Context, Input } from '../../request/context.ts'
import { requireExpected } from '../../request/etags.ts'
import { applyRulesNow } from './applyRules.ts'
import { requireRule } from './groupAndRole.ts'
import { type Rule, readRules, ruleFields, rules, type StoredRules } from './rule.ts'
import { isBeingApplied, readRulesWork, rulesNote } from './rulesWork.ts'
import { showRule } from './ruleView.ts'
import { countRuleEdition, ending, ruleChange, ruleChanging } from './ruleWrites.ts'

/**
 * Deletes a rule. Users who hold its role by this rule alone lose it. If that takes longer than a call, the rule is DELETING until
 * it is done, and this answers the rule.
 */
export async function deleteRule(context: Context, { path }: Input<'deleteRule'>) {
  const stored = await readRules(context.store)
  const [rule, groupAndRole] = await requireRule(
    context,
    stored.rules.find(({ id }) => id === path.rule_id),
  )
  // The caller of a deletion that is under way asks how far it is, or has lost the answer.
  if (!rule.deleting) requireExpected(context, ruleFields.own(rule))
  const actions = rule.deleting ? await resumed(context, stored, rule) : await begun(context, stored, rule)
  if (actions.length > 0) await context.store.write(actions)
  await applyRulesNow(context, actions)
  const left = await rules.read(context.store, rule.id)
  if (!left?.deleting) return { status: 204, body: undefined }
  return { status: 202, body: await showRule(context, left, groupAndRole), own: ruleFields.own(left) }
}

const begun = async (context: Context, stored: StoredRules, before: Rule) =>
  ruleChange({ before, after: ending(before) }, await ruleChanging(context, stored, new Map()))

/** Notes the work once more if nothing is left of it: a function of the previous release may have ended it without removing the rule. */
async function resumed({ store, now }: Context, stored: StoredRules, rule: Rule) {
  const isUnderWay = isBeingApplied(rule, await readRulesWork(store))
  return isUnderWay ? [] : [countRuleEdition, rulesNote([rule], { now, stored })]
}
