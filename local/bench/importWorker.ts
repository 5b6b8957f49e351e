// Imports a directory of made-up people, in a separate thread, so that creations at the same time do not share its event loop.
import { randomUUID } from 'node:crypto'
import { parentPort, workerData } from 'node:worker_threads'
import { importDirectory } from '../../domain/import/importDirectory.ts'
import { systemCause } from '../../domain/table/store.ts'
import { generateDirectory } from '../demo.ts'
import { openTable } from '../localTable.ts'

/** Messages to the thread, and from it: its progress, and at the end its seconds and processor time. */
export type WorkerInput = { endpoint: string; tableName: string; users: number }
export type Report = { said: string } | { seconds: number; cpuSeconds: number }

const { endpoint, tableName, users }: WorkerInput = workerData
const tell = (report: Report): void => parentPort?.postMessage(report)

const store = openTable({ DYNAMODB_ENDPOINT: endpoint, TABLE_NAME: tableName }).by(systemCause('import'))
const directory = generateDirectory({ users })
const [cpu, startedAt] = [process.threadCpuUsage(), performance.now()]
await importDirectory(
  {
    store,
    now: new Date().toISOString(),
    clock: () => new Date(),
    newId: randomUUID,
    onProgress: ({ section, done, total }) => tell({ said: `${section}: ${done} of ${total}` }),
  },
  directory,
)
const { user, system } = process.threadCpuUsage(cpu)
tell({ seconds: (performance.now() - startedAt) / 1000, cpuSeconds: (user + system) / 1e6 })
