import { createHash } from 'node:crypto'
import { countAttribute, userCounts } from '../../../domain/people/records/userCounters.ts'
import { generateDirectory } from '../../demo/demo.ts'
import { openPlanFolder } from '../../start/planFolder.ts'
import { startWorker } from '../../start/workerLoop.ts'
import { type Bench, shown } from '../figures.ts'
import { filled, LARGE } from '../fill.ts'
import { numberedPeople } from '../generatedRows.ts'
import { done } from '../processes.ts'
import { until } from '../timing.ts'
import { answerOf, enter, newWorld } from '../world.ts'
import type { Checked, Job } from './planFileProcess.ts'

/** The generated people. */
const PEOPLE = Number(process.env['BENCH_FILE_USERS'] ?? 1_000_000)
/** Every row of so many has a new value. */
const ONE_IN = 100
const PART_BYTES = 4 * 1024 * 1024
const LOOK_MS = 50

const promised = { seconds: 90, silence: 2, one: 2, megabytes: 256, readUnits: 0.7, writeUnits: 3 }
/** What Lambda gives Node in a function of so many megabytes: a tenth for new objects, in two halves, and the rest for old ones. */
const heapIn = (megabytes: number): string[] => [
  `--max-semi-space-size=${Math.floor(megabytes / 20)}`,
  `--max-old-space-size=${megabytes - Math.floor(megabytes / 10)}`,
]

type Plan = { id: string; state: string; counts: { rows: number; planned: number; unchanged: number; faults: number } }

/** FILES: the file of all users in which one of a hundred has changed, a file of one row, and files among a million. */
export async function files(bench: Bench): Promise<void> {
  const folder = await openPlanFolder(undefined)
  process.env['PLAN_FOLDER'] = folder.folder
  try {
    await amongMany(bench)
    await amongAMillion(bench)
  } finally {
    await folder.stop()
  }
}

/** With the worker of `npm start`. */
async function amongMany(bench: Bench): Promise<void> {
  const { say, atMost, exactly } = bench
  enter(await filled(bench, LARGE))
  const worker = startWorker()
  try {
    const all = await ready(generatedRows(), say)
    atMost(`a file of ${LARGE} rows, of which 1 % have changed: READY`, all.seconds, promised.seconds, ' s')
    atMost('… the longest time without progress to be seen', all.silence, promised.silence, ' s')
    const { rows, planned, unchanged, faults } = all.plan.counts
    const changed = Math.ceil(LARGE / ONE_IN)
    exactly(
      'rows, changes, unchanged, faults',
      `${[rows, planned, unchanged, faults]}`,
      `${[LARGE, changed, LARGE - changed, 0]}`,
    )
    const one = await ready(['E-17,Kiel'], say)
    atMost(`a file of ${one.plan.counts.rows} row: READY`, one.seconds, promised.one, ' s')
  } finally {
    await worker.stop()
  }
}

/** Rows of all users of the generated directory. */
function* generatedRows(): Generator<string> {
  for (const [n, { external_id, attributes = [] }] of (generateDirectory({ users: LARGE }).users ?? []).entries()) {
    const location = attributes.find(({ name }) => name === 'location')?.value
    yield `${external_id},${n % ONE_IN === 0 ? 'Elsewhere' : location}`
  }
}

/** The seconds from the call that checks a file until its plan is READY, and the most without anything new to be seen. */
async function ready(rows: Iterable<string>, say: Bench['say']) {
  const { id, check } = await upload({}, ['external_id', 'location'], rows)
  await check()
  let plan: Plan | undefined
  let [shown, shownAt, silence] = ['', performance.now(), 0]
  const seconds = await until(async () => {
    const read = await answerOf('getPlan', { path: { plan_id: id } })
    if (read.state === 'REFUSED') throw new Error(`The plan was refused: ${JSON.stringify(read)}`)
    const text = `${read.state}, ${read.progress?.done ?? 0} of ${read.progress?.total ?? 0}`
    say(text)
    silence = Math.max(silence, performance.now() - shownAt)
    if (text !== shown) [shown, shownAt] = [text, performance.now()]
    plan = read
    return read.state === 'READY'
  }, LOOK_MS)
  return { plan: plan as unknown as Plan, seconds, silence: silence / 1000 }
}

