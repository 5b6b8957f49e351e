import { refuse } from '../../domain/base/errors.ts'
import routes from '../../schemas/compiled/routes.js'
import type { Event, Response } from '../middleware/call.ts'
import { outcomeOf, writeLine } from '../middleware/environment.ts'
import { errorResponse, requestIdOf } from '../middleware/respond.ts'

type LambdaContext = { awsRequestId: string }

/** Answers requests without an endpoint: 405 if the path is known with other methods, else 404. */
export const handler = async (event: Event, { awsRequestId }: LambdaContext): Promise<Response> => {
  const startedAt = performance.now()
  const { http } = event.requestContext
  const requestId = requestIdOf(event, awsRequestId)
  const allowed = methodsOf(event.rawPath, mayHaveBasePath(event))
  const error = allowed.length > 0 ? refuse('METHOD_NOT_ALLOWED') : refuse('NOT_FOUND')
  const response = errorResponse(error, {
    requestId,
    ...(allowed.length > 0 ? { headers: { allow: allowed.join(', ') } } : {}),
  })
  // The log does not show the path, as it may hold ids.
  const status = Number(response.statusCode)
  const line = {
    request_id: requestId,
    invocation_id: awsRequestId,
    endpoint: 'unknownRoute',
    method: http.method,
    status,
    error_code: error.code,
  }
  writeLine({ level: 'info', ...line }, outcomeOf(status, performance.now() - startedAt))
  return response
}

/**
 * Whether the path may begin with a base path: a custom domain can map one to this API, and the event does not say which. The
 * gateway's default domain, which begins with the API's id, has none.
 */
function mayHaveBasePath({ requestContext: { domainName, apiId } }: Event): boolean {
  return domainName !== undefined && !domainName.startsWith(`${apiId}.`)
}

/** The methods of a path. A path with a fixed word wins over one with an id in its place, as in API Gateway. */
function methodsOf(path: string, isMapped: boolean): string[] {
  const fitting = routes.filter((route) => patternOf(route.path, isMapped).test(path))
  const variables = Math.min(...fitting.map(countVariables))
  return fitting.filter((route) => countVariables(route) === variables).map(({ method }) => method)
}

const variable = /\{\w+\}/g
const patternOf = (path: string, isMapped: boolean): RegExp =>
  new RegExp(`^${isMapped ? '(/[^/]+)*' : ''}${path.replaceAll(variable, '[^/]+')}$`)
const countVariables = ({ path }: { path: string }): number => path.match(variable)?.length ?? 0
