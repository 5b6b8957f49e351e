import type { TestProject } from 'vitest/node'
import {
  chooseEngine,
  type Engine,
  engineAt,
  engineIn,
  engineName,
  startDatabase,
} from '../../local/database/engine.ts'
import { type Keys, newKeys } from './keys.ts'
import { spareMemory } from './spareMemory.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** One for each process of tests, or one for all. */
    dynamoDBEndpoints: readonly [string, ...string[]]
    engine: Engine | undefined
    keys: Keys
  }
}

/** Finds or starts the database of a run and makes its keys; every test file makes its own table. */
export default async function setup(project: TestProject): Promise<() => Promise<unknown>> {
  const { endpoints, stop } = await databases(project.config.maxWorkers).catch(giveUp)
  const engine = await engineAt(endpoints[0])
  console.log(`The database is ${engine ? engineName(engine) : endpoints[0]}.`)
  project.provide('keys', newKeys())
  project.provide('dynamoDBEndpoints', endpoints)
  project.provide('engine', engine)
  return stop
}

type Databases = { endpoints: readonly [string, ...string[]]; stop: () => Promise<unknown> }

async function databases(workers: number): Promise<Databases> {
  const { DYNAMODB_ENDPOINT: endpoint } = process.env
  // Java's second compiler takes longer here than what it compiles saves. Also for those that tests start.
  process.env['JAVA_TOOL_OPTIONS'] ??= '-XX:TieredStopAtLevel=1'
  if (endpoint) return { endpoints: [endpoint], stop: async () => {} }
  const engine = chooseEngine({ wanted: engineIn(process.env) })
  const start = async () => {
    const database = await startDatabase({ engine, port: 0 })
    if (engine !== 'dynoxide') return database
    const end = await spareMemory(database.endpoint)
    const stop = () => {
      end()
      return database.stop()
    }
    return { ...database, stop }
  }
  // dynoxide answers one request after the other, so each process has one. Java takes half a minute of processor time until it
  // is fast, and a second one takes it again.
  const others = engine === 'dynoxide' ? workers - 1 : 0
  const [first, ...rest] = await Promise.all([start(), ...Array.from({ length: others }, start)])
  return {
    endpoints: [first.endpoint, ...rest.map(({ endpoint }) => endpoint)],
    stop: () => Promise.all([first, ...rest].map(({ stop }) => stop())),
  }
}

/** One line says what to do; vitest would add where it was thrown. */
function giveUp(error: Error): never {
  console.error(error.message)
  process.exit(1)
}
