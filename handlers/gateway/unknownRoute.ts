import { refuse } from '../../domain/base/errors.ts'
import routes from '../../schemas/compiled/routes.js'
import { errorResponse } from '../middleware/answerErrors.ts'
import type { Event, Response } from '../middleware/call.ts'
import { requestIdOf } from '../middleware/respond.ts'

type LambdaContext = { awsRequestId: string }

/** Answers what no endpoint takes: 405 where the path is known with other methods, 404 everywhere else. */
export const handler = async (event: Event, { awsRequestId }: LambdaContext): Promise<Response> => {
  const { http } = event.requestContext
  const requestId = requestIdOf(event, awsRequestId)
  const allowed = methodsOf(event.rawPath)
  const error = allowed.length > 0 ? refuse('METHOD_NOT_ALLOWED') : refuse('NOT_FOUND')
  const response = errorResponse(error, {
    requestId,
    ...(allowed.length > 0 ? { headers: { allow: allowed.join(', ') } } : {}),
  })
  // The path stays out of the log: it may hold ids.
  const line = { request_id: requestId, endpoint: 'unknownRoute', method: http.method, status: response.statusCode }
  console.log(JSON.stringify({ level: 'info', ...line, error_code: error.code }))
  return response
}

/** What the path takes. A path that is spelt out wins over one with an id in that place, as it does in the gateway. */
function methodsOf(path: string): string[] {
  const fitting = routes.filter((route) => patternOf(route.path).test(path))
  const variables = Math.min(...fitting.map(countVariables))
  return fitting.filter((route) => countVariables(route) === variables).map(({ method }) => method)
}

const variable = /\{\w+\}/g
const patternOf = (path: string): RegExp => new RegExp(`^${path.replaceAll(variable, '[^/]+')}$`)
const countVariables = ({ path }: { path: string }): number => path.match(variable)?.length ?? 0
