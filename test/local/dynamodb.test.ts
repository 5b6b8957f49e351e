import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createConnection, createServer } from 'node:net'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  CreateTableCommand,
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
} from '@aws-sdk/client-dynamodb'
import { afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type LocalDynamoDB, requireFolder, startDynamoDB } from '../../local/dynamodb.ts'
import { startGuarded } from '../../local/guarded.ts'
import { createTable, streamOf, tableDefinition } from '../../local/table.ts'

const path = process.env.PATH
let running: LocalDynamoDB | undefined

// Java's second compiler takes longer here than what it compiles saves.
beforeAll(() => {
  process.env.JAVA_TOOL_OPTIONS = '-XX:TieredStopAtLevel=1'
})
afterEach(async () => {
  process.env.PATH = path
  await running?.stop()
  running = undefined
})

const connect = (endpoint: string) =>
  new DynamoDBClient({
    endpoint,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  })

// Where no Java is, tests run against a DynamoDB that runs elsewhere.
describe.skipIf(process.env.DYNAMODB_ENDPOINT)('DynamoDB Local', () => {
  test('starts, holds the table of table.yml, and stops', async () => {
    running = await startDynamoDB({ port: 0 })
    const client = connect(running.endpoint)
    expect(await createTable(client, 'rollcall')).toEqual({ created: true })
    expect(await createTable(client, 'rollcall')).toEqual({ created: false })

    expect(await streamOf(client, 'rollcall')).toBe(await streamOf(client, 'rollcall'))
    const { Table } = await client.send(new DescribeTableCommand({ TableName: 'rollcall' }))
    const { GlobalSecondaryIndexes = [], KeySchema } = await tableDefinition()
    expect(Table?.KeySchema).toEqual(KeySchema)
    const names = (indexes: { IndexName?: string | undefined }[] = []) =>
      indexes.map(({ IndexName }) => IndexName).sort()
    expect(names(Table?.GlobalSecondaryIndexes)).toEqual(names(GlobalSecondaryIndexes))
    expect(Table?.StreamSpecification).toEqual({ StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' })
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

    await running.stop()
    await expect(fetch(running.endpoint)).rejects.toThrow()
  })

  test('listens on this machine only, and keeps its data in a folder', { timeout: 120_000 }, async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'rollcall-'))
    running = await startDynamoDB({ port: 0, dataDir })
    const { port } = new URL(running.endpoint)
    const others = Object.values(networkInterfaces())
      .flatMap((all) => all ?? [])
      .filter(({ internal }) => !internal)
      .map(({ address, scopeid }) => (scopeid ? `${address}%${scopeid}` : address))
    for (const address of ['::1', ...others])
      expect(await connects(address, Number(port)), `${address} is not listened on`).toBe(false)
    expect(await connects('127.0.0.1', Number(port))).toBe(true)

    expect(await createTable(connect(running.endpoint), 'kept')).toEqual({ created: true })
    await running.stop()
    running = await startDynamoDB({ port: 0, dataDir })
    expect(await createTable(connect(running.endpoint), 'kept')).toEqual({ created: false })
    await running.stop()
    rmSync(dataDir, { recursive: true })
  })

  test('says in one line why a folder for its data is none', () => {
    const folder = mkdtempSync(join(tmpdir(), 'rollcall-'))
    const file = join(folder, 'file')
    writeFileSync(file, '')
    for (const path of [file, join(file, 'below')])
      expect(() => requireFolder(path)).toThrow(`DATA_DIR=${path} is no folder: a file is in the way.`)
    requireFolder(join(folder, 'new', 'below'))
    expect(statSync(join(folder, 'new', 'below')).isDirectory()).toBe(true)
    rmSync(folder, { recursive: true })
  })

  test('names a taken port and its variable', async () => {
    const other = createServer()
    const port = await new Promise<number>((resolve) =>
      other.listen(0, () => resolve((other.address() as { port: number }).port)),
    )
    await expect(startDynamoDB({ port })).rejects.toThrow(`Port ${port} is taken. Set DYNAMODB_PORT to another one.`)
    other.close()
  })

  test('says in one line what to do without Java', async () => {
    process.env.PATH = '/nowhere'
    await expect(startDynamoDB({ port: 0 })).rejects.toThrow(
      /^DynamoDB Local needs Java .*apt-get install.*brew install.*DYNAMODB_ENDPOINT[^\n]*$/,
    )
  })
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

describe('a guarded command', () => {
  test('passes its lines and its exit code on', async () => {
    const lines: string[] = []
    const script = 'console.log("out"); console.error("no newline at the end"); process.exitCode = 3'
    const command = startGuarded({
      command: process.execPath,
      args: ['-e', script],
      onLine: (line) => lines.push(line),
    })
    expect(await command.ended).toBe(3)
    expect(lines.sort()).toEqual(['no newline at the end', 'out'])
  })

  test('ends when its starter is killed', async () => {
    const guarded = new URL('../../local/guarded.ts', import.meta.url).href
    const inner = 'console.log(process.pid); setInterval(() => {}, 1000)'
    const starter = `
      const { startGuarded } = await import(${JSON.stringify(guarded)})
      startGuarded({ command: process.execPath, args: ['-e', ${JSON.stringify(inner)}], onLine: (pid) => {
        console.log(pid)
        setTimeout(() => process.kill(process.pid, 'SIGKILL'), 50)
      } })`
    const lines: string[] = []
    const command = startGuarded({
      command: process.execPath,
      args: ['--input-type=module', '-e', starter],
      onLine: (line) => lines.push(line),
    })
    await command.ended
    expect(lines[0]).toMatch(/^\d+$/)
    await expect.poll(() => isAlive(Number(lines[0])), { timeout: 15_000 }).toBe(false)
  })
})

const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
