import { deleteRule } from '../../domain/people/rules/deleteRule.ts'
import * as compiled from '../../schemas/compiled/deleteRule.js'
import type { deleteRule as contract } from '../../schemas/rules.ts'
import { endpoint } from '../middleware/endpoint.ts'
import { writes } from '../middleware/writes.ts'

export const handler = endpoint<typeof contract>(compiled)(deleteRule, { writes })