/** Sends a file in parts. Its text is never in memory as a whole. */
async function upload(body: object, columns: readonly string[], rows: Iterable<string>, count?: number) {
  const { id } = await answerOf('createPlan', { body: { kind: 'FILE', ...body } })
  const sum = createHash('sha256')
  let [parts, bytes, text] = [0, 0, `${columns}\n`]
  const send = async () => {
    const octets = Buffer.from(text)
    sum.update(octets)
    bytes += octets.length
    text = ''
    await answerOf('putPlanPart', { path: { plan_id: id, n: String(++parts) }, octets })
  }
  for (const row of rows) {
    text += `${row}\n`
    if (text.length > PART_BYTES - 1000) await send()
  }
  await send()
  const check = () =>
    answerOf('checkPlanFile', { path: { plan_id: id }, body: { parts, bytes, sha256: sum.digest('hex'), rows: count } })
  return { id: String(id), check }
}

/** The generated files: the share of the people who are in it, and its columns. The first one is the key. */
const generatedFiles: readonly (readonly [
  what: string,
  share: number,
  columns: readonly string[],
  options?: object,
])[] = [
  [
    'everybody by external id',
    1,
    ['external_id', 'first_name', 'last_name', 'username', 'email', 'department', 'location'],
  ],
  ['half by external id', 0.5, ['external_id', 'email', 'location']],
  ['half by external id alone', 0.5, ['external_id', 'location']],
  ['half by username', 0.5, ['username', 'location']],
  [
    'half, and the other half absent',
    0.5,
    ['external_id', 'location'],
    { mode: 'FULL', absent: 'DEACTIVATE', absent_among: { all: true } },
  ],
]

/** Files among a million people, who are made up when they are read. Each check has a process to itself. */
async function amongAMillion({ endpoint, say, atMost, exactly, info }: Bench): Promise<void> {
  const world = await newWorld(endpoint)
  await world.store.write([userCounts.add(0, { [countAttribute('ACTIVE', 'USER')]: PEOPLE })])
  enter(world)
  for (const [what, share, columns, more] of generatedFiles) {
    const rows = Math.floor(PEOPLE * share)
    say(`${what}: ${rows} rows`)
    const options = { match_by: columns[0]?.toUpperCase(), ...more }
    const { id, check } = await upload(options, columns, madeRows(rows, columns), rows)
    await check()
    const job: Job = { endpoint, tableName: world.tableName, plan: id, people: PEOPLE }
    const script = new URL('planFileProcess.ts', import.meta.url)
    const { reads, writes, megabytes, resident, seconds, plan } = await done<Checked>(
      script,
      job,
      say,
      heapIn(promised.megabytes),
    )
    const name = `${what} of ${PEOPLE}`
    const { state, counts, fault } = plan
    const { planned, absent } = counts
    const expected = more ? 'REFUSED,PLAN_LIMIT_EXCEEDED' : 'READY,'
    const found = [state, fault?.code, counts.rows, planned - absent]
    exactly(`${name}: state, rows, changes`, `${found}`, `${[expected, rows, Math.ceil(rows / ONE_IN)]}`)
    atMost(`${name}: read units a row`, reads / rows, promised.readUnits, '', more ? `, ${absent} absent noted` : '')
    atMost(`${name}: write units a change`, writes / planned, promised.writeUnits)
    atMost(`${name}: memory of the process`, resident, promised.megabytes, ' MB', `, ${shown(megabytes)} MB heap`)
    info(`${name}: time, rows made included`, [seconds], ' s')
  }
}

/** Rows of the first of these people. */
function* madeRows(rows: number, columns: readonly string[]): Generator<string> {
  const { person } = numberedPeople(PEOPLE)
  for (let n = 0; n < rows; n++) {
    const { attributes, ...user } = person(n)
    const values = new Map<string, unknown>(Object.entries(user))
    for (const { name, value } of attributes) values.set(name, value)
    if (n % ONE_IN === 0) values.set('location', 'Elsewhere')
    yield columns.map((name) => values.get(name)).join()
  }
}
