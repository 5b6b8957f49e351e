import { applyRulesNow } from '../jobs/applyRules.ts'
import type { Context, Input } from '../request/context.ts'
import { requireExpected } from '../request/preconditions.ts'
import { ownOfRule, readRules } from './rule.ts'
import { ruleChange, ruleChanging } from './ruleChange.ts'
import { withParties } from './ruleView.ts'

/** Deletes a rule. Users who hold its role by this rule alone lose it. */
export async function deleteRule(context: Context, { path }: Input<'deleteRule'>) {
  const stored = await readRules(context.store)
  const [rule] = await withParties(
    context,
    stored.rules.find(({ id }) => id === path.rule_id),
  )
  requireExpected(context, ownOfRule(rule))
  const actions = ruleChange({ before: rule }, await ruleChanging(context, stored, new Map()))
  await context.store.write(actions)
  await applyRulesNow(context, actions)
  return { status: 204, body: undefined }
}
