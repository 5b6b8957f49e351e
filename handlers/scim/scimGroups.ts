import { validateBodyBy } from '../../domain/request/validateBody.ts'
import { scimGroups } from '../../domain/scim/scimGroups.ts'
import { createGroup, updateGroup } from '../../schemas/compiled/groupBodies.js'
import { scimEndpoint } from '../middleware/scimEndpoint.ts'
import { newSeals } from '../middleware/seals.ts'
import { writes } from '../middleware/writes.ts'

const validators = { creation: validateBodyBy(createGroup), change: validateBodyBy(updateGroup, { group_id: 'any' }) }

export const handler = scimEndpoint('scimGroups', {
  operation: (context, request) => scimGroups(context, request, validators),
  seals: newSeals,
  writes,
})
