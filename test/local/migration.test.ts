import { setTimeout } from 'node:timers/promises'
import { DescribeTableCommand, UpdateTableCommand } from '@aws-sdk/client-dynamodb'
import { afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { migrations, noteMigration, prepareLayout } from '../../domain/maintenance/migrate.ts'
import { users } from '../../domain/people/records/user.ts'
import { amendRecord, itemOf } from '../../domain/table/changes.ts'
import { layoutKey, userList, userOfRow, workKey } from '../../domain/table/keys.ts'
import { layouts } from '../../domain/table/layout.ts'
import type { Item } from '../../domain/table/store.ts'
import { handler as refuseInactiveUser } from '../../handlers/identity/refuseInactiveUser.ts'
import { handler as finishWork } from '../../handlers/maintenance/finishWork.ts'
import { handler as importDirectory } from '../../handlers/maintenance/importDirectory.ts'
import { handler as purge } from '../../handlers/maintenance/purge.ts'
import { valuesOf } from '../../local/build/stageParameters.ts'
import { tableProperties, tableTemplate } from '../../local/build/yamlFiles.ts'
import { deploy, type Effects } from '../../local/deploy/deploy.ts'
import type { Stack, Stacks, Template } from '../../local/deploy/tableStack.ts'
import { readTable, verify } from '../../local/verify/verify.ts'
import { dump } from '../harness/audit.ts'
import { type Any, call } from '../harness/call.ts'
import { ordinary, people } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'

// The next layout: an index comes, another one goes, and items change, while calls go on.

const crowd = Array.from({ length: 1000 }, (_, n) => ({ id: `c-${n}`, username: `c-${n}`, updated_at: momentOf(n) }))
/** All at different moments, in another order than names. */
function momentOf(n: number): string {
  return new Date(Date.parse('2026-01-01T00:00:00.000Z') + ((n * 389) % 1000) * 60_000).toISOString()
}
const newUser = (id: string) => ({ ...ordinary, id, username: id, first_name: 'New', last_name: 'User' })
/** The old layout has `by_email`, and the new one `by_updated_at` in its place. */
const indexes = ['by_email']
const NEW = 'by_updated_at'
const statuses = ['ACTIVE', 'LOCKED', 'DEACTIVATED', 'PENDING_DELETION'] as const
const lists = statuses.flatMap((status) => ['USER', 'ADMIN'].map((role) => userList(status, role)))
const values = valuesOf({ file: { tokenIssuer: 'https://issuer.test', tokenAudience: 'a' }, options: [] })
const known = { ...layouts }
let service: Service

const lambda = (timeLeft = () => 60_000): Any => ({ getRemainingTimeInMillis: timeLeft })
const pass = (minutes: number) => service.setNow(new Date(service.now().getTime() + minutes * 60_000))
const layoutIs = (version: number) => service.store.bulk([{ put: { ...layoutKey, data: { version } } }])
const read = () => dump(service)
const lastLine = () => service.logged().at(-1)

beforeAll(async () => {
  service = await startService({ users: [...people, ...crowd], indexes })
})
/** What this version knows, and a table without a layout, as at first. */
async function putBack(): Promise<void> {
  Object.assign(layouts, known)
  migrations.length = 0
  await service.store.bulk([{ delete: layoutKey }])
  pass(1)
}
afterEach(putBack)

describe('a function that does not know the layout of the table', () => {
  const cause = { dependency: 'DynamoDB', cause: 'layout', layout: 9, accepts: [1, 1] }
  beforeEach(async () => {
    await layoutIs(9)
    service.logged()
  })

  it('answers 503, with its reason in the log', async () => {
    const reply = await call('getUser', { path: { user_id: 'c-1' } })
    expect([reply.status, reply.body.done]).toEqual([503, false])
    expect(lastLine()).toMatchObject({ level: 'error', status: 503, ...cause })
    expect((await call('lockUser', { path: { user_id: 'c-1' } })).body.done).toBe(false)
    await putBack()
    expect((await call('getUser', { path: { user_id: 'c-1' } })).status).toBe(200)
  })

  it('does no work, imports nothing and lets no user in', async () => {
    expect(await purge({}, lambda())).toMatchObject({ stopped: 'checkLayout', purged: 0 })
    expect(lastLine()).toMatchObject({ level: 'error', endpoint: 'purge', ...cause })
    await finishWork({ Records: [] }, lambda())
    expect(lastLine()).toMatchObject({ level: 'error', endpoint: 'finishWork', ...cause })
    await expect(importDirectory({ users: [] }, lambda())).rejects.toThrow()
    expect(lastLine()).toMatchObject({ level: 'error', endpoint: 'importDirectory', ...cause })
    const event = { version: '1', triggerSource: 'PreAuthentication_Authentication', userName: 'admin' }
    await expect(refuseInactiveUser(event as Any, lambda())).rejects.toThrow('cannot be reached')
    expect(service.logged()).toContainEqual(expect.objectContaining({ level: 'error', ...cause }))
  })
})

it('the layout is read once a minute, in the first round of a call', async () => {
  const costs = async () => {
    service.measured()
    await call('getUser', { path: { user_id: 'c-1' } })
    const { DatabaseRequests, DatabaseRounds, ReadUnits = 0 } = service.measured()[0] ?? {}
    return { DatabaseRequests, DatabaseRounds, ReadUnits }
  }
  await layoutIs(1)
  await costs()
  const warm = await costs()
  pass(1)
  expect(await costs()).toEqual({ ...warm, ReadUnits: warm.ReadUnits + 1 })
  expect(await costs()).toEqual(warm)
})

describe('the next layout', () => {
  let held: Promise<void> | undefined
  const underWay = new Set<Promise<unknown>>()
  /** DynamoDB Local fails writes with an internal error until a new index has its column; DynamoDB takes them. */
  async function withoutCalls(run: () => Promise<void>): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    held = promise
    await Promise.all(underWay)
    await run().finally(() => {
      held = undefined
      resolve()
    })
  }

  /** The stack of the table: UpdateTable takes the place of its updates, and makes or drops one index at a time, too. */
  function stack(now: Template): Stacks & { steps: string[] } {
    const steps: string[] = []
    let template = now
    const indexesOf = ({ Resources }: Template) => Resources.Table.Properties.GlobalSecondaryIndexes as Any[]
    const table = async () =>
      (await service.client.send(new DescribeTableCommand({ TableName: service.tableName }))).Table
    return {
      steps,
      read: async (name) => {
        if (name === 'rollcall-prod') return functionsOf(service.tableName)
        const statuses = ((await table())?.GlobalSecondaryIndexes ?? []).map(({ IndexStatus }) => IndexStatus)
        const isReady = statuses.every((status) => status === 'ACTIVE')
        const outputs = { TableName: service.tableName, TableArn: 'arn', TableStreamArn: 'stream' }
        return { status: isReady ? 'UPDATE_COMPLETE' : 'UPDATE_IN_PROGRESS', template, outputs, parameters: {} }
      },
      update: async ({ template: wanted }) => {
        const [before, after] = [indexesOf(template), indexesOf(wanted)]
        const isIn = (all: Any[], { IndexName }: Any) => all.some((one) => one.IndexName === IndexName)
        const added = after.filter((one) => !isIn(before, one)).map((Create) => ({ Create }))
        const dropped = before.filter((one) => !isIn(after, one)).map(({ IndexName }) => ({ Delete: { IndexName } }))
        const changes = [...added, ...dropped]
        template = wanted
        if (changes.length === 0) return false
        steps.push(...added.map(({ Create }) => `+${Create.IndexName}`))
        steps.push(...dropped.map(({ Delete }) => `-${Delete.IndexName}`))
        const { AttributeDefinitions } = wanted.Resources.Table.Properties as Any
        await withoutCalls(async () => {
          await service.client.send(
            new UpdateTableCommand({
              ...{ TableName: service.tableName, AttributeDefinitions },
              GlobalSecondaryIndexUpdates: changes,
            }),
          )
          while ((await table())?.GlobalSecondaryIndexes?.some(({ IndexStatus }) => IndexStatus !== 'ACTIVE'))
            await setTimeout(5)
        })
        return true
      },
      create: async () => {},
      adopt: async () => {},
      protect: async () => {},
      remove: async () => {},
      pause: async () => {
        await setTimeout(20)
      },
    }
  }

  /** The stack of the functions that are deployed already. */
  const functionsOf = (TableName: string): Stack => ({
    status: 'UPDATE_COMPLETE',
    template: { Metadata: { Rollcall: { parameters: values } }, Resources: {} } as unknown as Template,
    outputs: { HttpApiUrl: 'https://api.test' },
    parameters: { TableName },
  })

  /** table.yml with these indexes only. */
  function template(...names: string[]): Template {
    const made = structuredClone(tableTemplate()) as Template
    const { Properties } = made.Resources.Table
    Properties.GlobalSecondaryIndexes = tableProperties().GlobalSecondaryIndexes.filter(({ IndexName }) =>
      names.includes(IndexName),
    )
    const keys = ['pk', 'sk', 'list', 'find', 'found', ...names]
    Properties.AttributeDefinitions = Properties.AttributeDefinitions.filter(({ AttributeName }) =>
      keys.includes(AttributeName),
    )
    return made
  }

  /** Calls of all kinds, until they are stopped: what they were answered. */
  function traffic() {
    const statuses = new Map<string, number>()
    let isOver = false
    const note = async (name: string, request: object) => {
      // The processor is for the migration, too.
      await setTimeout(30)
      while (held) await held
      const answer = call(name, request)
      underWay.add(answer)
      const { status } = await answer.finally(() => underWay.delete(answer))
      statuses.set(`${name} ${status}`, (statuses.get(`${name} ${status}`) ?? 0) + 1)
    }
    const caller = async (nth: number) => {
      for (let n = nth; !isOver; n += 2) {
        const path = { user_id: `c-${(n * 7) % 900}` }
        await note('updateUser', { path, body: { last_name: `Name ${n}` } })
        await note('listUsers', { query: { page_limit: 20 } })
        await note('createUser', { body: newUser(`new-${n}`) })
        await note('getUser', { path })
        await note('deleteUser', { path: { user_id: `new-${n}` } })
        if (n % 8 === 0) await note('lockUser', { path: { user_id: `c-${900 + (n % 100)}` } })
      }
    }
    const running = Promise.all([0, 1].map(caller))
    return {
      stop: async () => {
        isOver = true
        await running
        return [...statuses.keys()].sort()
      },
    }
  }

  /** What a function has left: it has enough for so many looks at the clock. */
  const enoughFor = (looks: number) => {
    let left = looks
    return lambda(() => (left-- > 0 ? 60_000 : 1000))
  }
  const entry = workKey('migration', 'layout')
  const handedOver = { dynamodb: { Keys: { pk: { S: entry.pk }, sk: { S: entry.sk } } } }

  /** What a deployment finds on AWS, beside its stacks: a stage that works, without a console. */
  const unchanged = () => ({
    describe: async () => expect.unreachable(),
    file: async () => expect.unreachable(),
    keepConsole: async () => expect.unreachable(),
    alarms: async () => [],
    invoke: async () => {},
    get: async () => ({ status: 401, body: '{"error_code":"UNAUTHENTICATED"}' }),
    store: () => service.store,
    clock: service.now,
  })

  it('is reached while calls go on: none of them fails, and everything fits', async () => {
    // Some of the items as the old version wrote them: each write of one takes the database long.
    const items = (await read()).filter(({ sk }) => sk === 'USER').filter((_, n) => n % 3 === 0)
    await service.store.bulk(items.map(({ [NEW]: _, ...put }) => ({ put: put as Item })))
    Object.assign(layouts, { oldest: 1, newest: 2 })
    migrations.push({
      to: 2,
      through: lists.map((hash) => ({ index: 'by_last_name', hash })),
      change: async (store, row) => {
        const item = await store.get(users.key(userOfRow(row)))
        const user = users.of(item)
        if (!user || item?.[NEW] !== undefined) return []
        const places = { [NEW]: itemOf(users, user)[NEW] }
        return [amendRecord(users, user, {}, { expected: { version: user.version }, attributes: places })]
      },
    })
    const stacks = stack(template('by_last_name', 'find', 'by_email'))
    const printed: string[] = []
    let runs = 0
    const world: Effects = {
      stacks: {
        ...stacks,
        pause: async () => {
          await stacks.pause()
          const work = await service.store.get(entry)
          if (!work) return
          runs++
          if (runs === 2) throw new Error('interrupted')
          // The schedule begins once old calls are over; it dies; the worker goes on with what it is handed.
          if (work['taker'] !== 'STREAM') pass(2)
          if (work['taker'] === 'STREAM') await finishWork({ Records: [handedOver] } as Any, enoughFor(9))
          else await purge({}, enoughFor(9))
        },
      },
      ...unchanged(),
      serverless: async ([command]) => {
        if (command === 'deploy') stacks.steps.push('functions')
      },
      say: (text) => printed.push(text),
    }
    const options = { stage: 'prod', region: 'eu-central-1', params: [], values, change: [], isProtected: true }
    const calls = traffic()
    const run = () => deploy(world, { ...options, template: template('by_last_name', 'find', NEW) })
    const interrupted = await run().catch(({ message }: Error) => message)
    await run().finally(calls.stop)
    expect(interrupted).toBe('interrupted')
    expect(await calls.stop()).toEqual([
      ...['createUser 201', 'deleteUser 200', 'getUser 200', 'listUsers 200', 'lockUser 200', 'updateUser 200'],
    ])
    expect(stacks.steps).toEqual([`+${NEW}`, 'functions', 'functions', '-by_email'])
    expect(runs).toBeGreaterThan(2)
    expect(printed.filter((line) => /migration to layout 2: \d+ rows$/.test(line)).length).toBeGreaterThan(2)
    expect(await service.store.get(layoutKey)).toMatchObject({ data: { version: 2 } })

    // What calls have handed over.
    pass(5)
    await purge({}, lambda())
    const verdict = verify(await readTable(service.client, service.tableName), service.now().toISOString())
    expect(verdict).toMatchObject({ work: 0, findings: [] })
    expect(verdict.users).toBeGreaterThan(crowd.length)
    indexes.push(NEW)
    const query = { sort: 'UPDATED_AT_ASC', page_limit: 100, status: 'ACTIVE' }
    const first = (await call('listUsers', { query })).body.users.map(({ updated_at }: Any) => updated_at)
    expect(first).toEqual(first.toSorted())
    // Repeated, it finds nothing to do.
    stacks.steps.length = 0
    await run()
    expect(stacks.steps).toEqual(['functions'])
  })

  it('that fails again and again ends the deployment with its reason', async () => {
    Object.assign(layouts, { oldest: 1, newest: 2 })
    class Unheard extends Error {
      override name = 'UnheardOf'
    }
    migrations.push({
      to: 2,
      through: lists.map((hash) => ({ index: 'by_last_name', hash })),
      change: async () => {
        throw new Unheard()
      },
    })
    onTestFinished(async () => service.store.bulk([{ delete: entry }]))
    const stacks = stack(template('by_last_name', 'find', NEW))
    const world: Effects = {
      stacks: {
        ...stacks,
        pause: async () => {
          pass(2)
          await purge({}, lambda())
        },
      },
      ...unchanged(),
      serverless: async () => {},
      say: () => {},
    }
    const options = { stage: 'prod', region: 'eu-central-1', params: [], values, change: [], isProtected: true }
    await expect(deploy(world, { ...options, template: template('by_last_name', 'find', NEW) })).rejects.toThrow(
      /^The migration to layout 2: 0 rows, then it failed 3 times: UnheardOf\. /,
    )
  })

  it('is not deployed by a version that cannot lead there, nor by one that is too old', async () => {
    await layoutIs(2)
    Object.assign(layouts, { oldest: 3, newest: 3 })
    await expect(prepareLayout(service.store)).rejects.toThrow('The table has layout 2: deploy a version first')
    Object.assign(layouts, { oldest: 1, newest: 1 })
    await expect(prepareLayout(service.store)).rejects.toThrow('of a newer version')
    expect(await noteMigration(service.store, service.now().toISOString())).toBeUndefined()
  })

  it('is what an empty table begins with', async () => {
    Object.assign(layouts, { oldest: 1, newest: 2 })
    const { store } = await startService({ fill: async () => {} })
    onTestFinished(() => service.activate())
    await prepareLayout(store)
    expect(await store.get(layoutKey)).toMatchObject({ data: { version: 2 } })
  })
})
