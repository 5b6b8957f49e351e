// Imports a directory of made-up people, in a separate process, so that creations at the same time do not share its event loop.
import { randomUUID } from 'node:crypto'
import { importDirectory } from '../../../domain/import/importDirectory.ts'
import { systemCause } from '../../../domain/table/actions.ts'
import { openTable } from '../../database/openTable.ts'
import { generateDirectory } from '../../demo/demo.ts'
import { serve } from '../processes.ts'
import { cpuMsSince, timed } from '../timing.ts'

/** The table, and the number of users. */
export type Import = { endpoint: string; tableName: string; users: number }
export type Imported = { seconds: number; cpuSeconds: number }

serve<Import, Imported>(async ({ endpoint, tableName, users }, say) => {
  const store = openTable({ DYNAMODB_ENDPOINT: endpoint, TABLE_NAME: tableName }).causedBy(systemCause('import'))
  const context = {
    store,
    now: new Date().toISOString(),
    clock: () => new Date(),
    newId: randomUUID,
    onProgress: ({ section, done, total }: { section: string; done: number; total: number }) =>
      say(`${section}: ${done} of ${total}`),
  }
  const directory = generateDirectory({ users })
  const cpu = process.cpuUsage()
  const ms = await timed(() => importDirectory(context, directory))
  return { seconds: ms / 1000, cpuSeconds: cpuMsSince(cpu) / 1000 }
})
