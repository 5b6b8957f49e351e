import { randomUUID } from 'node:crypto'
import { importDirectory } from '../../../domain/import/importDirectory.ts'
import { generateDirectory, withServiceAccount } from '../../demo/demo.ts'
import { amidCreations } from '../amidCreations.ts'
import type { Bench } from '../figures.ts'
import { done } from '../processes.ts'
import { enter, newWorld, type World } from '../world.ts'
import type { Check, Checked } from './importCheckProcess.ts'
import type { Import, Imported } from './importProcess.ts'

const USERS = Number(process.env.BENCH_IMPORTED_USERS ?? 50_000)
const MOST_SECONDS = (300 * USERS) / 50_000

const LINES = Number(process.env['BENCH_LINES'] ?? 1_000_000)
const FAULTY = LINES * 0.7
const MOST_MEGABYTES = 128
/** Small enough that garbage does not pile up. */
const SMALL_HEAP = ['--max-old-space-size=64']

/** P7: a large directory imported into an empty table, while the API goes on creating users; and a million lines checked. */
export async function importing(bench: Bench): Promise<void> {
  const { endpoint, say, atMost, exactly, info } = bench
  const world = await newDirectory(endpoint)
  const { seconds, cpuSeconds } = await amidCreations(bench, () => importInto({ ...world, users: USERS }, say))
  atMost(`import of ${USERS} users`, seconds, MOST_SECONDS, ' s')
  info('of that our own processor time', [cpuSeconds], ' s')

  const job: Check = { users: LINES, faulty: FAULTY }
  const checked = await done<Checked>(new URL('importCheckProcess.ts', import.meta.url), job, say, SMALL_HEAP)
  atMost(`heap and buffers while ${LINES} lines are checked`, checked.megabytes, MOST_MEGABYTES, ' MB')
  info('our own processor time for that', [checked.cpuSeconds], ' s')
  exactly('the fault in one of them', checked.faults.slice(0, 3).join(), `line ${FAULTY}, users.first_name`)
}

/** An import into a table that has all that users refer to: the seconds it takes, and our own processor time. */
export const importInto = ({ endpoint, tableName, users }: Import, say: Bench['say']): Promise<Imported> =>
  done<Imported>(new URL('importProcess.ts', import.meta.url), { endpoint, tableName, users }, say)

/** A table with what users refer to, and with the administrators who create users. The handlers use it. */
export async function newDirectory(endpoint: string): Promise<World> {
  const admin = { id: 'admin', username: 'bench-admin', first_name: 'Ada', last_name: 'Admin', role: 'ADMIN' as const }
  const directory = withServiceAccount({ ...generateDirectory({ users: 0 }), users: [admin] })
  const world = await newWorld(endpoint, async (store, now) => {
    await importDirectory({ store, now, newId: randomUUID }, directory)
  })
  enter(world)
  return world
}
