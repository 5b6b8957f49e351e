import { listServiceTokens } from '../../domain/people/tokens/listServiceTokens.ts'
import * as compiled from '../../schemas/compiled/listServiceTokens.js'
import type { listServiceTokens as contract } from '../../schemas/serviceTokens.ts'
import { endpoint } from '../middleware/endpoint.ts'
import { newSeals } from '../middleware/seals.ts'

export const handler = endpoint<typeof contract>(compiled)(listServiceTokens, { seals: newSeals })
