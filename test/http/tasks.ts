import { setTimeout as wait } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { organisationKey } from '../../domain/table/keys.ts'
import type { Item, WorkStore } from '../../domain/table/store.ts'
import type { Any } from '../harness/call.ts'
import { idOf, newTask } from '../tasks/work.ts'
import { type ErrorRow, expectError, unreached } from './errorRows.ts'
import type { Ask } from './service.ts'

const tasksPath = '/api/tasks/v4/tasks'
const others = Array.from({ length: 101 }, (_, n) => `w-${n}`)

const recipient = (id: string, type: 'USER' | 'CHANNEL' = 'USER') => ({ body: { recipient: { id, type } } })
const own = (query: string) => `${tasksPath}/assignments?${query}`

const created = (parts: object) => ({ body: { title: 'New', recipients: [{ id: 'plain', type: 'USER' }], ...parts } })
const recipients = (...given: [string, string][]) => created({ recipients: given.map(([id, type]) => ({ id, type })) })
const day = (date: string) => ({ due_at: { due_at_type: 'DATE', date } })

const rows: ErrorRow[] = [
  ['VALIDATION_ERROR', 'GET', `${tasksPath}?sort=TITLE_ASC`],
  ['VALIDATION_ERROR', 'POST', tasksPath, created({ title: '' })],
  ['NO_RECIPIENTS', 'POST', tasksPath, created({ recipients: [] })],
  ['DIFFERENT_RECIPIENT_TYPES', 'POST', tasksPath, recipients(['plain', 'USER'], ['news', 'CHANNEL'])],
  ['RECIPIENTS_CHANNEL_LIMIT_EXCEEDED', 'POST', tasksPath, recipients(['a', 'CHANNEL'], ['b', 'CHANNEL'])],
  ['INVALID_DUE_DATE', 'POST', tasksPath, created(day('2026-02-30'))],
  ['UNKNOWN_USER_ID', 'POST', tasksPath, recipients(['gone', 'USER'])],
  ['UNKNOWN_CHANNEL_ID', 'POST', tasksPath, recipients(['closed', 'CHANNEL'])],
  ['NOT_ADMIN_OF_CHANNEL', 'POST', tasksPath, recipients(['news', 'CHANNEL'])],
  ['DUPLICATE_ID', 'POST', tasksPath, created({ id: 'shared' })],
  ['DUPLICATE_EXTERNAL_ID', 'POST', tasksPath, created({ external_id: 'taken' })],
  ['VALIDATION_ERROR', 'PATCH', `${tasksPath}/shared`, { body: { body: { delta: '{}' } } }],
  ['INVALID_DUE_DATE', 'PATCH', `${tasksPath}/shared`, { body: day('soon') }],
  ['TASK_NOT_FOUND', 'PATCH', `${tasksPath}/shared`, { body: { title: 'Mine' }, as: 'plain' }],
  ['DUPLICATE_EXTERNAL_ID', 'PATCH', `${tasksPath}/shared`, { body: { external_id: 'taken' } }],
  ['TASK_NOT_FOUND', 'DELETE', `${tasksPath}/shared`, { as: 'plain' }],
  ['TASK_NOT_FOUND', 'GET', `${tasksPath}/shared/assignments-summary`, { as: 'plain' }],
  ['UNAUTHENTICATED', 'GET', `${tasksPath}/assignments-summary`, { token: null }],
  ['UNAUTHENTICATED', 'GET', own('distribution_kind=RECEIVED'), { token: null }],
  ['DISTRIBUTION_KIND_UNDEFINED', 'GET', `${tasksPath}/assignments`],
  ['DISTRIBUTION_KIND_UNDEFINED', 'GET', own('distribution_kind=DISTRIBUTED')],
  ['VALIDATION_ERROR', 'GET', own('distribution_kind=RECEIVED,DISTRIBUTED')],
  ['VALIDATION_ERROR', 'GET', own('distribution_kind=RECEIVED&page_cursor=forged')],
  ['TASK_NOT_FOUND', 'GET', `${tasksPath}/nowhere`],
  ['TASK_NOT_FOUND', 'GET', `${tasksPath}/single`, { as: 'admin-2' }],
  ['TASK_NOT_FOUND', 'GET', `${tasksPath}/shared/assignments`, { as: 'plain' }],
  ['TASK_ASSIGNMENT_NOT_FOUND', 'POST', `${tasksPath}/assignments/shared~plain/finish`],
  ['TASK_ASSIGNMENT_NOT_FOUND', 'POST', `${tasksPath}/assignments/shared~admin-2/open`],
  ['TASK_ASSIGNMENT_NOT_FOUND', 'DELETE', `${tasksPath}/assignments/shared~plain`, { as: 'plain' }],
  ['TASK_ASSIGNMENTS_LOWER_LIMIT_VIOLATION', 'DELETE', `${tasksPath}/assignments/single~plain`],
  ['UNKNOWN_USER_ID', 'POST', `${tasksPath}/shared/assignments`, recipient('idle')],
  ['UNKNOWN_CHANNEL_ID', 'POST', `${tasksPath}/shared/assignments`, recipient('closed', 'CHANNEL')],
  ['NOT_ADMIN_OF_CHANNEL', 'POST', `${tasksPath}/shared/assignments`, recipient('news', 'CHANNEL')],
  ['UNKNOWN_USER_ID', 'POST', `${tasksPath}/shared/assignments/batch`, { body: { user_ids: ['admin-2', 'gone'] } }],
  ['VALIDATION_ERROR', 'POST', `${tasksPath}/shared/assignments/batch`, { body: { user_ids: others } }],
  [
    'UNKNOWN_TASK_ASSIGNMENT_ID',
    'DELETE',
    `${tasksPath}/shared/assignments/batch`,
    { body: { assignment_ids: ['shared~plain', 'single~plain'] } },
  ],
  [
    'TASK_ASSIGNMENTS_LOWER_LIMIT_VIOLATION',
    'DELETE',
    `${tasksPath}/single/assignments/batch`,
    { body: { assignment_ids: [{ id: 'single~plain' }] } },
  ],
]

