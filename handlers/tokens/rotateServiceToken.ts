import { rotateServiceToken } from '../../domain/people/tokens/rotateServiceToken.ts'
import * as compiled from '../../schemas/compiled/rotateServiceToken.js'
import type { rotateServiceToken as contract } from '../../schemas/serviceTokens.ts'
import { endpoint } from '../middleware/endpoint.ts'
import { readJson } from '../middleware/readBody.ts'
import { writes } from '../middleware/writes.ts'

export const handler = endpoint<typeof contract>(compiled)(rotateServiceToken, { body: readJson, writes })
