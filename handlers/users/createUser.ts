import { createUser } from '../../domain/people/users/createUser.ts'
import { wrongReferences } from '../../domain/people/users/references.ts'
import { showUser } from '../../domain/people/users/userView.ts'
import * as compiled from '../../schemas/compiled/createUser.js'
import type { createUser as contract } from '../../schemas/users.ts'
import { endpoint } from '../middleware/endpoint.ts'
import { readJson } from '../middleware/readBody.ts'
import { repeatable } from '../middleware/repeatable.ts'
import { writes } from '../middleware/writes.ts'

export const handler = endpoint<typeof contract>(compiled)(createUser, {
  body: readJson,
  writes,
  moreFaults: wrongReferences,
  repeats: repeatable((context, id, { query }) => showUser(context, id, query.embed)),
})
