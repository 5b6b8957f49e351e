import { wrongToken } from '../../domain/people/tokens/tokenRules.ts'
import { updateServiceToken } from '../../domain/people/tokens/updateServiceToken.ts'
import * as compiled from '../../schemas/compiled/updateServiceToken.js'
import type { updateServiceToken as contract } from '../../schemas/serviceTokens.ts'
import { endpoint } from '../middleware/endpoint.ts'
import { readJson } from '../middleware/readBody.ts'
import { writes } from '../middleware/writes.ts'

export const handler = endpoint<typeof contract>(compiled)(updateServiceToken, {
  body: readJson,
  writes,
  moreFaults: wrongToken,
})
