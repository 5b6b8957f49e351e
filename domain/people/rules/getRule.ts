import type { Context, Input } from '../../request/context.ts'
import { requireRule } from './groupAndRole.ts'
import { ruleFields, rules } from './rule.ts'
import { readRulesWork } from './rulesWork.ts'
import { readGone, viewRule } from './ruleView.ts'

/** Reads a rule, with its group, its role, and how far it is applied. */
export async function getRule(context: Context, { path }: Input<'getRule'>) {
  const [found, applying] = await Promise.all([rules.read(context.store, path.rule_id), readRulesWork(context.store)])
  const [[rule, groupAndRole], gone] = await Promise.all([
    requireRule(context, found),
    readGone(context, found ? [found] : []),
  ])
  return {
    status: 200,
    body: await viewRule(context, rule, groupAndRole, { applying, gone }),
    own: ruleFields.own(rule),
  }
}
