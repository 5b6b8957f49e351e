import { validateBodyBy } from '../../domain/request/validateBody.ts'
import { scimUsers } from '../../domain/scim/scimUsers.ts'
import { createUser, updateUser } from '../../schemas/compiled/userBodies.js'
import { scimEndpoint } from '../middleware/scimEndpoint.ts'
import { newSeals } from '../middleware/seals.ts'
import { writes } from '../middleware/writes.ts'

const validators = { creation: validateBodyBy(createUser), change: validateBodyBy(updateUser, { user_id: 'anyone' }) }

export const handler = scimEndpoint('scimUsers', {
  operation: (context, request) => scimUsers(context, request, validators),
  seals: newSeals,
  writes,
})
