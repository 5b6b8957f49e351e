import { listRules } from '../../domain/people/rules/listRules.ts'
import * as compiled from '../../schemas/compiled/listRules.js'
import type { listRules as contract } from '../../schemas/rules.ts'
import { endpoint } from '../middleware/endpoint.ts'
import { newSeals } from '../middleware/seals.ts'

export const handler = endpoint<typeof contract>(compiled)(listRules, { seals: newSeals })
