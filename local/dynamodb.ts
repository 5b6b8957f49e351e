import { mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Guarded, startGuarded } from './guarded.ts'
import { freePort, requireFreePort } from './ports.ts'
import { untilAnswering } from './untilAnswering.ts'

type Options = {
  /** 0 picks a free one. */
  port: number
  /** Where the data is kept; without it the data lives in memory. */
  dataDir?: string | undefined
}

/** DynamoDB Local, running. */
export type LocalDynamoDB = { endpoint: string } & Guarded

const emulator = fileURLToPath(new URL('../node_modules/amplify-dynamodb-simulator/emulator', import.meta.url))
const secondsToStart = 60
const noJava =
  'DynamoDB Local needs Java 11 or newer (Debian: apt-get install default-jre-headless, macOS: brew install openjdk). ' +
  'Or set DYNAMODB_ENDPOINT to a DynamoDB that runs elsewhere.'

/** Starts Amazon's DynamoDB Local and waits until it answers. It ends with this process at the latest. */
export const startDynamoDB = async ({ port, dataDir }: Options): Promise<LocalDynamoDB> => {
  if (port !== 0) await requireFreePort(port, 'DYNAMODB_PORT')
  const chosen = port === 0 ? await freePort() : port
  const endpoint = `http://localhost:${chosen}`
  const output: string[] = []
  const java = startGuarded({
    command: 'java',
    args: javaArguments(chosen, dataDir),
    cwd: emulator,
    onLine: (line) => output.push(line),
  })
  // Any answer will do: it refuses this request, which is not signed.
  if (!(await untilAnswering({ url: endpoint, ended: java.ended, seconds: secondsToStart }))) {
    await java.stop()
    throw new Error(reason(output, chosen))
  }
  return { endpoint, ...java }
}

const javaArguments = (port: number, dataDir: string | undefined) => {
  // One thread does nearly all of its work: the collector made for that gets in its way least.
  const java = ['-XX:+UseSerialGC', '-Djava.library.path=./DynamoDBLocal_lib', '-jar', 'DynamoDBLocal.jar']
  return [...java, '-disableTelemetry', '-sharedDb', '-port', String(port), ...storage(dataDir)]
}

const storage = (dataDir: string | undefined) => {
  if (!dataDir) return ['-inMemory']
  const path = resolve(dataDir)
  mkdirSync(path, { recursive: true })
  return ['-dbPath', path]
}

const reason = (output: string[], port: number) => {
  const text = output.join('\n')
  if (/^java: ENOENT|Unable to locate a Java Runtime|UnsupportedClassVersionError/m.test(text)) return noJava
  if (/Address already in use/.test(text)) return `Port ${port} is taken. Set DYNAMODB_PORT to another one.`
  return `DynamoDB Local did not start: ${output.findLast((line) => line.trim()) ?? `no answer in ${secondsToStart} s`}`
}
