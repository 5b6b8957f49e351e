import { ScanCommand } from '@aws-sdk/lib-dynamodb'
import { expect } from 'vitest'
import { compareBytes } from '../../domain/base/text.ts'
import { textOfKey } from '../../domain/table/items.ts'
import type { Item } from '../../domain/table/store.ts'
import { auditTable } from '../../local/verify/auditTable.ts'
import { collecting, type Finding } from '../../local/verify/findings.ts'
import { copyOf } from '../../local/verify/tableCopy.ts'
import type { Service } from './service.ts'

/** Everything in the table, by key. */
export async function dump({ client, tableName }: Pick<Service, 'client' | 'tableName'>): Promise<Item[]> {
  const items: Item[] = []
  let after: Record<string, unknown> | undefined
  do {
    // In one part: each part is a request, and tables of tests are small.
    const part = { TableName: tableName, ConsistentRead: true, ...(after ? { ExclusiveStartKey: after } : {}) }
    const page = await client.send(new ScanCommand(part))
    for (const item of page.Items ?? []) items.push(item as Item)
    after = page.LastEvaluatedKey
  } while (after)
  return items.sort((a, b) => compareBytes(textOfKey(a), textOfKey(b)))
}

/** Checks the whole table against its rules, as `npm run verify` does; fails with all findings. */
export async function audit(service: Service): Promise<void> {
  expect(await findingsIn(service)).toEqual([])
}

/** What `npm run verify` finds in the table. */
export async function findingsIn(service: Service): Promise<Finding[]> {
  const items = await dump(service)
  // `expect` of vitest takes ten times as long for each of thousands of checks.
  const { findings, expect: check } = collecting()
  auditTable(copyOf(items), service.now().toISOString(), check)
  return findings
}
