import { readdirSync, readFileSync } from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { startDatabase } from '../../local/database/engine.ts'
import { engine } from './endpoint.ts'
import { spareMemory } from './spareMemory.ts'

const QUERIES = 20

it.runIf(engine() === 'dynoxide')(
  'a dynoxide with spare memory asks the system for a quarter of it or less',
  async () => {
    const without = await pagesOfQueries(async () => () => undefined)
    expect(without).toBeGreaterThan(50 * QUERIES)
    expect(await pagesOfQueries(spareMemory)).toBeLessThan(without / 4)
  },
)

/** How many pages of memory the system gives to a dynoxide while it answers queries for 50 records. */
async function pagesOfQueries(prepare: (endpoint: string) => Promise<() => void>): Promise<number> {
  const { endpoint, group, stop } = await startDatabase({ engine: 'dynoxide', port: 0 })
  const end = await prepare(endpoint)
  onTestFinished(async () => {
    end()
    await stop()
  })
  const ask = async (operation: string, body: object) => {
    const headers = {
      'content-type': 'application/x-amz-json-1.0',
      'x-amz-target': `DynamoDB_20120810.${operation}`,
      'x-amz-date': '20261121T000000Z',
      authorization:
        'AWS4-HMAC-SHA256 Credential=local/20261121/eu-central-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
    }
    const answer = await fetch(endpoint, {
      method: 'POST',
      headers,
      body: JSON.stringify({ TableName: 'table', ...body }),
    })
    expect(answer.status, await answer.text()).toBe(200)
  }
  const keys = [
    ['PK', 'HASH'],
    ['SK', 'RANGE'],
  ]
  await ask('CreateTable', {
    AttributeDefinitions: keys.map(([AttributeName]) => ({ AttributeName, AttributeType: 'S' })),
    KeySchema: keys.map(([AttributeName, KeyType]) => ({ AttributeName, KeyType })),
    BillingMode: 'PAY_PER_REQUEST',
  })
  for (let at = 10; at < 60; at++)
    await ask('PutItem', {
      Item: {
        PK: { S: 'a' },
        SK: { S: `${at}` },
        address: { M: { town: { S: 'Ulm' }, lines: { L: [{ S: 'a' }, { S: 'b' }] } } },
      },
    })
  const query = { KeyConditionExpression: 'PK = :pk', ExpressionAttributeValues: { ':pk': { S: 'a' } } }
  await ask('Query', query)
  const before = pagesTaken(group)
  for (let at = 0; at < QUERIES; at++) await ask('Query', query)
  return pagesTaken(group) - before
}

/** The page faults of the dynoxide in a process group, as /proc/[pid]/stat counts them (proc(5)). */
function pagesTaken(group: number): number {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const [name, rest = ''] = statOf(pid)
    const [, , ofGroup, , , , , faults] = rest.split(' ')
    if (name === 'dynoxide' && Number(ofGroup) === group) return Number(faults)
  }
  throw new Error(`No dynoxide is in process group ${group}`)
}

/** The name of a process and what follows it; nothing if the process has ended. */
function statOf(pid: string): string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^\d+ \(/, '')
      .split(') ')
  } catch {
    return []
  }
}
