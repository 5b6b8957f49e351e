import { beforeEach, describe, expect, it } from 'vitest'
import { importDirectory } from '../../domain/import/importDirectory.ts'
import { importLines } from '../../domain/import/importLines.ts'
import { conflictLines } from '../../domain/import/importSummary.ts'
import type { Item } from '../../domain/table/store.ts'
import { handler as importHandler } from '../../handlers/maintenance/importDirectory.ts'
import { audit, dump } from '../harness/audit.ts'
import { type Any, call } from '../harness/call.ts'
import { strike, withoutWaits } from '../harness/faults.ts'
import { ordinary } from '../harness/seed.ts'
import type { Service } from '../harness/service.ts'
import { contextOf, small } from './directory.ts'
import { emptyTable } from './emptyTable.ts'

let service: Service
/** What the first import leaves: the other tests begin with a copy. */
let imported: Item[] | undefined
beforeEach(async () => {
  service = await emptyTable()
  service.setNow('2026-11-21T09:00:00.000Z')
  if (imported) await service.store.bulk(imported.map((put) => ({ put })))
  else await importDirectory(contextOf(service), small())
  imported ??= await dump(service)
})

const title = [{ language: 'en-GB', text: 'x' }]
const api = (name: string, request: Any) => call(name, { as: 'ada', ...request })
const person = (id: string, parts: object = {}) => ({
  id,
  username: id,
  external_id: `x-${id}`,
  first_name: 'X',
  last_name: 'X',
  ...parts,
})
const create = (parts: object) =>
  api('createUser', { body: { ...ordinary, first_name: 'Other', last_name: 'Other', ...parts } })

/** An import between whose checks and writes others do something. */
async function importBeside(meanwhile: () => Promise<unknown>, file: Any) {
  const { store } = contextOf(service)
  let isFirst = true
  const write: typeof store.write = async (...args) => {
    if (isFirst) {
      isFirst = false
      await meanwhile()
    }
    return store.write(...args)
  }
  const summary = await importDirectory({ ...contextOf(service), store: { ...store, write } }, file)
  expect(isFirst).toBe(false)
  await audit(service)
  return summary
}

