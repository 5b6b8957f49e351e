import { beforeAll, describe, expect, it } from 'vitest'
import { contracts } from '../../schemas/contracts.ts'
import { type Any, call } from '../harness/call.ts'
import { startService } from '../harness/service.ts'
import { countWrites } from '../harness/writes.ts'

// In a merge patch an object without members changes nothing, whatever it is of, and whether or not there is a value now.

const user = { status: 'ACTIVE', role: 'USER', first_name: 'U', last_name: 'U' }
const recipients = [{ id: 'plain', type: 'USER' }]
const bodies = { body: { html: '<p>x</p>' }, due_at: { due_at_type: 'DATE', date: '2030-01-31' }, settings: { a: 1 } }
const hours = { start: '08:00', end: '16:00' }

let writes: () => number
beforeAll(async () => {
  const service = await startService()
  const made = [
    ['createUser', { ...user, id: 'bare', username: 'bare' }],
    ['createUser', { ...user, id: 'full', username: 'full', profile_picture: { file_id: 'f' } }],
    ['createTask', { id: 'bare', title: 'T', recipients }],
    ['createTask', { id: 'full', title: 'T', recipients, ...bodies }],
  ] as const
  for (const [name, body] of made) expect((await call(name, { body })).status).toBe(201)
  service.setNow('2026-11-22T09:00:00.000Z')
  writes = countWrites(service)
})

type Target = {
  patch: string
  read: string
  path: (id: string) => Record<string, string>
  /** What is set before the second round, where records are not made with it. */
  set?: object
}
const onUser = { read: 'getUser', path: (user_id: string) => ({ user_id }) }
const targets: Target[] = [
  { ...onUser, patch: 'updateUser' },
  { ...onUser, patch: 'updateUsers' },
  { patch: 'updateTask', read: 'getTask', path: (task_id) => ({ task_id }) },
  { patch: 'updateCalendarSettings', read: 'getCalendarSettings', path: () => ({}), set: { working_hours: hours } },
  {
    patch: 'updateOrganisationSettings',
    read: 'getOrganisationSettings',
    path: () => ({}),
    set: { features: { tasks: true, user_deactivation: false } },
  },
]

/** The properties of a patch. */
function propertiesOf(patch: string): Any {
  const { body, item }: Any = contracts[patch]
  return (item ? item.properties.body : body).properties
}

/** Whether a property of a patch takes values of a type. */
const takes = (patch: string, name: string, type: string): boolean =>
  [propertiesOf(patch)[name].type].flat().includes(type)

/** The properties of a patch that are objects. */
const nestedIn = (patch: string): string[] =>
  Object.keys(propertiesOf(patch)).filter((name) => takes(patch, name, 'object'))

it('is asked of every patch that takes objects', () => {
  const all = Object.values(contracts).filter(({ name, mergePatch }) => mergePatch && nestedIn(name).length > 0)
  expect(targets.map(({ patch }) => patch).sort(), '`targets` of this file').toEqual(all.map(({ name }) => name).sort())
})

describe.each(targets)('$patch', ({ patch, read, path, set }) => {
  const send = async (id: string, body: object): Promise<Any> => {
    if (!contracts[patch]?.item) return call(patch, { path: path(id), body })
    const { items } = (await call(patch, { body: { items: [{ id, body }] } })).body
    return { status: items[0].status, body: items[0].body ?? items[0].error }
  }
  const names = nestedIn(patch)

  it.each(['bare', 'full'])('leaves a record that is %s as it is', async (id) => {
    if (id === 'full' && set) expect((await send(id, set)).status).toBe(200)
    const before = (await call(read, { path: path(id) })).body
    const since = writes()
    for (const some of [...names.map((name) => [name]), names]) {
      const reply = await send(id, Object.fromEntries(some.map((name) => [name, {}])))
      expect([reply.status, reply.body]).toEqual([200, before])
    }
    expect(writes()).toBe(since)
    expect((await call(read, { path: path(id) })).body).toEqual(before)
  })

  it.each(names)('takes nothing else for an empty %s', async (name) => {
    for (const value of takes(patch, name, 'array') ? [''] : [[], '', [{}]]) {
      const reply = await send('full', { [name]: value })
      expect([reply.status, reply.body.property]).toEqual([400, name])
    }
    const unknown = await send('full', { [name]: {}, nothing: {} })
    expect([unknown.status, unknown.body.property]).toEqual([400, 'nothing'])
  })
})

it('is no value where a record is created', async () => {
  const made = { ...user, username: 'new', profile_picture: {} }
  expect((await call('createUser', { body: made })).body).toMatchObject({
    status: 400,
    property: 'profile_picture.file_id',
  })
  const task = { title: 'T', recipients, due_at: {} }
  expect((await call('createTask', { body: task })).body).toMatchObject({ status: 400, property: 'due_at.due_at_type' })
})
