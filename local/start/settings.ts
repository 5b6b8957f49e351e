import { type Engine, engineIn } from '../database/engine.ts'

/** The settings of `npm start`, from environment variables. */
export type Settings = {
  port: number
  dynamodbPort: number
  identityPort: number
  /** The local database in ENGINE. */
  engine: Engine | undefined
  /** The address of another DynamoDB; without it, one is started. */
  dynamodbEndpoint: string | undefined
  tableName: string
  /** An import file to use instead of the demo organisation. */
  directoryFile: string | undefined
  /** The folder of the database's data; without it the data is kept in memory. */
  dataDir: string | undefined
}

/** Reads the settings. Throws one line about a port that is invalid or used twice. */
export const readSettings = (env: NodeJS.ProcessEnv): Settings => {
  const settings = {
    port: port(env, 'PORT', 3000),
    dynamodbPort: port(env, 'DYNAMODB_PORT', 8000),
    identityPort: port(env, 'IDENTITY_PORT', 8080),
    engine: engineIn(env),
    dynamodbEndpoint: env.DYNAMODB_ENDPOINT || undefined,
    tableName: env.TABLE_NAME || 'rollcall',
    directoryFile: env.DIRECTORY_FILE || undefined,
    dataDir: env.DATA_DIR || undefined,
  }
  requireDifferent([
    ['PORT', settings.port],
    ['IDENTITY_PORT', settings.identityPort],
    // This port is only used if a database is started.
    ...(settings.dynamodbEndpoint ? [] : [['DYNAMODB_PORT', settings.dynamodbPort] as const]),
  ])
  return settings
}

const requireDifferent = (ports: readonly (readonly [variable: string, port: number])[]): void => {
  for (const [n, [variable, port]] of ports.entries()) {
    const [other] = ports.slice(0, n).find(([, before]) => before === port) ?? []
    if (other) throw new Error(`${other} and ${variable} are both ${port}: use different ports.`)
  }
}

const port = (env: NodeJS.ProcessEnv, variable: string, otherwise: number): number => {
  const text = env[variable]
  if (!text) return otherwise
  const number = Number(text)
  if (Number.isInteger(number) && number >= 1 && number <= 65_535) return number
  throw new Error(`${variable}=${text} is not a port: use a number from 1 to 65535.`)
}
