import { refuse } from '../base/errors.ts'
import type { Context } from '../request/context.ts'
import { listScimGroups } from './groupList.ts'
import {
  createScimGroup,
  deleteScimGroup,
  type GroupJudges,
  type GroupRequest,
  patchScimGroup,
  readScimGroup,
  replaceScimGroup,
} from './groupResource.ts'
import { projectionOf } from './projection.ts'
import { groupSchema } from './schema.ts'
import type { ScimAnswer, ScimRequest } from './scimRequest.ts'

/** Answers `/Groups` and all paths below it. */
export async function scimGroups(context: Context, request: ScimRequest, judges: GroupJudges): Promise<ScimAnswer> {
  const [, id, ...rest] = request.segments
  const { method, query } = request
  if (rest.length > 0) throw refuse('NOT_FOUND')
  const isSearch = id === '.search' && method === 'POST'
  if (isSearch || (id === undefined && method === 'GET')) return listScimGroups(context, request)
  const own: GroupRequest = { ...request, judges, projection: projectionOf(query, groupSchema) }
  if (id === undefined) {
    if (method !== 'POST') throw refuse('METHOD_NOT_ALLOWED')
    return createScimGroup(context, own)
  }
  const operation = operations[method]
  if (!operation || id === '.search') throw refuse('METHOD_NOT_ALLOWED')
  return operation(context, own, id)
}

type Operation = (context: Context, request: GroupRequest, id: string) => Promise<ScimAnswer>

const operations: Readonly<Record<string, Operation>> = {
  GET: readScimGroup,
  PUT: replaceScimGroup,
  PATCH: patchScimGroup,
  DELETE: (context, _request, id) => deleteScimGroup(context, id),
}
