import { beforeAll, describe, expect, it } from 'vitest'
import { type Any, call } from '../harness/call.ts'
import { people } from '../harness/seed.ts'
import { startService } from '../harness/service.ts'

// Authors and recipients in answers about tasks, as users who are not administrators see them.

const attributes = [{ name: 'department', value: 'Care' }]
const crowd = ['author', 'reader'].map((id) => ({
  id,
  first_name: id,
  last_name: 'Test',
  email: `${id}@x.example`,
  attributes,
}))
const reference = (id: string, parts: object = {}) => ({
  id,
  is_deleted: false,
  first_name: id,
  last_name: 'Test',
  department: 'Care',
  profile_picture: null,
  ...parts,
})
const department = (user_permission: string) =>
  call('updateAttributeDefinition', { path: { definition_id: 'department' }, body: { user_permission } })
const path = { task_id: 'asked' }
const query = { embed: 'AUTHOR' }

beforeAll(async () => {
  await startService({ users: [...people, ...crowd], indexes: ['by_created_at', 'by_username_or_change', 'find'] })
  const recipients = ['reader', 'admin'].map((id) => ({ id, type: 'USER' }))
  for (const id of ['asked', 'other']) await call('createTask', { as: 'author', body: { id, title: id, recipients } })
  await call('createTask', {
    as: 'reader',
    body: { id: 'own', title: 'own', recipients: [{ id: 'reader', type: 'USER' }] },
  })
})

const reads: [string, (as: string, query: Record<string, string>) => Promise<Any[]>][] = [
  ['getTask', async (as, query) => [(await call('getTask', { as, path, query })).body]],
  ['listTasks', async (as, query) => (await call('listTasks', { as, query })).body.tasks],
  [
    'listOwnTaskAssignments',
    async (as, query) =>
      (
        await call('listOwnTaskAssignments', { as, query: { distribution_kind: 'RECEIVED,PERSONAL', ...query } })
      ).body.assignments.map(({ task }: Any) => task),
  ],
]

describe.each(reads)('%s', (_name, read) => {
  const authors = async (as: string, query: Record<string, string>) =>
    new Map((await read(as, query)).map(({ id, author }: Any) => [id, author]))

  it('names the author of each task with embed=AUTHOR, and only then', async () => {
    const found = await authors('reader', query)
    expect(found.get('asked')).toEqual(reference('author'))
    if (found.size > 1) expect(found.get('own')).toEqual(reference('reader'))
    expect([...(await authors('reader', {})).values()].filter(Boolean)).toEqual([])
  })

  it('shows a hidden department to administrators only', async () => {
    await department('HIDDEN')
    expect((await authors('reader', query)).get('asked')).toEqual(reference('author', { department: null }))
    expect((await authors('admin', query)).get('asked')).toEqual(reference('author'))
    await department('VIEW')
  })

  it('does so while the directory is off', async () => {
    await call('updateOrganisationSettings', { body: { features: { people_directory: false } } })
    expect((await authors('reader', query)).get('asked')).toEqual(reference('author'))
    await call('updateOrganisationSettings', { body: { features: { people_directory: true } } })
  })

  it('refuses any other embed', async () => {
    const { status, body } = await call(_name, {
      as: 'reader',
      path,
      query: { distribution_kind: 'RECEIVED', embed: 'USER' },
    })
    expect([status, body.property]).toEqual([400, 'embed'])
  })
})

it('pages by cursor name authors where each call asks for it', async () => {
  const first = await call('listTasks', { as: 'reader', query: { page_limit: 1, ...query } })
  const page_cursor = first.body.pagination.next_cursor
  expect((await call('listTasks', { as: 'reader', query: { page_cursor } })).body.tasks[0].author).toBeUndefined()
  const next = await call('listTasks', { as: 'reader', query: { page_cursor, page_limit: 1, ...query } })
  expect(next.body.tasks.map(({ author }: Any) => author)).toEqual([reference('author')])
})

it('a task can be sent back as it was read with its author', async () => {
  const { body } = await call('getTask', { as: 'author', path, query })
  const { assignment_summary: _summary, ...sent } = body
  expect((await call('updateTask', { as: 'author', path, body: { ...sent, title: 'New' } })).body.title).toBe('New')
})

it('the recipients of a task have no department for an author from whom it is hidden', async () => {
  const departments = async () => {
    const { body } = await call('listTaskAssignments', { as: 'author', path, query: { embed: 'USER' } })
    return body.assignments.map(({ recipient }: Any) => [recipient.id, recipient.department])
  }
  expect(await departments()).toEqual([
    ['admin', null],
    ['reader', 'Care'],
  ])
  await department('HIDDEN')
  expect(await departments()).toEqual([
    ['admin', null],
    ['reader', null],
  ])
  await department('VIEW')
})

it('an author who is pending deletion is marked as deleted', async () => {
  await call('deleteUser', { path: { user_id: 'author' } })
  const { body } = await call('getTask', { as: 'reader', path, query })
  expect(body.author).toEqual(reference('author', { is_deleted: true }))
})
