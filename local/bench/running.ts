import { fileURLToPath } from 'node:url'
import { BatchGetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb'
import { queryOf } from '../../domain/table/expressions.ts'
import { userList } from '../../domain/table/keys.ts'
import type { Item } from '../../domain/table/store.ts'
import { startGuarded } from '../guarded.ts'
import { freePort } from '../ports.ts'
import { serviceAccountId } from '../tokenEndpoint.ts'
import { untilAnswering } from '../untilAnswering.ts'
import { median, timed } from './timing.ts'
import type { World } from './world.ts'

// biome-ignore lint/suspicious/noExplicitAny: answers of every endpoint
type Any = any

/** The service as `npm start` runs it, on a table that is filled already. */
export type Running = {
  /** A request as the administrator of this machine; throws where it is refused. */
  ask: (method: string, path: string, body?: object) => Promise<Any>
  stop: () => Promise<void>
}

const root = fileURLToPath(new URL('../..', import.meta.url))
const SECONDS_TO_START = 300

/** Starts the service and waits until it answers. */
export async function startService({ endpoint, tableName }: World): Promise<Running> {
  const [port, identityPort] = [await freePort(), await freePort()]
  const lines: string[] = []
  const service = startGuarded({
    command: process.execPath,
    args: ['local/start.ts'],
    cwd: root,
    env: {
      ...process.env,
      DYNAMODB_ENDPOINT: endpoint,
      TABLE_NAME: tableName,
      PORT: String(port),
      IDENTITY_PORT: String(identityPort),
    },
    onLine: (line) => {
      lines.push(line)
      if (lines.length > 50) lines.shift()
    },
  })
  const baseUrl = `http://localhost:${port}`
  if (!(await untilAnswering({ url: `${baseUrl}/docs`, ended: service.ended, seconds: SECONDS_TO_START }))) {
    await service.stop()
    throw new Error(`The service did not start:\n${lines.join('\n')}`)
  }
  const form = new URLSearchParams({
    grant_type: 'client_credentials',
    client_id: serviceAccountId,
    client_secret: 'any',
  })
  const token: Any = await (
    await fetch(`http://localhost:${identityPort}/token`, { method: 'POST', body: form })
  ).json()
  const headers = { authorization: `Bearer ${token.access_token}`, 'content-type': 'application/json' }
  return {
    ask: async (method, path, body) => {
      const answer = await fetch(`${baseUrl}${path}`, {
        method,
        headers,
        ...(body ? { body: JSON.stringify(body) } : {}),
      })
      const text = await answer.text()
      if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`)
      return JSON.parse(text)
    },
    stop: service.stop,
  }
}

/**
 * The bare SDK calls of one page: 25 rows of a list and their records. Their duration shows how fast the database
 * currently is, on this machine, with this table.
 */
async function barePage({ client, tableName }: World, rows = 25): Promise<number> {
  return timed(async () => {
    const { Items = [] } = await client.send(
      new QueryCommand({
        TableName: tableName,
        ...queryOf({ index: 'by_last_name', hash: userList('ACTIVE', 'USER'), limit: rows }),
      }),
    )
    const Keys = (Items as Item[]).map(({ pk, sk }) => ({ pk, sk }))
    await client.send(new BatchGetCommand({ RequestItems: { [tableName]: { Keys } } }))
  })
}

/** The median of several such pages. */
export async function barePages(world: World, rows = 25): Promise<number> {
  const times: number[] = []
  for (let n = 0; n < 9; n++) times.push(await barePage(world, rows))
  return median(times)
}
