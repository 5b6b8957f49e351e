import { readFileSync } from 'node:fs'
import { parse } from 'yaml'

type HttpApi = string | { method: string; path: string }
type Event = { httpApi?: HttpApi; schedule?: unknown }

/** A function as serverless.yml defines it, as far as the build reads it. */
export type ServiceFunction = { handler: string; events?: readonly Event[] }

/** One endpoint's place in the API. */
export type Route = { name: string; method: string; path: string }

const file = new URL('../../serverless.yml', import.meta.url)

/** The functions of serverless.yml by name. */
export function serviceFunctions(text: string = readFileSync(file, 'utf8')): Record<string, ServiceFunction> {
  // CloudFormation's tags (!GetAtt and the like) mean nothing here and are read as plain text.
  return parse(text, { logLevel: 'silent' }).functions
}

/** Every endpoint's method and path; the catch-all of unknown paths is none. */
export function routesOf(functions: Record<string, ServiceFunction>): Route[] {
  return Object.entries(functions).flatMap(([name, { events = [] }]) =>
    events.flatMap(({ httpApi }) => (httpApi === undefined || httpApi === '*' ? [] : [{ name, ...routeOf(httpApi) }])),
  )
}

function routeOf(httpApi: HttpApi): Omit<Route, 'name'> {
  if (typeof httpApi !== 'string') return { method: httpApi.method.toUpperCase(), path: httpApi.path }
  const [method = '', path = ''] = httpApi.split(' ')
  return { method: method.toUpperCase(), path }
}