describe('what others take between check and write', () => {
  const people = () => ['p', 'q', 'r', 's'].map((id) => person(id))
  const referring = () => ({
    users: people(),
    user_group_assignments: people().map(({ id }) => ({
      group_id: 'sales',
      user_id: id,
      role_id: 'coach',
      source: 'MANUAL',
    })),
    channel_assignments: people().map(({ id }) => ({ channel_id: 'news', user_id: id, role_id: 'editor' })),
    tasks: [{ id: 'theirs', author_id: 'q', title: 'T', body: {} }],
    task_assignments: [
      { task_id: 'theirs', user_id: 'p' },
      { task_id: 'drill', user_id: 'q' },
      { task_id: 'drill', user_id: 'r' },
    ],
  })

  it.each([
    ['username', { id: 'z', username: 'Q' }],
    ['external_id', { id: 'z', username: 'z', external_id: 'x-q' }],
    ['id', { id: 'q', username: 'z' }],
  ])('is a conflict of the user alone, and what refers to them is skipped: %s', async (property, parts) => {
    const summary = await importBeside(() => create(parts), referring())
    expect(summary.conflicts).toEqual([{ section: 'users', index: 1, property }])
    expect(summary.users).toMatchObject({ created: 3, conflicts: 1 })
    expect(summary.user_group_assignments).toMatchObject({ created: 3, skipped: 1 })
    expect(summary.channel_assignments).toMatchObject({ created: 3, skipped: 1 })
    expect(summary.tasks).toMatchObject({ created: 0, skipped: 1 })
    expect(summary.task_assignments).toMatchObject({ created: 1, skipped: 2 })
  })

  it('is a conflict for each of several users', async () => {
    const others = async () => {
      await create({ id: 'z', username: 'p' })
      await create({ id: 's', username: 'y' })
    }
    const summary = await importBeside(others, referring())
    expect(conflictLines(summary, 9)).toEqual(['users[0]: username', 'users[3]: id'])
    expect(summary.users.created).toBe(2)
  })

  it('is a primary group, archived meanwhile', async () => {
    const users = ['p', 'q', 'r'].map((id, n) => person(id, n === 1 ? { primary_user_group_id: 'sales-north' } : {}))
    const archive = () => api('archiveGroup', { path: { group_id: 'sales-north' } })
    const summary = await importBeside(archive, { users })
    expect(conflictLines(summary, 9)).toEqual(['users[1]: primary_user_group_id'])
    expect(summary.users.created).toBe(2)
  })

  it('is a group or a role of an assignment, and the user comes without it', async () => {
    const file = referring()
    file.user_group_assignments.push({ group_id: 'sales-north', user_id: 'p', role_id: 'coach', source: 'MANUAL' })
    const archive = () => api('archiveGroup', { path: { group_id: 'sales-north' } })
    const summary = await importBeside(archive, file)
    expect(conflictLines(summary, 9)).toEqual(['user_group_assignments[4]: group_id'])
    expect(summary.users.created).toBe(4)
    expect(summary.user_group_assignments).toMatchObject({ created: 4, conflicts: 1 })
    expect((await api('getUser', { path: { user_id: 'p' } })).status).toBe(200)
  })

  it('is a role, deleted meanwhile, also for users who are stored', async () => {
    await api('createRole', { body: { id: 'short', title, scope: 'USER_GROUPS' } })
    const held = (user_id: string) => ({ group_id: 'sales', user_id, role_id: 'short', source: 'MANUAL' })
    const file = { users: [person('p')], user_group_assignments: [held('ada'), held('p')] }
    const summary = await importBeside(() => api('deleteRole', { path: { role_id: 'short' } }), file)
    expect(conflictLines(summary, 9)).toEqual([
      'user_group_assignments[0]: role_id',
      'user_group_assignments[1]: role_id',
    ])
    expect(summary.users.created).toBe(1)
  })

  it('is a definition by which attributes were judged', async () => {
    const room = { technical_name: 'room', title, attribute_type: 'TEXT', user_permission: 'VIEW' }
    const { body } = await api('createAttributeDefinition', { body: room })
    const users = [person('p'), person('q', { attributes: [{ name: 'room', value: '1' }] }), person('r')]
    const remove = () => api('deleteAttributeDefinition', { path: { definition_id: body.id } })
    const summary = await importBeside(remove, { users })
    expect(conflictLines(summary, 9)).toEqual(['users[1]: attributes'])
    expect(summary.users.created).toBe(2)
  })

  it.each([
    ['id', { id: 'theirs' }],
    ['external_id', { external_id: 'T-9' }],
  ])('is the %s of a task', async (property, parts) => {
    const recipients = [{ id: 'ben', type: 'USER' }]
    const other = () => api('createTask', { as: 'ada', body: { title: 'Other', recipients, ...parts } })
    const summary = await importBeside(other, {
      users: [person('p')],
      tasks: [{ id: 'theirs', author_id: 'ada', title: 'T', body: {}, external_id: 'T-9' }],
      task_assignments: [{ task_id: 'theirs', user_id: 'ben' }],
    })
    expect(conflictLines(summary, 9)).toEqual([`tasks[0]: ${property}`])
    expect(summary.task_assignments).toMatchObject({ created: 0, skipped: 1 })
  })

  it('is the id of a user who was gone before they came', async () => {
    const gone = person('p', { status: 'PENDING_DELETION', deletion_at: '2026-01-01T00:00:00Z' })
    const summary = await importBeside(() => create({ id: 'p', username: 'z' }), { users: [gone, person('q')] })
    expect(conflictLines(summary, 9)).toEqual(['users[0]: id'])
    expect(summary.users).toMatchObject({ created: 1, skipped: 0 })
  })

  it('is no conflict if the very same user was created', async () => {
    // What the file does not say, such as when they go, need not be the same.
    const file = { ...referring(), users: [...people(), person('t', { status: 'PENDING_DELETION' })] }
    const other = () => {
      service.setNow('2026-11-21T09:00:01.000Z')
      return importDirectory(contextOf(service), structuredClone(file))
    }
    const { users } = await importBeside(other, file)
    expect(users).toMatchObject({ created: 0, unchanged: 5, conflicts: 0 })
  })

  it('is no user who is gone, although they come between two reads, pending deletion', async () => {
    const file = { users: [person('t', { status: 'PENDING_DELETION' })] }
    const { store } = contextOf(service)
    let isFirst = true
    const get: typeof store.get = async (key) => {
      if (isFirst && key.sk === 'GONE') {
        isFirst = false
        await importDirectory(contextOf(service), structuredClone(file))
      }
      return store.get(key)
    }
    const { users } = await importDirectory({ ...contextOf(service), store: { ...store, get } }, file)
    expect(isFirst).toBe(false)
    expect(users).toMatchObject({ created: 0, unchanged: 1, skipped: 0 })
  })

  it('is answered by the function, with its count in the log', async () => {
    await create({ id: 'z', username: 'z' })
    const { heal } = strike(service.client, () => undefined)
    heal()
    service.logged()
    await importHandler({ users: [person('p')] }, { getRemainingTimeInMillis: () => 900_000 } as Any)
    expect(service.logged().at(-1)).toMatchObject({ summary: { users: { created: 1, conflicts: 0 } } })
  })
})

