import { wrongReferences } from '../../domain/people/users/references.ts'
import { updateUser } from '../../domain/people/users/updateUser.ts'
import * as compiled from '../../schemas/compiled/updateUser.js'
import type { updateUser as contract } from '../../schemas/users.ts'
import { endpoint } from '../middleware/endpoint.ts'
import { readJson } from '../middleware/readBody.ts'
import { writes } from '../middleware/writes.ts'

export const handler = endpoint<typeof contract>(compiled)(updateUser, {
  body: readJson,
  writes,
  moreFaults: wrongReferences,
})
