import { DescribeTableCommand } from '@aws-sdk/client-dynamodb'
import { type DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb'
import { inParallel } from '../../domain/base/flow.ts'
import { isWork } from '../../domain/table/keys.ts'
import type { Item } from '../../domain/table/store.ts'
import { collecting, type Finding } from './findings.ts'
import { auditTable } from './table.ts'

/** Parts of the table that are read side by side. */
const SEGMENTS = 4

/** Everything in the table. `note` hears how many items have been read, of about how many. */
export async function readTable(
  client: DynamoDBDocumentClient,
  TableName: string,
  note: (read: number, about: number) => void = () => {},
): Promise<Item[]> {
  const { Table } = await client.send(new DescribeTableCommand({ TableName }))
  const items: Item[] = []
  await inParallel(SEGMENTS, Array(SEGMENTS).keys(), async (Segment) => {
    let after: Record<string, unknown> | undefined
    do {
      const part = { TableName, ConsistentRead: true, Segment, TotalSegments: SEGMENTS }
      const page = await client.send(new ScanCommand({ ...part, ...(after ? { ExclusiveStartKey: after } : {}) }))
      for (const item of page.Items ?? []) items.push(item as Item)
      note(items.length, Math.max(items.length, Table?.ItemCount ?? 0))
      after = page.LastEvaluatedKey
    } while (after)
  })
  return items
}

export type Verdict = { items: number; users: number; work: number; findings: Finding[] }

/** Holds the items of a table that nobody writes to against each other. */
export function verify(items: readonly Item[], now: string): Verdict {
  const { findings, expect } = collecting()
  try {
    auditTable(items, now, expect)
  } catch (error) {
    // A record of a form that no version of the service writes.
    findings.push({ what: 'a record cannot be read', found: String(error), expected: 'the form of table/records.ts' })
  }
  const users = items.filter(({ sk }) => sk === 'USER').length
  return { items: items.length, users, work: items.filter(isWork).length, findings }
}
