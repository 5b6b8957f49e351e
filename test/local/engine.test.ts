import { mkdtempSync, rmSync } from 'node:fs'
import { createConnection, createServer } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { CreateTableCommand, DescribeTableCommand, DescribeTimeToLiveCommand } from '@aws-sdk/client-dynamodb'
import { type DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { documentClient } from '../../domain/table/documentClient.ts'
import { createTable, tableDefinition } from '../../local/database/createTable.ts'
import { type Engine, engineAt, startDatabase } from '../../local/database/engine.ts'
import type { LocalDatabase } from '../../local/database/launch.ts'
import { engine as engineOfRun } from '../harness/endpoint.ts'

// The engine that all tests of this run use.
const engine = engineOfRun() as Engine
const path = process.env.PATH
let running: LocalDatabase | undefined

afterEach(async () => {
  process.env.PATH = path
  await running?.stop()
  running = undefined
})

const start = async (dataDir: string) => {
  running = await startDatabase({ engine, port: 0, dataDir })
  return { ...running, client: documentClient({ DYNAMODB_ENDPOINT: running.endpoint }, {}) }
}

// One after the other, in one folder: each start of Java takes seconds.
describe.skipIf(!engine)(`${engine}`, { shuffle: false }, () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'rollcall-'))
  afterAll(() => rmSync(dataDir, { recursive: true }))
  const Key = { pk: 'a', sk: 'b' }
  const put = (client: DynamoDBDocumentClient, round: number) =>
    client.send(new PutCommand({ TableName: 'rollcall', Item: { ...Key, round } }))
  const stored = async (client: DynamoDBDocumentClient) =>
    (await client.send(new GetCommand({ TableName: 'rollcall', Key }))).Item?.['round']

  test('starts, says what it is, holds the table of table.yml, listens on this machine only, and stops', async () => {
    const { endpoint, client, stop } = await start(dataDir)
    expect(await engineAt(endpoint)).toBe(engine)
    expect(await createTable(client, 'rollcall')).toEqual({ created: true })
    expect(await createTable(client, 'rollcall')).toEqual({ created: false })

    const { Table } = await client.send(new DescribeTableCommand({ TableName: 'rollcall' }))
    const { GlobalSecondaryIndexes = [], KeySchema } = await tableDefinition()
    expect(Table?.KeySchema).toEqual(KeySchema)
    const names = (indexes: { IndexName?: string | undefined }[] = []) =>
      indexes.map(({ IndexName }) => IndexName).sort()
    expect(names(Table?.GlobalSecondaryIndexes)).toEqual(names(GlobalSecondaryIndexes))
    const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName: 'rollcall' }))
    expect(TimeToLiveDescription).toEqual({ AttributeName: 'ttl', TimeToLiveStatus: 'ENABLED' })

    const { AttributeDefinitions, GlobalSecondaryIndexes: all, ...rest } = await tableDefinition()
    const older = all?.map((index, n) => (n > 0 ? index : { ...index, IndexName: 'by_another_name' }))
    const {
      TimeToLiveSpecification: _,
      StreamSpecification: _stream,
      ...made
    } = { ...rest, AttributeDefinitions, GlobalSecondaryIndexes: older }
    await client.send(new CreateTableCommand({ ...made, TableName: 'older' }))
    await expect(createTable(client, 'older')).rejects.toThrow(/^The table older was made by another version[^\n]*$/)

    const { port } = new URL(endpoint)
    const others = Object.values(networkInterfaces())
      .flatMap((all) => all ?? [])
      .filter(({ internal }) => !internal)
      .map(({ address, scopeid }) => (scopeid ? `${address}%${scopeid}` : address))
    for (const address of ['::1', ...others])
      expect(await connects(address, Number(port)), `${address} is not listened on`).toBe(false)
    await expect.poll(() => connects('127.0.0.1', Number(port))).toBe(true)

    await put(client, 1)
    await stop()
    await expect(fetch(endpoint)).rejects.toThrow()
  })

  test('keeps in its folder what it has answered for, also when it is killed', async () => {
    const second = await start(dataDir)
    expect(await createTable(second.client, 'rollcall')).toEqual({ created: false })
    expect(await stored(second.client)).toBe(1)
    await put(second.client, 2)
    process.kill(-second.group, 'SIGKILL')
    await second.ended
    const third = await start(dataDir)
    expect(await stored(third.client)).toBe(2)
  })

  test('names a taken port and its variable', async () => {
    const other = createServer()
    const port = await new Promise<number>((resolve) =>
      other.listen(0, () => resolve((other.address() as { port: number }).port)),
    )
    await expect(startDatabase({ engine, port })).rejects.toThrow(
      `Port ${port} is taken. Set DYNAMODB_PORT to another one.`,
    )
    other.close()
  })
})

test('DynamoDB Local says in one line what to do without Java', async () => {
  process.env.PATH = '/nowhere'
  await expect(startDatabase({ engine: 'dynamodb-local', port: 0 })).rejects.toThrow(
    /^DynamoDB Local needs Java .*apt-get install.*brew install.*DYNAMODB_ENDPOINT[^\n]*$/,
  )
})

const connects = (host: string, port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = createConnection({ host, port, timeout: 2_000 })
    const end = (connected: boolean) => {
      socket.destroy()
      resolve(connected)
    }
    socket.once('connect', () => end(true))
    socket.once('error', () => end(false))
    socket.once('timeout', () => end(false))
  })
