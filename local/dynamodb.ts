import { accessSync, constants, mkdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Guarded, startGuarded } from './guarded.ts'
import { freePort, requireFreePort } from './ports.ts'
import { untilAnswering } from './untilAnswering.ts'

type Options = {
  /** 0 picks a free one. */
  port: number
  /** The folder of the data; without it the data is kept in memory. */
  dataDir?: string | undefined
}

/** DynamoDB Local, running. */
export type LocalDynamoDB = { endpoint: string } & Guarded

const emulator = fileURLToPath(new URL('../node_modules/amplify-dynamodb-simulator/emulator', import.meta.url))
const configuration = fileURLToPath(new URL('dynamodb.xml', import.meta.url))
const secondsToStart = 60
const noJava =
  'DynamoDB Local needs Java 11 or newer (Debian: apt-get install default-jre-headless, macOS: brew install openjdk). ' +
  'Or set DYNAMODB_ENDPOINT to a DynamoDB that runs elsewhere.'

/**
 * Starts Amazon's DynamoDB Local for this machine only, and waits until it answers. It ends with this process at the
 * latest.
 */
export const startDynamoDB = async ({ port, dataDir }: Options): Promise<LocalDynamoDB> => {
  if (port !== 0) await requireFreePort(port, 'DYNAMODB_PORT')
  const chosen = port === 0 ? await freePort() : port
  const endpoint = `http://127.0.0.1:${chosen}`
  const output: string[] = []
  const java = startGuarded({
    command: 'java',
    args: javaArguments(chosen, dataDir),
    cwd: emulator,
    onLine: (line) => output.push(line),
  })
  // Any answer will do: DynamoDB Local refuses this request, as it is not signed.
  if (!(await untilAnswering({ url: endpoint, ended: java.ended, seconds: secondsToStart }))) {
    await java.stop()
    throw new Error(reason(output, chosen))
  }
  return { endpoint, ...java }
}

const javaArguments = (port: number, dataDir: string | undefined) => [
  // One thread does nearly all of the work, so the serial collector is the fastest.
  '-XX:+UseSerialGC',
  '-Djava.library.path=./DynamoDBLocal_lib',
  '-Djava.net.preferIPv4Stack=true',
  '-Dorg.eclipse.jetty.util.log.announce=false',
  '-Dorg.eclipse.jetty.LEVEL=WARN',
  ...['-cp', 'DynamoDBLocal.jar', 'org.eclipse.jetty.xml.XmlConfiguration', configuration],
  ...[`port=${port}`, ...storage(dataDir)],
]

const storage = (dataDir: string | undefined) => {
  if (!dataDir) return ['inMemory=true']
  requireFolder(dataDir)
  return ['inMemory=false', `folder=${resolve(dataDir)}`]
}

/** Makes the folder of the data if it is missing; throws one line if it cannot be one. */
export const requireFolder = (dataDir: string): void => {
  try {
    mkdirSync(dataDir, { recursive: true })
    accessSync(dataDir, constants.W_OK)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' || code === 'ENOTDIR')
      throw new Error(`DATA_DIR=${dataDir} is no folder: a file is in the way. Give the path of a folder.`)
    throw new Error(`DATA_DIR=${dataDir} cannot be written to: ${message}`)
  }
}

const reason = (output: string[], port: number) => {
  const text = output.join('\n')
  if (/^java: ENOENT|Unable to locate a Java Runtime|UnsupportedClassVersionError/m.test(text)) return noJava
  if (/Address already in use/.test(text)) return `Port ${port} is taken. Set DYNAMODB_PORT to another one.`
  // Java prints a chain of causes; the last one is the real one.
  const told = output.findLast((line) => /^Caused by: ./.test(line)) ?? output.findLast((line) => line.trim())
  return `DynamoDB Local did not start: ${told ?? `no answer in ${secondsToStart} s`}`
}
