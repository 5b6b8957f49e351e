import { fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { dump } from '../../test/harness/audit.ts'
import { atMost, info, type Row, type Say, shown } from './report.ts'
import type { Report, WorkerInput } from './verifyWorker.ts'
import { newWorld } from './world.ts'

const USERS = 1_000_000
const MOST_MEGABYTES = 512
/** The heap that `npm run verify` gets in package.json: without a limit, garbage piles up. */
const HEAP = ['--max-old-space-size=256']

/** VERIFY: the time and memory to check a table of a million users. The users are generated, in the pages of a scan. */
export async function verifying(endpoint: string, say: Say): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-bench-'))
  try {
    const directory = await dump(await newWorld(endpoint))
    const order = { users: USERS, directory, file: join(folder, 'copy.sqlite') }
    const { items, findings, megabytes, seconds } = await inProcess(order, say)
    return [
      atMost('VERIFY', `memory of the check of ${USERS} users`, megabytes, MOST_MEGABYTES, ' MB', `, ${items} items`),
      atMost('VERIFY', 'findings', findings.length, 0, '', findings.slice(0, 3).join()),
      info('VERIFY', 'time for copy and check', `${shown(seconds)} s`),
    ]
  } finally {
    rmSync(folder, { recursive: true })
  }
}

type Result = Exclude<Report, { said: string }>

const inProcess = (order: WorkerInput, say: Say): Promise<Result> =>
  new Promise((resolve, reject) => {
    const worker = fork(fileURLToPath(new URL('verifyWorker.ts', import.meta.url)), { execArgv: HEAP })
    worker.on('message', (report: Report) => ('said' in report ? say(report.said) : resolve(report)))
    worker.on('exit', (code) => reject(new Error(`The worker has ended with ${code}`)))
    worker.send(order)
  })
