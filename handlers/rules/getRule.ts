import { getRule } from '../../domain/people/rules/getRule.ts'
import * as compiled from '../../schemas/compiled/getRule.js'
import type { getRule as contract } from '../../schemas/rules.ts'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint<typeof contract>(compiled)(getRule)