describe('while an import runs', () => {
  it('users are created and renamed, groups are moved and deleted', async () => {
    const statuses: number[] = []
    const meddle = async () => {
      const rename = { path: { user_id: 'ben' }, body: { username: 'benny' } }
      statuses.push((await create({ id: 'z', username: 'z' })).status)
      statuses.push((await api('updateUser', rename)).status)
      await api('createGroup', { body: { id: 'aside', title, parent_id: 'top' } })
      statuses.push((await api('updateGroup', { path: { group_id: 'aside' }, body: { parent_id: 'sales' } })).status)
      await api('archiveGroup', { path: { group_id: 'aside' } })
      statuses.push((await api('deleteGroup', { path: { group_id: 'aside' } })).status)
    }
    const summary = await importBeside(meddle, { users: [person('p')] })
    expect(statuses).toEqual([201, 200, 200, 204])
    expect(summary.users.created).toBe(1)
  })

  it('others create users all the time, and all succeed', async () => {
    const users = Array.from({ length: 150 }, (_, n) => person(`p-${n}`))
    let isDone = false
    const importing = importDirectory(contextOf(service), { users }).finally(() => {
      isDone = true
    })
    const statuses = new Set<number>()
    for (let n = 0; !isDone; n++) statuses.add((await create({ id: `z-${n}`, username: `z-${n}` })).status)
    expect((await importing).users).toMatchObject({ created: 150, conflicts: 0 })
    expect([...statuses]).toEqual([201])
    await audit(service)
  })

  it.each([1, 2, 3, 4, 5, 6, 7, 8])('another import of an empty table comes just before request %i', async (nth) => {
    const empty = await emptyTable()
    const { store } = contextOf(empty)
    let sent = 0
    const beside = new Proxy(store, {
      get: (target, name, receiver) => {
        const method = Reflect.get(target, name, receiver)
        if (typeof method !== 'function') return method
        return async (...args: unknown[]) => {
          if (++sent === nth) await importDirectory(contextOf(empty), small())
          return Reflect.apply(method, target, args)
        }
      },
    })
    const summary = await importDirectory({ ...contextOf(empty), store: beside }, small())
    expect(sent).toBeGreaterThanOrEqual(nth)
    expect(summary.conflicts).toEqual([])
    expect(summary.users).toMatchObject({ created: 0, unchanged: 5 })
    await audit(empty)
  })

  it('another import of the same file runs, and both go on', async () => {
    const empty = await emptyTable()
    empty.setNow('2026-11-21T09:00:00.000Z')
    const file = () => ({
      ...small(),
      users: [...small().users, ...Array.from({ length: 60 }, (_, n) => person(`p-${n}`))],
    })
    const bring = () => importDirectory(contextOf(empty), file())
    const both = await Promise.all([bring(), bring()])
    expect(both.flatMap((summary) => summary.conflicts)).toEqual([])
    expect(both[0].users.created + both[1].users.created).toBe(65)
    await audit(empty)
    const before = await dump(empty)
    const third = await importDirectory(contextOf(empty), file())
    expect(third.users).toMatchObject({ created: 0, unchanged: 65 })
    expect(third.differences).toEqual([])
    expect(await dump(empty)).toEqual(before)
  })
})

describe('an import that cannot ask the database', () => {
  it('says to import again, and one log line says why', async () => {
    const before = await dump(service)
    service.logged()
    const { heal } = strike(service.client, (_n, command) => (command.includes('Write') ? 'unreachable' : undefined))
    const context = { getRemainingTimeInMillis: () => 900_000 } as Any
    const file = { users: [person('p')] }
    const reason = /^The database is busy or cannot be reached: import the directory again to go on$/
    await expect(withoutWaits(() => importHandler(file, context)).finally(heal)).rejects.toThrow(reason)
    const why = { level: 'error', endpoint: 'importDirectory', fault: 'StoreUnreachable', cause: 'ECONNREFUSED' }
    expect(service.logged()).toEqual([expect.objectContaining({ level: 'info' }), expect.objectContaining(why)])
    expect(await dump(service)).toEqual(before)
    const all = strike(service.client, () => 'unreachable')
    const source = { size: 3, read: async function* () {} }
    await expect(withoutWaits(() => importLines(contextOf(service), source)).finally(all.heal)).rejects.toThrow(reason)
  })
})
