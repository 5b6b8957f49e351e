import { accessSync, constants, mkdirSync } from 'node:fs'
import { type Child, startChild } from '../shared/child.ts'
import { freePort, requireFreePort } from '../shared/ports.ts'
import { untilAnswering } from '../shared/untilAnswering.ts'

/** How one engine is started. */
export type Launch = {
  name: string
  /** The file in DATA_DIR that shows that this engine made the data. */
  dataFile: string
  /** The header `server` of its answers. */
  server: RegExp
  /** Installs what the engine needs. Throws one line that says what to do if that is not possible. */
  prepare?: () => Promise<void>
  command: (port: number, dataDir: string | undefined) => { command: string; args: string[]; cwd?: string }
  /** Why the engine has ended early, in one line, from its output; undefined if there is none. */
  whyNotStarted: (output: string[]) => string | undefined
}

/** Where a database listens and keeps its data. */
export type Where = {
  /** 0 chooses a free one. */
  port: number
  /** The folder of the data; without it the data is kept in memory. */
  dataDir?: string | undefined
}

/** A running database. */
export type LocalDatabase = { endpoint: string } & Child

/**
 * Starts a database that only this machine can reach, and waits until it answers. It never outlives this process. Throws one
 * line if it does not start.
 */
export const launch = async (
  { name, prepare, command, whyNotStarted }: Launch,
  { port, dataDir }: Where,
): Promise<LocalDatabase> => {
  if (port !== 0) await requireFreePort(port, 'DYNAMODB_PORT')
  if (dataDir) requireFolder(dataDir)
  await prepare?.()
  const chosen = port === 0 ? await freePort() : port
  const endpoint = `http://127.0.0.1:${chosen}`
  const output: string[] = []
  const process = startChild({ ...command(chosen, dataDir), onLine: (line) => output.push(line) })
  // Any answer will do: DynamoDB Local refuses this request, as it is not signed.
  if (await untilAnswering({ url: endpoint, ended: process.ended, seconds: secondsToStart }))
    return { endpoint, ...process }
  await process.stop()
  if (/Address (already )?in use/i.test(output.join('\n')))
    throw new Error(`Port ${chosen} is taken. Set DYNAMODB_PORT to another one.`)
  throw new Error(whyNotStarted(output) ?? `${name} did not start: no answer in ${secondsToStart} s`)
}

const secondsToStart = 300

/** Creates the folder of the data if it is missing. Throws one line if that is not possible. */
export const requireFolder = (dataDir: string): void => {
  try {
    mkdirSync(dataDir, { recursive: true })
    accessSync(dataDir, constants.W_OK)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' || code === 'ENOTDIR')
      throw new Error(`DATA_DIR=${dataDir} is a file: use the path of a folder.`)
    throw new Error(`DATA_DIR=${dataDir} cannot be written to: ${message}`)
  }
}
