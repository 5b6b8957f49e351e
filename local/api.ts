import { fileURLToPath } from 'node:url'
import { readable } from './apiOutput.ts'
import { type Guarded, startGuarded } from './guarded.ts'
import { freePort } from './ports.ts'

/** The API behind serverless-offline, running. */
export type Api = { baseUrl: string } & Guarded

type Options = { port: number; env: Record<string, string>; onLine: (line: string) => void }

const root = fileURLToPath(new URL('..', import.meta.url))
const command = 'node_modules/serverless/bin/serverless.js'
const secondsToStart = 120

// Nobody is asked, told or reported to; of the command's own messages warnings and errors are left.
const quiet = { SLS_LOG_LEVEL: 'warning', SLS_INTERACTIVE_SETUP_ENABLE: '0', SLS_TELEMETRY_DISABLED: '1' }

/** Starts the API of serverless.yml with serverless-offline, and waits until it answers. */
export const startApi = async ({ port, env, onLine }: Options): Promise<Api> => {
  const baseUrl = `http://localhost:${port}`
  const early: string[] = []
  let isUp = false
  const offline = startGuarded({
    command: process.execPath,
    args: [command, 'offline', ...(await options(port))],
    cwd: root,
    env: { ...process.env, ...quiet, ...env },
    onLine: (line) => {
      if (!isUp) early.push(line)
      else for (const text of readable(line)) onLine(text)
    },
  })
  isUp = await answers(`${baseUrl}/docs`, offline.ended)
  if (!isUp) {
    await offline.stop()
    for (const line of early) onLine(line)
    throw new Error(`The API did not start; what serverless-offline said is above.`)
  }
  return { baseUrl, ...offline }
}

const options = async (port: number) => [
  ...['--stage', 'local', '--httpPort', String(port)],
  // It opens a second port, for calls by the AWS SDK; two instances must not meet there.
  ...['--lambdaPort', String(await freePort())],
  ...['--noSponsor', '--disableCookieValidation'],
]

const answers = async (url: string, ended: Promise<number>) => {
  let isOver = false
  void ended.then(() => {
    isOver = true
  })
  const deadline = Date.now() + secondsToStart * 1_000
  while (!isOver && Date.now() < deadline) {
    if (
      await fetch(url).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      return true
    await new Promise((tick) => setTimeout(tick, 100))
  }
  return false
}
