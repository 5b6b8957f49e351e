import { getServiceToken } from '../../domain/people/tokens/getServiceToken.ts'
import * as compiled from '../../schemas/compiled/getServiceToken.js'
import type { getServiceToken as contract } from '../../schemas/serviceTokens.ts'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint<typeof contract>(compiled)(getServiceToken)
