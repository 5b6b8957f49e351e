import { beforeAll, describe, expect, it } from 'vitest'
import { call } from '../harness/call.ts'
import { people } from '../harness/seed.ts'
import { startService } from '../harness/service.ts'
import * as w from './work.ts'

const forms = { plain: 'Do it', delta: '{"ops":[{"insert":"Do it\\n"}]}', html: '<p>Do it</p>' }
beforeAll(async () => {
  const { store } = await startService({
    indexes: ['by_created_at', 'by_username_or_change'],
    users: [...people, ...['author', 'ann'].map((id) => ({ id, first_name: id, last_name: id }))],
  })
  await w.newTask(store, { id: 'written', body: forms }, { ann: 'OPEN' })
})

const path = { task_id: 'written' }
const reads: Record<string, (query: string) => ReturnType<typeof call>> = {
  getTask: (query) => call('getTask', { path, query, as: 'ann' }),
  listTasks: (query) => call('listTasks', { query, as: 'author' }),
  listTaskAssignments: (query) => call('listTaskAssignments', { path, query, as: 'author' }),
  listOwnTaskAssignments: (query) =>
    call('listOwnTaskAssignments', { query: `distribution_kind=RECEIVED&${query}`, as: 'ann' }),
}

describe.each(Object.entries(reads))('%s answers the forms of a body that are asked for', (_name, read) => {
  const { plain, delta, html } = forms
  it.each<[string, object]>([
    ['body_format=PLAIN', { plain }],
    ['body_format=DELTA', { delta }],
    ['body_format=HTML', { html }],
    ['body_format=html', { html }],
    ['body_format=Delta', { delta }],
    ['body_format=PLAIN,HTML', { plain, html }],
    ['body_format=plain,%20Html', { plain, html }],
    ['body_format=PLAIN&body_format=DELTA', { plain, delta }],
    ['body_format[]=DELTA&body_format[]=html', { delta, html }],
    ['body_format=PLAIN,PLAIN', { plain }],
    ['body_format=', forms],
    ['body_format[]=', forms],
    ['', forms],
  ])('%s', async (query, expected) => {
    const { status, body } = await read(query)
    expect(status).toBe(200)
    const shown = body.tasks?.[0] ?? body.assignments?.[0].task ?? body
    expect(shown.body).toEqual(expected)
  })

  // The upper case of a dotless i is the I of PLAIN.
  it.each(['body_format=XML', 'body_format=PLAIN,TEXT', 'body_format=contentPlain', 'body_format=pla%C4%B1n'])(
    'not %s',
    async (query) => {
      const { status, body } = await read(query)
      expect([status, body.error_code, body.property?.split('.')[0]]).toEqual([400, 'VALIDATION_ERROR', 'body_format'])
    },
  )
})
