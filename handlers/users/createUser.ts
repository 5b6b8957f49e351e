import { createUser } from '../../domain/users/createUser.ts'
import { getUser } from '../../domain/users/getUser.ts'
import { wrongReferences } from '../../domain/users/userWrites.ts'
import * as validators from '../../schemas/compiled/createUser.js'
import { createUser as contract } from '../../schemas/users.ts'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(createUser, {
  alsoWrong: wrongReferences,
  show: (context, user_id, { query }) => getUser(context, { path: { user_id }, query, body: {} }),
})
