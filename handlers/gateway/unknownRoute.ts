import { refuse } from '../../domain/base/errors.ts'
import routes from '../../schemas/compiled/routes.js'
import type { Event, Response } from '../middleware/call.ts'
import { outcomeOf, writeLine } from '../middleware/log.ts'
import { commonHeaders, errorResponse, requestIdOf } from '../middleware/respond.ts'

type LambdaContext = { awsRequestId: string }

/** Answers requests without an endpoint: 405 if the path is known with other methods, else 404. */
export const handler = async (event: Event, { awsRequestId }: LambdaContext): Promise<Response> => {
  const startedAt = performance.now()
  const { http } = event.requestContext
  const requestId = requestIdOf(event, awsRequestId)
  const allowed = allowedOn(event)
  const error = allowed.length > 0 ? refuse('METHOD_NOT_ALLOWED') : refuse('NOT_FOUND')
  const headers = allowed.length > 0 ? { allow: allowed.join(', ') } : {}
  // Only `/console/` is here with a method that it takes.
  const isSlash = allowed.includes(http.method)
  const response = isSlash ? withoutSlash(requestId) : errorResponse(error, { requestId, headers })
  // The log does not show the path, as it may hold ids.
  const status = Number(response.statusCode)
  const line = {
    request_id: requestId,
    invocation_id: awsRequestId,
    endpoint: 'unknownRoute',
    method: http.method,
    status,
    ...(isSlash ? {} : { error_code: error.code }),
  }
  writeLine({ level: 'info', ...line }, outcomeOf(status, performance.now() - startedAt))
  return response
}

/** The methods that a path of an endpoint takes, or one of the console if this stage has it. */
function allowedOn(event: Event): string[] {
  const isMapped = mayHaveBasePath(event)
  const hasConsole = Boolean(process.env['CONSOLE_CLIENT_ID'])
  return hasConsole && patternOf('/console(/.*)?', isMapped).test(event.rawPath)
    ? ['GET', 'HEAD']
    : methodsOf(event.rawPath, isMapped)
}

/** The gateway takes a slash at the end of `/console` for another path. The address is relative, as a base path may stand before it. */
const withoutSlash = (requestId: string): Response => ({
  statusCode: 308,
  headers: { ...commonHeaders(requestId), location: '../console' },
})

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
