import { randomUUID } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { Worker, type WorkerOptions } from 'node:worker_threads'
import { importDirectory } from '../../domain/import/importDirectory.ts'
import { documentClient, dynamoStore, forWork } from '../../domain/table/dynamo.ts'
import { systemCause } from '../../domain/table/store.ts'
import { generateDirectory, withServiceAccount } from '../demo.ts'
import { createTable } from '../table.ts'
import type { WorkerInput as Check, Report as Checked } from './checkWorker.ts'
import type { Report, WorkerInput } from './importWorker.ts'
import { atMost, info, type Row, type Say, shown } from './report.ts'
import { newPerson } from './samples.ts'
import { median, timed } from './timing.ts'
import { caller, enter, type World } from './world.ts'

const USERS = Number(process.env.BENCH_IMPORTED_USERS ?? 50_000)
const MOST_SECONDS = (300 * USERS) / 50_000

/** Creations in the quiet service, after as many to warm up; and the pause between creations during the import. */
const QUIET = 60
const PAUSE_MS = 200
const MOST_TIMES_QUIET = 3

/** P7: a large directory imported into an empty table, while the API goes on creating users. */
export async function importing(endpoint: string, say: Say): Promise<Row[]> {
  const world = await newDirectory(endpoint)
  const quiet: number[] = []
  for (let n = 0; n < QUIET * 2; n++) quiet.push(await creation())
  const running = importInto({ ...world, users: USERS }, say)
  const during: number[] = []
  let isOver = false
  const ended = running.finally(() => {
    isOver = true
  })
  while (!isOver) {
    during.push(await creation())
    await setTimeout(PAUSE_MS)
  }
  const { seconds, cpuSeconds } = await ended
  const [alone, whileImporting] = [median(quiet.slice(QUIET)), median(during)]
  const times = `${shown(whileImporting)} ms, ${shown(alone)} ms`
  return [
    atMost('P7', `import of ${USERS} users`, seconds, MOST_SECONDS, ' s'),
    info('P7', 'of that our own processor time', `${shown(cpuSeconds)} s`),
    atMost('P7', 'creations during it ÷ in a quiet service', whileImporting / alone, MOST_TIMES_QUIET),
    info('P7', `${during.length} creations during it, ${QUIET} in a quiet service`, times),
    ...(await checking(say)),
  ]
}

const LINES = 1_000_000
const FAULTY = 700_000
const MOST_MEGABYTES = 128
/** Small enough that garbage does not pile up. */
const HEAP_MEGABYTES = 64

/** A million users in lines, checked without being held. */
async function checking(say: Say): Promise<Row[]> {
  const order: Check = { users: LINES, faulty: FAULTY }
  const resourceLimits = { maxOldGenerationSizeMb: HEAP_MEGABYTES }
  const { faults, megabytes, cpuSeconds } = await inThread<Checked>('checkWorker.ts', order, say, { resourceLimits })
  const isReported = faults.join() === `line ${FAULTY}, users.first_name`
  return [
    atMost('P7', `heap and buffers while ${LINES} lines are checked`, megabytes, MOST_MEGABYTES, ' MB'),
    info('P7', 'our own processor time for that', `${shown(cpuSeconds)} s`),
    info('P7', `the fault in line ${FAULTY}`, isReported ? 'reported' : `missed: ${faults.slice(0, 3).join()}`),
  ]
}

/** An import into a new table: the seconds it takes, and our own processor time. */
export async function importOf(endpoint: string, users: number, say: Say): Promise<Imported> {
  return importInto({ ...(await newDirectory(endpoint)), users }, say)
}

/** The same into a table that has all that users refer to. */
export const importInto = ({ endpoint, tableName, users }: WorkerInput, say: Say): Promise<Imported> =>
  inThread<Report>('importWorker.ts', { endpoint, tableName, users }, say)
type Imported = Exclude<Report, Said>

/** A table with what users refer to, and with the administrators who create users. The handlers use it. */
export async function newDirectory(endpoint: string): Promise<World> {
  const tableName = `bench-${randomUUID()}`
  const client = documentClient({ DYNAMODB_ENDPOINT: endpoint })
  await createTable(client as never, tableName)
  const store = dynamoStore({ client, name: tableName, newToken: randomUUID, policy: forWork }).by(systemCause('bench'))
  const now = new Date().toISOString()
  const admin = { id: 'admin', username: 'bench-admin', first_name: 'Ada', last_name: 'Admin', role: 'ADMIN' as const }
  const { users: _nobody, ...reference } = generateDirectory({ users: 1 })
  await importDirectory({ store, now, newId: randomUUID }, withServiceAccount({ ...reference, users: [admin] }))
  const world = { endpoint, tableName, client, store, now }
  enter(world, client)
  return world
}

/** Milliseconds of one creation by the API. */
async function creation(): Promise<number> {
  return timed(await caller('createUser', { body: newPerson(randomUUID()) }))
}

type Said = { said: string }

function inThread<Report extends object>(
  file: string,
  order: object,
  say: Say,
  options: WorkerOptions = {},
): Promise<Exclude<Report, Said>> {
  const worker = new Worker(new URL(file, import.meta.url), { ...options, workerData: order })
  return new Promise((resolve, reject) => {
    const heard = (report: Report): void =>
      'said' in report ? say(String(report.said)) : resolve(report as Exclude<Report, Said>)
    worker.on('message', heard)
    worker.on('error', reject)
    worker.on('exit', () => reject(new Error('The import has ended without a result')))
  })
}
