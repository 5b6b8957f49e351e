import { randomUUID } from 'node:crypto'
import { dynamoStore } from '../../domain/table/dynamo.ts'
import { createTable } from '../../local/table.ts'
import { type Service, startService } from '../harness/service.ts'

let first: Service | undefined

/** A service on a table of its own with nothing in it: imports begin where nobody is. */
export async function emptyTable(): Promise<Service> {
  first ??= await startService({ users: [], indexes: 'all' })
  const tableName = `test-${randomUUID()}`
  process.env.TABLE_NAME = tableName
  await createTable(first.client as never, tableName)
  return { ...first, tableName, store: dynamoStore({ client: first.client, name: tableName, newToken: randomUUID }) }
}
