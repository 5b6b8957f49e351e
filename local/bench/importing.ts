import { randomUUID } from 'node:crypto'
import { importDirectory } from '../../domain/import/importDirectory.ts'
import { documentClient, dynamoStore } from '../../domain/table/dynamo.ts'
import { generateDirectory } from '../demo.ts'
import { createTable } from '../table.ts'
import { atMost, info, type Row, shown } from './report.ts'

const USERS = Number(process.env.BENCH_IMPORTED_USERS ?? 50_000)
const MOST_SECONDS = (300 * USERS) / 50_000

/** P7: a large directory imported into an empty table. */
export async function importing(endpoint: string, say: (text: string) => void): Promise<Row[]> {
  const name = `bench-${randomUUID()}`
  const client = documentClient({ DYNAMODB_ENDPOINT: endpoint })
  await createTable(client as never, name)
  const store = dynamoStore({ client, name, newToken: randomUUID })
  const directory = generateDirectory({ users: USERS })
  const [cpu, startedAt] = [process.cpuUsage(), performance.now()]
  await importDirectory(
    {
      store,
      now: new Date().toISOString(),
      clock: () => new Date(),
      newId: randomUUID,
      onProgress: ({ section, done, total }) => say(`${section}: ${done} of ${total}`),
    },
    directory,
  )
  const seconds = (performance.now() - startedAt) / 1000
  const { user, system } = process.cpuUsage(cpu)
  return [
    atMost('P7', `import of ${USERS} users`, seconds, MOST_SECONDS, ' s'),
    info('P7', 'of that our own processor time', `${shown((user + system) / 1e6)} s`),
  ]
}
