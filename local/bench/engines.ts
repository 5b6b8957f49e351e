import { readdirSync, readFileSync } from 'node:fs'
import { UpdateTableCommand } from '@aws-sdk/client-dynamodb'
import { chooseEngine, type Engine, engineName, startDatabase } from '../engine.ts'
import type { LocalDatabase } from '../launch.ts'
import { tableDefinition } from '../table.ts'
import { importOf } from './importing.ts'
import { atMost, info, type Row, type Say, shown } from './report.ts'
import { lives } from './throughput.ts'
import { enter, newWorld } from './world.ts'

/** Lives that are measured, after those that make Java fast. */
const LIVES = 250
const WARM_UP = 500
const IMPORTED = Number(process.env.BENCH_ENGINE_USERS ?? 4000)
const MOST_OF_ITS_TIME = 0.35
const MOST_OF_ITS_IMPORT = 0.5
/** The kernel's unit of processor time: USER_HZ of Linux. */
const TICKS_PER_SECOND = 100

type Cost = { lifeMs: number; importSeconds: number }

/** The default engine against DynamoDB Local with the stream that AWS has, where both run. */
export async function engines(_endpoint: string, say: Say): Promise<Row[]> {
  const own = chooseEngine({})
  const ours = await costOf(own, say)
  const figures = ({ lifeMs, importSeconds }: Cost) => `${shown(lifeMs)} ms, ${shown(importSeconds)} s`
  const what = `processor time of the database for a user's life, import of ${IMPORTED} users`
  const rows = [info('ENGINES', `${engineName(own)}: ${what}`, figures(ours))]
  if (own === 'dynamodb-local') return rows
  const theirs = await costOf('dynamodb-local', say).catch((error: Error) => error.message)
  if (typeof theirs === 'string') return [...rows, info('ENGINES', 'DynamoDB Local is not compared', theirs)]
  return [
    ...rows,
    info('ENGINES', `${engineName('dynamodb-local')}: ${what}`, figures(theirs)),
    atMost('ENGINES', "a life's processor time ÷ DynamoDB Local's", ours.lifeMs / theirs.lifeMs, MOST_OF_ITS_TIME),
    atMost(
      'ENGINES',
      "the import's time ÷ on DynamoDB Local",
      ours.importSeconds / theirs.importSeconds,
      MOST_OF_ITS_IMPORT,
    ),
  ]
}

/** The costs of one engine, newly started. The import runs without a stream, the lives with one if it is usable. */
async function costOf(engine: Engine, say: Say): Promise<Cost> {
  const database = await startDatabase({ engine, port: 0 })
  try {
    const { seconds: importSeconds } = await importOf(database.endpoint, IMPORTED, say)
    const world = await newWorld(database.endpoint)
    if (engine === 'dynamodb-local') {
      const { StreamSpecification } = await tableDefinition()
      await world.client.send(new UpdateTableCommand({ TableName: world.tableName, StreamSpecification }))
    }
    enter(world, world.client)
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
