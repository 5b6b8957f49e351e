// A plugin of the Serverless command for `serverless offline` only: it changes nothing when packaging or deploying.

import { localOrigins } from './origins.ts'

type Serverless = {
  processedInput: { commands: readonly string[] }
  service: {
    provider: { environment: Record<string, unknown>; httpApi?: { cors?: { allowedOrigins: string[] } } }
    functions: Record<string, { environment?: Record<string, unknown> }>
    custom: { 'serverless-offline': object }
  }
}

const docs = {
  handler: 'local/start/apiPage/page.handler',
  permission: 'none',
  events: [{ httpApi: 'GET /docs' }, { httpApi: 'GET /docs/{file}' }],
}

const status = {
  handler: 'local/start/status/page.handler',
  permission: 'none',
  events: [{ httpApi: 'GET /status' }, { httpApi: 'GET /status/{file}' }],
}

/** The files of functions that exist only here, not in serverless.yml. */
export const pageFiles = [docs, status].map(({ handler }) => handler.replace(/\.handler$/, '.ts'))

/** The variable with a folder of bundles to run instead of the sources, which start in seconds. */
export const BUNDLES = 'RUN_BUNDLES'

/** The constructor that the command calls; a function serves as one. */
export default function Offline({ processedInput, service }: Serverless) {
  if (processedInput.commands[0] !== 'offline') return undefined
  Object.assign(service.functions, { docs, status })
  Object.assign(service.custom['serverless-offline'], { location: process.env[BUNDLES] || '.' })
  // Once the values of serverless.yml are known.
  const initialize = () => {
    const { cors } = service.provider.httpApi ?? {}
    if (cors) cors.allowedOrigins = localOrigins()
    for (const { environment } of [service.provider, ...Object.values(service.functions)])
      if (environment) setEnvironment(environment)
  }
  return { hooks: { initialize } }
}

/** Functions have the environment of `npm start`. Values that only a stack has, such as its table, do not exist here. */
function setEnvironment(environment: Record<string, unknown>) {
  for (const [name, value] of Object.entries(environment)) {
    if (process.env[name] !== undefined) environment[name] = process.env[name]
    else if (typeof value !== 'string') delete environment[name]
  }
}
