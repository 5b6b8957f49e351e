import { createServiceToken } from '../../domain/people/tokens/createServiceToken.ts'
import { wrongToken } from '../../domain/people/tokens/tokenRules.ts'
import * as compiled from '../../schemas/compiled/createServiceToken.js'
import type { createServiceToken as contract } from '../../schemas/serviceTokens.ts'
import { endpoint } from '../middleware/endpoint.ts'
import { readJson } from '../middleware/readBody.ts'
import { writes } from '../middleware/writes.ts'

export const handler = endpoint<typeof contract>(compiled)(createServiceToken, {
  body: readJson,
  writes,
  moreFaults: wrongToken,
})
