import { type Child, startChild } from '../shared/child.ts'
import { freePort } from '../shared/ports.ts'
import { root } from '../shared/root.ts'
import { untilAnswering } from '../shared/untilAnswering.ts'
import { BUNDLES } from './offlinePlugin.ts'
import { readable } from './readableLog.ts'

/** The API behind serverless-offline, running. */
export type Api = { baseUrl: string } & Child

type Options = {
  port: number
  env: Record<string, string>
  /** A folder of bundles to run instead of the sources. */
  bundles?: string
  onLine: (line: string) => void
  /** Called with each line as the service wrote it. */
  onOutput?: (line: string) => void
}

const command = 'node_modules/serverless/bin/serverless.js'
const secondsToStart = 300

// No questions, notifications or reports; the command prints only its warnings and errors.
const quiet = { SLS_LOG_LEVEL: 'warning', SLS_INTERACTIVE_SETUP_ENABLE: '0', SLS_TELEMETRY_DISABLED: '1' }

/** Starts the API of serverless.yml with serverless-offline, and waits until it answers. */
export const startApi = async ({ port, env, bundles, onLine, onOutput }: Options): Promise<Api> => {
  const baseUrl = `http://localhost:${port}`
  const early: string[] = []
  let isUp = false
  const offline = startChild({
    command: process.execPath,
    args: [command, 'offline', ...(await options(port))],
    cwd: root,
    env: { ...process.env, ...quiet, API_ADDRESS: baseUrl, ...env, ...(bundles ? { [BUNDLES]: bundles } : {}) },
    onLine: (line) => {
      onOutput?.(line)
      if (!isUp) early.push(line)
      else for (const text of readable(line)) onLine(text)
    },
  })
  isUp = await untilAnswering({ url: `${baseUrl}/docs`, ended: offline.ended, seconds: secondsToStart })
  if (!isUp) {
    await offline.stop()
    for (const line of early) onLine(line)
    throw new Error(`The API did not start: see the output of serverless-offline above.`)
  }
  return { ...offline, baseUrl }
}

const options = async (port: number) => [
  ...['--stage', 'local', '--httpPort', String(port), '--param=corsOrigins=http://localhost', '--param=console=true'],
  // serverless-offline opens a second port for calls by the AWS SDK; each instance needs its own.
  ...['--lambdaPort', String(await freePort())],
  ...['--noSponsor', '--disableCookieValidation'],
]
