import { createUser } from '../../domain/users/createUser.ts'
import { showUser } from '../../domain/users/userView.ts'
import { wrongReferences } from '../../domain/users/userWrites.ts'
import * as validators from '../../schemas/compiled/createUser.js'
import { createUser as contract } from '../../schemas/users.ts'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(createUser, {
  alsoWrong: wrongReferences,
  show: (context, id, { query }) => showUser(context, id, query.embed),
})
