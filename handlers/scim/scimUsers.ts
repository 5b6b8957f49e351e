import { judgeBy } from '../../domain/request/bodies.ts'
import { scimUsers } from '../../domain/scim/scimUsers.ts'
import * as creation from '../../schemas/compiled/createUser.js'
import * as change from '../../schemas/compiled/updateUser.js'
import { scimEndpoint } from '../middleware/scimEndpoint.ts'
import { newSeals } from '../middleware/seals.ts'

const judges = { creation: judgeBy(creation), change: judgeBy(change, { user_id: 'anyone' }) }

export const handler = scimEndpoint('scimUsers', {
  operation: (context, request) => scimUsers(context, request, judges),
  seals: newSeals,
})
