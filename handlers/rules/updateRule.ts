import { wrongInPatch } from '../../domain/people/rules/ruleInput.ts'
import { updateRule } from '../../domain/people/rules/updateRule.ts'
import * as compiled from '../../schemas/compiled/updateRule.js'
import type { updateRule as contract } from '../../schemas/rules.ts'
import { endpoint } from '../middleware/endpoint.ts'
import { readJson } from '../middleware/readBody.ts'
import { writes } from '../middleware/writes.ts'

export const handler = endpoint<typeof contract>(compiled)(updateRule, {
  body: readJson,
  writes,
  moreFaults: wrongInPatch,
})
