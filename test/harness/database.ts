import type { TestProject } from 'vitest/node'
import { chooseEngine, type Engine, engineAt, engineIn, engineName, startDatabase } from '../../local/engine.ts'
import { type Keys, newKeys } from './keys.ts'

declare module 'vitest' {
  interface ProvidedContext {
    dynamoDBEndpoint: string
    engine: Engine | undefined
    keys: Keys
  }
}

/** Finds or starts the database of a run and makes its keys; every test file makes its own table. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const { endpoint, stop } = await database().catch(giveUp)
  const engine = await engineAt(endpoint)
  console.log(`The database is ${engine ? engineName(engine) : endpoint}.`)
  project.provide('keys', newKeys())
  project.provide('dynamoDBEndpoint', endpoint)
  project.provide('engine', engine)
  return stop
}

async function database(): Promise<{ endpoint: string; stop: () => Promise<void> }> {
  const { DYNAMODB_ENDPOINT: endpoint } = process.env
  // Java's second compiler takes longer here than what it compiles saves. Also for those that tests start.
  process.env['JAVA_TOOL_OPTIONS'] ??= '-XX:TieredStopAtLevel=1'
  if (endpoint) return { endpoint, stop: async () => {} }
  // One is enough: Java takes half a minute of processor time until it is fast, and a second one takes it again.
  return startDatabase({ engine: chooseEngine({ wanted: engineIn(process.env) }), port: 0 })
}

/** One line says what to do; vitest would add where it was thrown. */
function giveUp(error: Error): never {
  console.error(error.message)
  process.exit(1)
}
