// Checks a generated file of lines that is never held in memory, in a separate thread with a small heap.
import { parentPort, workerData } from 'node:worker_threads'
import { checkLines } from '../../domain/import/importLines.ts'
import { ImportRefused } from '../../domain/import/importSummary.ts'
import type { LineSource } from '../../domain/import/lineFile.ts'
import type { Store } from '../../domain/table/store.ts'

/** The number of users, and the line whose fault must be reported. */
export type WorkerInput = { users: number; faulty: number }
/** The faults that were reported, and what that cost: `megabytes` is the most that the heap and all buffers held. */
export type Report = { said: string } | { faults: string[]; megabytes: number; cpuSeconds: number }

const { users, faulty }: WorkerInput = workerData
const send = (report: Report): void => parentPort?.postMessage(report)

const none = () => Promise.reject(new Error('A check writes nothing'))
/** A table without an organisation: it has no users to look up. */
const empty: Store = {
  get: async () => undefined,
  getSoon: async () => undefined,
  query: async () => ({ items: [], count: 0 }),
  write: none,
  bulk: none,
}

const userLine = (n: number): string =>
  JSON.stringify({
    users: {
      id: `person-${n}`,
      username: `person-${n}@large.example`,
      first_name: n === faulty ? '' : 'Zoë',
      last_name: `Ferrán-Oliveira ${n}`,
      email: `person-${n}@large.example`,
      external_id: `E-${n}`,
      attributes: [
        { name: 'department', value: 'Logistics' },
        { name: 'location', value: 'Lisboa' },
        { name: 'job_title', value: 'Fleet planner' },
      ],
    },
  })

const LINES_AT_ONCE = 1_000
const source: LineSource = {
  size: users * userLine(users).length,
  read: async function* () {
    for (let line = 1; line <= users; line += LINES_AT_ONCE)
      yield Buffer.from(`${Array.from({ length: LINES_AT_ONCE }, (_, n) => userLine(line + n)).join('\n')}\n`)
  },
}

let most = 0
const cpu = process.threadCpuUsage()
const faults = await checkLines(
  {
    store: empty,
    now: new Date().toISOString(),
    newId: () => '',
    onProgress: ({ done }) => {
      const { heapUsed, arrayBuffers } = process.memoryUsage()
      most = Math.max(most, heapUsed + arrayBuffers)
      send({ said: `${done} of ${users} lines checked` })
    },
  },
  source,
).then(
  () => [],
  (error: unknown) => {
    if (error instanceof ImportRefused) return error.faults.map(({ section, property }) => `${section}.${property}`)
    throw error
  },
)
const { user, system } = process.threadCpuUsage(cpu)
send({ faults, megabytes: most / 1e6, cpuSeconds: (user + system) / 1e6 })
