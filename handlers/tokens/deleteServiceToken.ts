import { deleteServiceToken } from '../../domain/people/tokens/deleteServiceToken.ts'
import * as compiled from '../../schemas/compiled/deleteServiceToken.js'
import type { deleteServiceToken as contract } from '../../schemas/serviceTokens.ts'
import { endpoint } from '../middleware/endpoint.ts'
import { writes } from '../middleware/writes.ts'

export const handler = endpoint<typeof contract>(compiled)(deleteServiceToken, { writes })
