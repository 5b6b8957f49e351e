import { getPlan } from '../../domain/plans/getPlan.ts'
import * as compiled from '../../schemas/compiled/getPlan.js'
import type { getPlan as contract } from '../../schemas/plans.ts'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint<typeof contract>(compiled)(getPlan)
