// A plugin of the Serverless command for `serverless offline` only: it changes nothing when packaging or deploying.

type Serverless = {
  processedInput: { commands: readonly string[]; options: { httpPort?: string } }
  service: { functions: Record<string, object>; custom: { esbuild: object; 'serverless-offline': object } }
}

const docs = {
  handler: 'local/docs/page.handler',
  permission: 'none',
  events: [{ httpApi: 'GET /docs' }, { httpApi: 'GET /docs/{file}' }],
}

const status = {
  handler: 'local/status/page.handler',
  permission: 'none',
  events: [{ httpApi: 'GET /status' }, { httpApi: 'GET /status/{file}' }],
}

/** The folder of an instance's bundles: `serverless package` and each instance empty their own. */
export const bundlesOf = (port: string | number): string => `.build/offline-${port}`

/** With this variable set, the bundles run that AWS gets; else the sources, which start in seconds. */
export const BUNDLED = 'RUN_BUNDLES'

/** The constructor that the command calls; a function serves as one. */
export default function Offline({ processedInput, service }: Serverless) {
  if (processedInput.commands[0] !== 'offline') return
  Object.assign(service.functions, { docs, status })
  if (process.env[BUNDLED]) {
    Object.assign(service.custom.esbuild, {
      outputWorkFolder: bundlesOf(processedInput.options.httpPort ?? ''),
      // Handlers stay loaded in this process, so bundling them again after a change would have no effect.
      watch: { pattern: [], ignore: [] },
      skipRebuild: true,
    })
  } else {
    for (const definition of Object.values(service.functions)) Object.assign(definition, { skipEsbuild: true })
    Object.assign(service.custom['serverless-offline'], { location: '.' })
  }
}
