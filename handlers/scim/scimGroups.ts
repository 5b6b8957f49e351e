import { judgeBy } from '../../domain/request/bodies.ts'
import { scimGroups } from '../../domain/scim/scimGroups.ts'
import * as creation from '../../schemas/compiled/createGroup.js'
import * as change from '../../schemas/compiled/updateGroup.js'
import { scimEndpoint } from '../middleware/scimEndpoint.ts'
import { newSeals } from '../middleware/seals.ts'

const judges = { creation: judgeBy(creation), change: judgeBy(change, { group_id: 'any' }) }

export const handler = scimEndpoint('scimGroups', {
  operation: (context, request) => scimGroups(context, request, judges),
  seals: newSeals,
})
