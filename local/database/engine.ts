// Chooses the local database.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { dynamodbLocal } from './dynamodbLocal.ts'
import { dynoxide, whyNoDynoxide } from './dynoxide.ts'
import { type Launch, type LocalDatabase, launch, type Where } from './launch.ts'

const launches = { dynoxide, 'dynamodb-local': dynamodbLocal } satisfies Record<string, Launch>

/** The value of ENGINE. */
export type Engine = keyof typeof launches

const engines = Object.keys(launches) as Engine[]

/** The engine that ENGINE asks for, if any. Throws one line if there is no such engine. */
export const engineIn = ({ ENGINE }: NodeJS.ProcessEnv): Engine | undefined => {
  if (!ENGINE) return
  const engine = engines.find((name) => name === ENGINE)
  if (engine) return engine
  throw new Error(`ENGINE=${ENGINE} is unknown: use ${engines.join(' or ')}.`)
}

export const engineName = (engine: Engine): string => launches[engine].name

type Choice = {
  wanted?: Engine | undefined
  dataDir?: string | undefined
  /** Tests replace it. */
  whyNot?: () => string | undefined
}

/**
 * Chooses the wanted engine; else the one that made the data; else dynoxide if it runs, which is faster and needs no
 * Java. If the engine is missing or another engine made the data, it throws one line that says what to do.
 */
export const chooseEngine = ({ wanted, dataDir, whyNot = whyNoDynoxide }: Choice): Engine => {
  const maker = dataDir && engines.find((engine) => existsSync(join(dataDir, launches[engine].dataFile)))
  if (maker && wanted && maker !== wanted)
    throw new Error(
      `DATA_DIR=${dataDir} holds data of ${engineName(maker)}: set ENGINE=${maker}, or DATA_DIR to another folder.`,
    )
  const required = wanted ?? maker
  if (required === 'dynamodb-local') return required
  const fault = whyNot()
  if (!fault) return 'dynoxide'
  if (wanted) throw new Error(`ENGINE=dynoxide: ${fault}. Leave ENGINE out to use DynamoDB Local.`)
  if (maker)
    throw new Error(`DATA_DIR=${dataDir} holds data of dynoxide, but ${fault}. Set DATA_DIR to another folder.`)
  return 'dynamodb-local'
}

/** Starts an engine as a database of this machine; see `launch`. */
export const startDatabase = ({ engine, ...where }: { engine: Engine } & Where): Promise<LocalDatabase> =>
  launch(launches[engine], where)

/** The engine at an endpoint; undefined if it is neither, such as DynamoDB on AWS. */
export const engineAt = async (endpoint: string): Promise<Engine | undefined> => {
  const server = (await fetch(endpoint)).headers.get('server') ?? ''
  return engines.find((engine) => launches[engine].server.test(server))
}
