import { wrongInPatch } from '../../domain/rules/ruleInput.ts'
import { updateRule } from '../../domain/rules/updateRule.ts'
import * as compiled from '../../schemas/compiled/updateRule.js'
import type { updateRule as contract } from '../../schemas/rules.ts'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint<typeof contract>(compiled)(updateRule, { alsoWrong: wrongInPatch })
