import { refuse } from '../base/errors.ts'
import type { Context } from '../request/context.ts'
import { listScimGroups } from './groupList.ts'
import {
  createScimGroup,
  deleteScimGroup,
  type GroupRequest,
  type GroupValidators,
  patchScimGroup,
  readScimGroup,
  replaceScimGroup,
} from './groupResource.ts'
import { projectionOf } from './projection.ts'
import { groupSchema } from './schema.ts'
import { requireMethod, type ScimAnswer, type ScimRequest } from './scimRequest.ts'

/** Answers `/Groups` and all paths below it. */
export async function scimGroups(
  context: Context,
  request: ScimRequest,
  validators: GroupValidators,
): Promise<ScimAnswer> {
  const [, id, ...rest] = request.segments
  const { method, query } = request
  if (rest.length > 0) throw refuse('NOT_FOUND')
  requireMethod(request)
  if (id === '.search' || (id === undefined && method === 'GET')) return listScimGroups(context, request)
  const own: GroupRequest = { ...request, validators, projection: projectionOf(query, groupSchema) }
  if (id === undefined) return createScimGroup(context, own)
  if (method === 'GET') return readScimGroup(context, own, id)
  if (method === 'DELETE') return deleteScimGroup(context, id)
  return method === 'PUT' ? replaceScimGroup(context, own, id) : patchScimGroup(context, own, id)
}
