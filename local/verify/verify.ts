import { DescribeTableCommand } from '@aws-sdk/client-dynamodb'
import { type DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb'
import { inParallel } from '../../domain/base/flow.ts'
import { isWork } from '../../domain/table/keys.ts'
import type { Item } from '../../domain/table/store.ts'
import { type Copy, openCopy } from './copy.ts'
import { collecting, type Finding } from './findings.ts'
import { auditTable } from './table.ts'

/** Parts of the table that are read in parallel. */
const SEGMENTS = 4

/**
 * Reads a whole table into a copy. A copy that was begun before goes on where it ended. `note` hears how many items have
 * been read, of about how many.
 */
export async function readTable(
  client: DynamoDBDocumentClient,
  TableName: string,
  { copy = openCopy(), note = () => {} }: { copy?: Copy; note?: (read: number, about: number) => void } = {},
): Promise<Copy> {
  const { Table } = await client.send(new DescribeTableCommand({ TableName }))
  const begun = copy.positions()
  let read = copy.size()
  const readSegment = async (Segment: number): Promise<void> => {
    const input = { TableName, ConsistentRead: true, Segment, TotalSegments: SEGMENTS }
    let position = begun.get(Segment)
    while (position !== 'done') {
      const page = await client.send(new ScanCommand({ ...input, ExclusiveStartKey: position?.after }))
      const items = (page.Items ?? []) as Item[]
      position = page.LastEvaluatedKey ? { after: page.LastEvaluatedKey } : 'done'
      copy.add(items, Segment, position)
      read += items.length
      note(read, Math.max(read, Table?.ItemCount ?? 0))
    }
  }
  await inParallel(SEGMENTS, Array(SEGMENTS).keys(), readSegment)
  copy.sort()
  return copy
}

/** The result: how much there is, the first findings, and how many there are in all. */
export type Verdict = { items: number; users: number; work: number; findings: Finding[]; count: number }

/** Checks the copy of a table. `note` hears how many users have been checked, of how many. */
export function verify(copy: Copy, now: string, note: (checked: number, of: number) => void = () => {}): Verdict {
  const { findings, count, expect } = collecting()
  const users = copy.size('USER')
  try {
    auditTable(copy, now, expect, (checked) => note(checked, users))
  } catch (error) {
    // A record of a form that no version of the service writes.
    expect(String(error), 'a record cannot be read').toBe('the form of table/records.ts')
  }
  return {
    items: copy.size(),
    users,
    work: copy.keysBelow('WORK').filter(isWork).toArray().length,
    findings,
    count: count(),
  }
}
