import type { Context, Input } from '../request/context.ts'
import { ownOfRule } from './rule.ts'
import { existingRule, showRule } from './ruleView.ts'

/** Reads a rule. */
export async function getRule(context: Context, { path }: Input<'getRule'>) {
  const [rule, parties] = await existingRule(context, path.rule_id)
  return { status: 200, body: await showRule(context, rule, parties), own: ownOfRule(rule) }
}
