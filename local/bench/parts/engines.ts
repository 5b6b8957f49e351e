import { readdirSync, readFileSync } from 'node:fs'
import { UpdateTableCommand } from '@aws-sdk/client-dynamodb'
import { tableDefinition } from '../../database/createTable.ts'
import { chooseEngine, type Engine, engineName, startDatabase } from '../../database/engine.ts'
import type { LocalDatabase } from '../../database/launch.ts'
import type { Bench } from '../figures.ts'
import { enter, newWorld } from '../world.ts'
import { importInto, newDirectory } from './importing.ts'
import { lives } from './throughput.ts'

/** Lives that are measured, after those that make Java fast. */
const LIVES = 250
const WARM_UP = 500
const IMPORTED = Number(process.env.BENCH_ENGINE_USERS ?? 4000)
const MOST_OF_ITS_TIME = 0.35
const MOST_OF_ITS_IMPORT = 0.5
/** The kernel's unit of processor time: USER_HZ of Linux. */
const TICKS_PER_SECOND = 100

/** The default engine against DynamoDB Local with the stream that AWS has, where both run. */
export async function engines({ say, atMost, info }: Bench): Promise<void> {
  const measured = async (engine: Engine) => {
    const { lifeMs, importSeconds } = await costOf(engine, say)
    info(`${engineName(engine)}: processor time of the database for a user's life`, [lifeMs], ' ms')
    info(`${engineName(engine)}: import of ${IMPORTED} users`, [importSeconds], ' s')
    return { lifeMs, importSeconds }
  }
  const ours = await measured(chooseEngine({}))
  const theirs = await measured('dynamodb-local')
  atMost("a life's processor time ÷ DynamoDB Local's", ours.lifeMs / theirs.lifeMs, MOST_OF_ITS_TIME)
  const imports = ours.importSeconds / theirs.importSeconds
  atMost("the import's time ÷ on DynamoDB Local", imports, MOST_OF_ITS_IMPORT)
}

/** The costs of one engine, newly started. The import runs without a stream, the lives with one if it is usable. */
async function costOf(engine: Engine, say: Bench['say']): Promise<{ lifeMs: number; importSeconds: number }> {
  const database = await startDatabase({ engine, port: 0 })
  try {
    const directory = await newDirectory(database.endpoint)
    const { seconds: importSeconds } = await importInto({ ...directory, users: IMPORTED }, say)
    const world = await newWorld(database.endpoint)
    if (engine === 'dynamodb-local') {
      const { StreamSpecification } = await tableDefinition()
      await world.client.send(new UpdateTableCommand({ TableName: world.tableName, StreamSpecification }))
    }
    enter(world)
    await lives(WARM_UP, { prefix: 'w', say })
    const before = processorSeconds(database)
    await lives(LIVES, { prefix: 'u', say })
    return { lifeMs: ((processorSeconds(database) - before) * 1000) / LIVES, importSeconds }
  } finally {
    await database.stop()
  }
}

/** Processor time of the processes of a group, as /proc of Linux has it. */
function processorSeconds({ group }: LocalDatabase): number {
  let ticks = 0
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const fields = statOf(pid)
    if (Number(fields[2]) === group) ticks += Number(fields[11]) + Number(fields[12])
  }
  return ticks / TICKS_PER_SECOND
}

/** The fields after the name of the program: state, parent, group, … user and system time. Empty once it has ended. */
function statOf(pid: string): string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    return []
  }
}
