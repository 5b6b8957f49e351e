import { createRule } from '../../domain/people/rules/createRule.ts'
import { getRule } from '../../domain/people/rules/getRule.ts'
import { wrongInRule } from '../../domain/people/rules/ruleInput.ts'
import * as compiled from '../../schemas/compiled/createRule.js'
import type { createRule as contract } from '../../schemas/rules.ts'
import { endpoint } from '../middleware/endpoint.ts'
import { readJson } from '../middleware/readBody.ts'
import { repeatable } from '../middleware/repeatable.ts'
import { writes } from '../middleware/writes.ts'

export const handler = endpoint<typeof contract>(compiled)(createRule, {
  body: readJson,
  writes,
  moreFaults: wrongInRule,
  repeats: repeatable((context, rule_id) => getRule(context, { path: { rule_id }, query: {}, body: {} })),
})
