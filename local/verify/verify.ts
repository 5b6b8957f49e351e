import { DescribeTableCommand } from '@aws-sdk/client-dynamodb'
import { type DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb'
import { inParallel } from '../../domain/base/parallel.ts'
import { isWork } from '../../domain/table/keys.ts'
import type { Item } from '../../domain/table/store.ts'
import { auditTable } from './auditTable.ts'
import { collecting, type Finding } from './findings.ts'
import { noRepairs, type Repairs } from './repair.ts'
import { type Copy, openCopy } from './tableCopy.ts'

/** Parts of the table that are read in parallel. */
const SEGMENTS = 4

/**
 * Reads a whole table into a copy, and continues an unfinished copy. It calls `note` with the number of items read, and the
 * approximate total.
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

/** What a check finds: the size of the table, the first findings, their number, and what can be put right. */
export type Outcome = {
  items: number
  users: number
  work: number
  findings: Finding[]
  count: number
  repairs: Repairs
}

/** Checks the copy of a table. It calls `note` with the number of users checked, and the total. */
export function verify(copy: Copy, now: string, note: (checked: number, of: number) => void = () => {}): Outcome {
  const { findings, count, expect } = collecting()
  const users = copy.size('USER')
  const repairs = noRepairs()
  try {
    auditTable(copy, now, expect, { note: (checked) => note(checked, users), repairs })
  } catch (error) {
    // No version of the service writes such a record.
    expect(String(error), 'a record cannot be read').toBe('the form of table/records.ts')
  }
  return {
    items: copy.size(),
    users,
    work: copy.keysBelow('WORK').filter(isWork).toArray().length,
    findings,
    count: count(),
    repairs,
  }
}
