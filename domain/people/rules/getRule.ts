import type { Context, Input } from '../../request/context.ts'
import { ruleFields, rules } from './rule.ts'
import { readRulesWork } from './rulesWork.ts'
import { readGone, viewRule, withParties } from './ruleView.ts'

/** Reads a rule, with its group, its role, and how far it is applied. */
export async function getRule(context: Context, { path }: Input<'getRule'>) {
  const [found, applying] = await Promise.all([rules.read(context.store, path.rule_id), readRulesWork(context.store)])
  const [[rule, parties], gone] = await Promise.all([
    withParties(context, found),
    readGone(context, found ? [found] : []),
  ])
  return { status: 200, body: await viewRule(context, rule, parties, { applying, gone }), own: ruleFields.own(rule) }
}
