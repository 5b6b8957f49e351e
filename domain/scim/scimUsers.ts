import { refuse } from '../base/errors.ts'
import type { Context } from '../request/context.ts'
import { projectionOf } from './projection.ts'
import { ScimError } from './scimError.ts'
import { requireMethod, type ScimAnswer, type ScimRequest } from './scimRequest.ts'
import { listScimUsers } from './userList.ts'
import {
  createScimUser,
  deleteScimUser,
  patchScimUser,
  readScimUser,
  readUserSchema,
  replaceScimUser,
  type UserRequest,
  type UserValidators,
} from './userResource.ts'

/** Answers `/Users` and all paths below it. */
export async function scimUsers(
  context: Context,
  request: ScimRequest,
  validators: UserValidators,
): Promise<ScimAnswer> {
  const [, id, ...rest] = request.segments
  const { method, query } = request
  if (rest.length > 0) throw refuse('NOT_FOUND')
  requireMethod(request)
  const schema = await readUserSchema(context, textOf(request))
  if (id === '.search' || (id === undefined && method === 'GET'))
    return listScimUsers(context, { request, schema, projectionOf: (asked) => projectionOf(asked, schema) })
  const own: UserRequest = { ...request, schema, validators, projection: projectionOf(query, schema) }
  if (id === undefined) return createScimUser(context, own)
  if (method === 'GET') return readScimUser(context, own, id)
  if (method === 'DELETE') return deleteScimUser(context, id)
  return method === 'PUT' ? replaceScimUser(context, own, id) : patchScimUser(context, own, id)
}

/** The whole request as text, to find out whether it names our extension. */
function textOf({ method, query, body }: ScimRequest): string {
  const inQuery = Object.values(query).join(' ')
  if (method === 'GET' || method === 'DELETE') return inQuery
  try {
    return `${inQuery} ${JSON.stringify(body())}`
  } catch (error) {
    if (error instanceof ScimError) return inQuery
    throw error
  }
}
