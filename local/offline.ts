// A plugin of the Serverless command, for `serverless offline` alone: what is packaged and deployed never sees it.

type Serverless = {
  processedInput: { commands: readonly string[]; options: { httpPort?: string } }
  service: { functions: Record<string, object>; custom: { esbuild: object; 'serverless-offline': object } }
}

const docs = {
  handler: 'local/docs/page.handler',
  permission: 'none',
  events: [{ httpApi: 'GET /docs' }, { httpApi: 'GET /docs/{file}' }],
}

/** Where the bundles of an instance lie: `serverless package` and instances on other ports empty their own folders. */
export const bundlesOf = (port: string | number): string => `.build/offline-${port}`

/** With this in its environment it runs what AWS would get, bundle by bundle; else the sources, and so starts in seconds. */
export const BUNDLED = 'RUN_BUNDLES'

/** The constructor that the command calls; a function serves as one. */
export default function Offline({ processedInput, service }: Serverless) {
  if (processedInput.commands[0] !== 'offline') return
  service.functions.docs = docs
  if (process.env[BUNDLED]) {
    Object.assign(service.custom.esbuild, {
      outputWorkFolder: bundlesOf(processedInput.options.httpPort ?? ''),
      // Handlers stay loaded in this process: bundling them again at a change would change nothing.
      watch: { pattern: [], ignore: [] },
      skipRebuild: true,
    })
  } else {
    for (const definition of Object.values(service.functions)) Object.assign(definition, { skipEsbuild: true })
    Object.assign(service.custom['serverless-offline'], { location: '.' })
  }
}
