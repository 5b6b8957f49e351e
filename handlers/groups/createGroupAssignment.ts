import { createGroupAssignment } from '../../domain/groups/createGroupAssignment.ts'
import { getGroupAssignment } from '../../domain/groups/getGroupAssignment.ts'
import * as validators from '../../schemas/compiled/createGroupAssignment.js'
import { createGroupAssignment as contract } from '../../schemas/groupAssignments.ts'
import { endpoint } from '../middleware/endpoint.ts'

export const handler = endpoint(contract, validators)(createGroupAssignment, {
  show: (context, _user, { path, query, body }) =>
    getGroupAssignment(context, { path: { ...path, ...body }, query, body: {} }),
})
