import { spawnSync } from 'node:child_process'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { prepare } from '../prepare.mjs'
import type { Launch } from './launch.ts'

const emulator = fileURLToPath(
  new URL('../dynamodb-local/node_modules/amplify-dynamodb-simulator/emulator', import.meta.url),
)
const configuration = fileURLToPath(new URL('dynamodbLocal.jetty.xml', import.meta.url))
const noJava =
  'DynamoDB Local needs Java 11 or newer (Debian: apt-get install default-jre-headless, macOS: brew install openjdk). ' +
  'Or set DYNAMODB_ENDPOINT to a DynamoDB that runs elsewhere.'

/** Amazon's DynamoDB Local, which runs on Java. */
export const dynamodbLocal: Launch = {
  name: 'DynamoDB Local',
  dataFile: 'shared-local-instance.db',
  server: /^Jetty/,
  prepare: async () => {
    // Before a minute of installing: without Java it would be in vain.
    if (spawnSync('java', ['-version']).status !== 0) throw new Error(noJava)
    const fault = await prepare('local/dynamodb-local/')
    if (fault) throw new Error(fault)
  },
  command: (port, dataDir) => ({ command: 'java', args: javaArguments(port, dataDir), cwd: emulator }),
  whyNotStarted: (output) => {
    if (output.some((line) => line.includes('UnsupportedClassVersionError'))) return noJava
    // Java prints a chain of causes. The last one is the root.
    const cause = output.findLast((line) => /^Caused by: ./.test(line)) ?? output.findLast((line) => line.trim())
    return cause && `DynamoDB Local did not start: ${cause}`
  },
}

const javaArguments = (port: number, dataDir: string | undefined) => [
  // One thread does nearly all of the work, so the serial garbage collector is the fastest.
  '-XX:+UseSerialGC',
  '-Djava.library.path=./DynamoDBLocal_lib',
  '-Djava.net.preferIPv4Stack=true',
  '-Dorg.eclipse.jetty.util.log.announce=false',
  '-Dorg.eclipse.jetty.LEVEL=WARN',
  ...['-cp', 'DynamoDBLocal.jar', 'org.eclipse.jetty.xml.XmlConfiguration', configuration],
  `port=${port}`,
  ...(dataDir ? ['inMemory=false', `folder=${resolve(dataDir)}`] : ['inMemory=true']),
]
