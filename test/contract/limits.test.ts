import { beforeAll, expect, it } from 'vitest'
import { userByUsername } from '../../domain/people/records/userByName.ts'
import { findUserIn } from '../../local/identity/findUser.ts'
import { audit } from '../harness/audit.ts'
import { call, type Reply } from '../harness/call.ts'
import { ordinary } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'

// Limits count characters (code points), wherever a length is looked at: in schemas, by rules, before a key is read.

let service: Service
const languages = ['en-GB', ...Array.from({ length: 19 }, (_, n) => `de-x-${n + 10}`)]
const ann = { ...ordinary, id: 'ann', first_name: 'A', last_name: 'B', username: 'ann' }
beforeAll(async () => {
  service = await startService({ indexes: ['by_username_or_change'] })
  await call('createUser', { body: ann })
  expect((await call('updateOrganisationSettings', { body: { languages } })).status).toBe(200)
})

const emoji = (count: number) => '😀'.repeat(count)
const texts = (count: number) => languages.map((language) => ({ language, text: emoji(count) }))
const coded = ({ status, body }: Reply) => [status, body.error_code, body.property]
const faulty = (property: string, code = 'VALIDATION_ERROR') => [400, code, property]

it('of a person', async () => {
  for (const [field, longest] of Object.entries({ first_name: 64, last_name: 64, username: 255, external_id: 255 })) {
    const over = { [field]: emoji(longest + 1) }
    expect(coded(await call('createUser', { body: { ...ann, ...over } }))).toEqual(faulty(field))
    const patch = (body: object) => call('updateUser', { path: { user_id: 'ann' }, body })
    expect(coded(await patch(over))).toEqual(faulty(field, 'MAX_LENGTH_EXCEEDED'))
    expect((await patch({ [field]: emoji(longest) })).body[field]).toBe(emoji(longest))
  }
})

it('of a username at a login', async () => {
  const now = service.now().toISOString()
  await call('updateUser', { path: { user_id: 'ann' }, body: { username: emoji(255) } })
  expect(await userByUsername(service.store, emoji(255), now)).toMatchObject({ id: 'ann' })
  expect(await findUserIn(service.store)({ username: emoji(255) })).toMatchObject({ id: 'ann' })
  expect(await userByUsername(service.store, emoji(256), now)).toBeUndefined()
})

it('of all texts of a record together', async () => {
  const message = 'must have at most 20000 characters in title and description together'
  const group = { id: 'wordy', parent_id: 'root', title: texts(20), description: texts(980) }
  const tooMany = await call('createGroup', { body: { ...group, title: texts(21) } })
  expect(tooMany.body.errors).toEqual([{ property: 'description', message }])
  expect((await call('createGroup', { body: group })).status).toBe(201)
  const { body } = await call('updateGroup', { path: { group_id: 'wordy' }, body: { title: texts(21) } })
  expect(body.errors).toEqual([{ property: 'description', message: `${message}, with the stored ones` }])
})

it('of what is kept with a task', async () => {
  const message = 'must have at most 10000 characters as JSON'
  const task = { id: 'wordy', title: emoji(150), recipients: [{ id: 'plain', type: 'USER' }] }
  // {"a":"…"}
  const tooMany = await call('createTask', { body: { ...task, settings: { a: emoji(9_993) } } })
  expect(tooMany.body.errors).toEqual([{ property: 'settings', message }])
  const made = await call('createTask', { body: { ...task, settings: { a: emoji(9_992) } } })
  expect([made.status, made.body.title]).toEqual([201, emoji(150)])
  const { body } = await call('updateTask', { path: { task_id: 'wordy' }, body: { settings: { b: 1 } } })
  expect(body.errors).toEqual([{ property: 'settings', message: `${message}, with the stored ones` }])
  expect(coded(await call('createTask', { body: { ...task, title: emoji(151) } }))).toEqual(faulty('title'))
})

it.each([
  ['listUsers', 'search_term', 200],
  ['listUsers', 'username', 255],
  ['listUsers', 'external_id', 255],
  ['listGroups', 'external_id', 255],
  ['listTasks', 'external_id', 255],
])('of a parameter: %s %s', async (name, parameter, longest) => {
  const over = await call(name, { query: { [parameter]: emoji(longest + 1) } })
  expect(coded(over)).toEqual(faulty(parameter))
  const query = { [parameter]: emoji(longest), ...(name === 'listTasks' ? { distribution_kind: 'DISTRIBUTED' } : {}) }
  expect((await call(name, { query })).status).toBe(200)
})

it('and leaves the table whole', () => audit(service))