export const tasks = (ask: Ask, storeOf: () => WorkStore) =>
  describe('tasks', () => {
    beforeAll(async () => {
      const store = storeOf()
      await newTask(store, { id: 'shared', author_id: 'admin' }, { plain: 'NEW', 'admin-2': 'OPEN', locked: 'NEW' })
      await ask('POST', tasksPath, {
        body: { title: 'T', external_id: 'taken', recipients: [{ id: 'admin', type: 'USER' }] },
      })
      await newTask(store, { id: 'single', author_id: 'admin' }, { plain: 'NEW' })
    })

    describe('errors of tasks and task assignments', () => {
      it.each(rows)('%s: %s %s', (...row) => expectError(ask, row))

      it('are the same for all while the organisation does without tasks', async () => {
        const { data } = (await storeOf().get(organisationKey)) as Item & { data: Any }
        const switched = (on: boolean) =>
          storeOf().bulk([
            { put: { ...organisationKey, data: { ...data, features: { ...data.features, tasks: on } } } },
          ])
        await switched(false)
        // Each instance remembers the settings for five seconds. A feature that is switched on counts at once.
        await wait(5000)
        for (const [method, path, body] of [
          ['GET', own('distribution_kind=RECEIVED')],
          ['GET', tasksPath],
          ['POST', tasksPath, created({})],
          ['GET', `${tasksPath}/shared`],
          ['PATCH', `${tasksPath}/shared`, { body: { title: 'x' } }],
          ['DELETE', `${tasksPath}/shared`],
          ['GET', `${tasksPath}/shared/assignments-summary`],
          ['GET', `${tasksPath}/assignments-summary`],
          ['POST', `${tasksPath}/assignments/${idOf('shared', 'admin-2')}/finish`],
          ['POST', `${tasksPath}/shared/assignments`, recipient('plain')],
        ] as const)
          await expectError(ask, ['FEATURE_DISABLED', method, path, { as: 'admin-2', ...body }])
        await switched(true)
        expect((await ask('GET', `${tasksPath}/shared`)).status).toBe(200)
      })

      it('are all reached that the contracts name', () => {
        // Other tests reach what needs another call at the same moment.
        const elsewhere = ['TASK_ASSIGNMENT_CHANGE_CONFLICT', 'FEATURE_DISABLED'] as const
        expect(unreached(['Tasks', 'Task assignments'], rows, elsewhere)).toEqual([])
      })
    })

    describe('a task', () => {
      it('is created, found, changed and deleted', async () => {
        const body = { id: 'whole', title: 'Whole', body: { html: '<p onclick=x>Hi</p>' }, settings: { colour: 'red' } }
        const recipients = [{ id: 'plain', type: 'USER' }]
        const { status, body: made } = await ask('POST', tasksPath, { body: { ...body, recipients } })
        expect([status, made.body]).toEqual([201, { plain: 'Hi', html: '<p>Hi</p>' }])
        const query = 'distribution_kind=DISTRIBUTED&sort=UPDATED_AT_DESC&page_limit=1'
        expect((await ask('GET', `${tasksPath}?${query}`)).body.tasks).toEqual([made])
        const same = await ask('PATCH', `${tasksPath}/whole`, { body: made })
        expect(same.body).toEqual(made)
        const changed = await ask('PATCH', `${tasksPath}/whole`, { body: { title: 'Other' } })
        expect(changed.body).toMatchObject({ title: 'Other', settings: { colour: 'red' } })
        expect((await ask('GET', `${tasksPath}/whole/assignments-summary`)).body.total).toBe(1)
        expect((await ask('GET', `${tasksPath}/assignments-summary`, { as: 'plain' })).body.total).toBeGreaterThan(0)
        expect((await ask('DELETE', `${tasksPath}/whole`)).status).toBe(204)
        expect((await ask('GET', `${tasksPath}/whole`, { as: 'plain' })).status).toBe(404)
      })

      it('goes its way from author to recipients and back with nothing but HTTP', async () => {
        const plain = { as: 'plain' }
        const received = await ask(
          'GET',
          own('distribution_kind[]=RECEIVED&progress_status=NEW&body_format=PLAIN'),
          plain,
        )
        const ids = received.body.assignments.map(({ id }: Any) => id)
        expect(ids).toContain('shared~plain')
        expect(received.body.assignments[0].task.body).toEqual({ plain: 'Do it' })
        expect((await ask('GET', `${tasksPath}/shared`, plain)).body.progress_status).toBe('OPEN')
        const finished = await ask('POST', `${tasksPath}/assignments/shared~plain/finish`, plain)
        expect(finished.body).toMatchObject({ progress_status: 'FINISHED', recipient: null })
        for (const id of ['shared~plain', 'shared%7Eplain', 'shared,plain', 'shared%2Cplain'])
          expect((await ask('POST', `${tasksPath}/assignments/${id}/finish`, plain)).body, id).toEqual(finished.body)
        const list = await ask('GET', `${tasksPath}/shared/assignments?embed=USER&progress_status=FINISHED`)
        expect(list.body.assignments).toMatchObject([{ recipient: { id: 'plain', is_deleted: false } }])
        const added = await ask('POST', `${tasksPath}/shared/assignments/batch`, {
          body: { user_ids: ['plain', 'admin'] },
        })
        expect(added).toMatchObject({ status: 201, body: { total: 4 } })
        const removed = await ask('DELETE', `${tasksPath}/shared/assignments/batch`, {
          body: { assignment_ids: ['shared~admin'] },
        })
        expect(removed.body).toEqual({
          distribution: { state: 'DONE', total: 3, done: 3 },
          total: 3,
          items: [
            { status: 'NEW', count: 1 },
            { status: 'OPEN', count: 1 },
            { status: 'FINISHED', count: 1 },
          ],
        })
        expect(await ask('DELETE', `${tasksPath}/assignments/shared~locked`)).toMatchObject({
          status: 204,
          body: undefined,
        })
      })
    })
  })
