// npm start: the whole service on this machine, until Ctrl-C.
import { randomUUID } from 'node:crypto'
import { noteMigration, prepareLayout } from '../domain/maintenance/migrate.ts'
import { systemCause } from '../domain/table/actions.ts'
import { documentClient } from '../domain/table/documentClient.ts'
import { workPolicy } from '../domain/table/dynamo.ts'
import { openStore } from '../domain/table/openStore.ts'
import type { Store } from '../domain/table/store.ts'
import { LOCAL_KEY } from '../domain/webhooks/keyService.ts'
import { environment } from '../handlers/middleware/environment.ts'
import { buildConsole } from './build/console.ts'
import { createTable } from './database/createTable.ts'
import { chooseEngine, engineName, startDatabase } from './database/engine.ts'
import { requireAnswer } from './database/openTable.ts'
import { demoDirectory } from './demo/demo.ts'
import { newStartToken } from './demo/serviceTokens.ts'
import type { Client } from './identity/authorizationEndpoint.ts'
import { findUserIn } from './identity/findUser.ts'
import { startIdentity } from './identity/server.ts'
import { peopleToShow } from './identity/signInPeople.ts'
import { serviceAccountId } from './identity/tokenEndpoint.ts'
import { requireFreePort } from './shared/ports.ts'
import { step } from './shared/step.ts'
import { directoryFrom, fillTable } from './start/fillTable.ts'
import { keepTrack } from './start/keepTrack.ts'
import { openPlanFolder } from './start/planFolder.ts'
import { readable } from './start/readableLog.ts'
import { readSettings, type Settings } from './start/settings.ts'
import { startApi } from './start/startApi.ts'
import type { Measured } from './start/status/measures.ts'
import { STATUS_SOURCE } from './start/status/page.ts'
import { startStatus } from './start/status/serveMeasures.ts'
import { welcome } from './start/welcome.ts'
import { startWorker } from './start/workerLoop.ts'

const leave = async (code: number, message?: string) => {
  if (message) console.error(message)
  // Even if something hangs, everything ends with this process.
  process.once('SIGINT', () => process.exit(code))
  await running.stopAll()
  process.exit(code)
}

const running = keepTrack((name) => void leave(1, `${name} has ended by itself: stopping everything.`))

const database = async ({ engine: wanted, dynamodbEndpoint, dynamodbPort, dataDir }: Settings) => {
  if (dynamodbEndpoint) {
    await requireAnswer(dynamodbEndpoint, 'is DYNAMODB_ENDPOINT right?')
    return dynamodbEndpoint
  }
  const engine = chooseEngine({ wanted, dataDir })
  const where = dataDir ? `data in ${dataDir}` : 'data in memory'
  const started = await step(`Starting ${engineName(engine)} as the database on port ${dynamodbPort}, ${where}`, () =>
    startDatabase({ engine, port: dynamodbPort, dataDir }),
  )
  return running.add(engineName(engine), started).endpoint
}

const newStore = async (endpoint: string, tableName: string): Promise<Store> => {
  // No time-outs: DynamoDB Local may take seconds to create the table.
  const client = documentClient({ ...process.env, DYNAMODB_ENDPOINT: endpoint }, {})
  await createTable(client, tableName)
  return openStore({ client, name: tableName, newToken: randomUUID, policy: workPolicy }).causedBy(
    systemCause('import'),
  )
}

/** Webhooks can use addresses of this machine, and need no KMS. */
const forWebhooks = { WEBHOOK_KEY: LOCAL_KEY, WEBHOOKS_TO_THIS_MACHINE: 'yes' }

/** The worker runs in this process, and its log lines look like those of the API. */
const worker = ({ tableName }: Settings, endpoint: string, planFolder: string, measured: Measured) => {
  const env = { TABLE_NAME: tableName, DYNAMODB_ENDPOINT: endpoint, PLAN_FOLDER: planFolder, ...forWebhooks }
  Object.assign(process.env, env)
  environment.log = (line, measures = {}) => {
    measured.add(measures)
    for (const text of readable(JSON.stringify(line))) console.log(text)
  }
  return startWorker()
}

const consoleClientId = 'rollcall-console'

/** The console as a client of the local identity provider. */
const consoleClient = (port: number): Client => {
  const address = `http://localhost:${port}/console`
  return { id: consoleClientId, redirectAddresses: [`${address}/callback`], signedOutAddresses: [address] }
}

const requirePorts = async ({ port, dynamodbPort, identityPort, dynamodbEndpoint }: Settings) => {
  await requireFreePort(port, 'PORT')
  await requireFreePort(identityPort, 'IDENTITY_PORT')
  if (!dynamodbEndpoint) await requireFreePort(dynamodbPort, 'DYNAMODB_PORT')
}

const start = async () => {
  const settings = readSettings(process.env)
  await requirePorts(settings)
  const directory = await directoryFrom(settings.directoryFile)
  const endpoint = await database(settings)
  const store = await newStore(endpoint, settings.tableName)
  await prepareLayout(store)
  const identity = await startIdentity({
    port: settings.identityPort,
    findUser: findUserIn(store),
    clients: [consoleClient(settings.port)],
    people: peopleToShow(directory ?? demoDirectory()),
  })
  running.add('The identity provider', identity)

  const plans = running.add('The files of plans', await openPlanFolder(settings.dataDir))
  const status = running.add('The status page', await startStatus())
  const startingApi = async () => {
    await buildConsole({ isLocal: true })
    return startApi({
      port: settings.port,
      env: {
        TABLE_NAME: settings.tableName,
        DYNAMODB_ENDPOINT: endpoint,
        AWS_REGION: 'eu-central-1',
        AWS_ACCESS_KEY_ID: 'local',
        AWS_SECRET_ACCESS_KEY: 'local',
        TOKEN_ISSUER: identity.issuer,
        TOKEN_AUDIENCE: 'rollcall',
        TOKEN_USER_CLAIM: 'sub',
        TOKEN_JWKS_URI: '',
        PLAN_FOLDER: plans.folder,
        CONSOLE_CLIENT_ID: consoleClientId,
        ...forWebhooks,
        [STATUS_SOURCE]: status.source,
      },
      onLine: (line) => console.log(line),
      onOutput: (line) => status.measured.addLine(line),
    })
  }
  // The API starts without data, so it starts while the directory is filled.
  const [api, filled] = await Promise.all([
    step(`Starting the API on port ${settings.port}`, startingApi),
    fillTable(store, settings.directoryFile, directory),
  ])
  running.add('The API', api)
  running.add('The worker', worker(settings, endpoint, plans.folder, status.measured))
  await noteMigration(store, new Date().toISOString(), { isAlone: true })
  const serviceToken = await newStartToken(store, new Date().toISOString(), serviceAccountId)
  const { tokenEndpoint } = identity
  console.log(await welcome({ baseUrl: api.baseUrl, tokenEndpoint, serviceToken, isDemo: filled === 'demo' }))
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => {
    console.log('\nStopping …')
    void leave(0)
  })
}

start().catch((error: Error) => leave(1, error.message))
