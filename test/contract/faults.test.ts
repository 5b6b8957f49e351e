import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, it } from 'vitest'
import { type AppError, combineRefusals, errorOf, faultAt, problemOf, refuse } from '../../domain/base/errors.ts'
import { call, checkFaults, type Request } from '../harness/call.ts'
import { startService } from '../harness/service.ts'

// How refusals are worded. That every other one keeps to it, each `call` of every test looks at: see checkFaults.

const title = [{ language: 'en-GB', text: 'Title' }]
beforeAll(async () => {
  await startService()
  await call('createRole', { body: { id: 'mentor', title, scope: 'USER_GROUPS' } })
  await call('createTask', {
    body: { id: 'drill', title: 'Drill', recipients: [{ id: 'plain', type: 'USER' }], settings: { a: 'x' } },
  })
})

const rule = (field: string, operator: string, values: string[]) => ({
  title: 'Rule',
  user_group_id: 'sales',
  role_id: 'mentor',
  conditions: [{ field, operator, values }],
})
const recipients = [{ id: 'plain', type: 'USER' }]
const list = { distribution_kind: 'RECEIVED', page_cursor: 'x' }

describe('a message follows the name of its property, and does not say it again', () => {
  it.each<[name: string, request: Request, property: string, message: string]>([
    ['updateRole', { path: { role_id: 'mentor' }, body: { scope: 'CHANNELS' } }, 'scope', 'must stay as it is'],
    ['createRule', { body: rule('ROLE', 'EQUALS', ['BOSS']) }, 'conditions.0.values.0', 'must be one of USER, ADMIN'],
    [
      'createRule',
      { body: rule('EMAIL_DOMAIN', 'EQUALS', ['@example.com']) },
      'conditions.0.values.0',
      'must be a host, without an @',
    ],
    [
      'createRule',
      { body: rule('ROLE', 'CONTAINS', ['ADMIN']) },
      'conditions.0.operator',
      'must be one of EQUALS, NOT_EQUALS for ROLE',
    ],
    ['createRule', { body: rule('TAG', 'IS_SET', ['A']) }, 'conditions.0.values', 'must be left out with IS_SET'],
    [
      'updateAttributeDefinition',
      { path: { definition_id: 'department' }, body: { technical_name: 'other' } },
      'technical_name',
      'must stay as it is',
    ],
    ['listOwnTaskAssignments', { query: list }, 'page_cursor', 'must be a cursor of this list'],
    [
      'listTaskAssignments',
      { path: { task_id: 'drill' }, query: { page_cursor: 'x' } },
      'page_cursor',
      'must be a cursor of this list',
    ],
    ['listTasks', { query: { page_cursor: 'x' } }, 'page_cursor', 'must be a cursor of this list'],
    [
      'createTask',
      { body: { title: 'X', recipients: [...recipients, { id: 'news', type: 'CHANNEL' }] } },
      'recipients',
      'must be of one type',
    ],
    [
      'createTask',
      { body: { title: 'X', recipients, due_at: { due_at_type: 'DATE', date: '2026-02-30' } } },
      'due_at.date',
      'must be a date that the calendar has',
    ],
    [
      'createTask',
      { body: { title: 'X', recipients, body: { delta: '{' } } },
      'body.delta',
      'must be a Quill delta as JSON',
    ],
    [
      'updateTask',
      { path: { task_id: 'drill' }, body: { settings: { b: 'x'.repeat(9_999) } } },
      'settings',
      'must have at most 10000 characters as JSON',
    ],
    [
      'updateUser',
      { path: { user_id: 'plain' }, body: { attributes: [{ name: 'unheard_of', value: 'x' }] } },
      'attributes.0.name',
      'must name an attribute definition',
    ],
  ])('%s %j', async (name, request, property, message) => {
    const { status, body } = await call(name, request)
    expect([status, body.property, body.detail]).toEqual([400, property, `${property} ${message}`])
    expect(body.errors).toEqual([{ property, message }])
  })
})

describe('a fault that several checks find is reported once', () => {
  const fault = faultAt('VALIDATION_ERROR', 'title', 'must be given')
  const errorsOf = (error: AppError | undefined) => problemOf(error, 'x').errors

  it('of one finder', () => {
    expect(errorsOf(errorOf([fault, { ...fault }]))).toEqual([fault.fault])
  })

  it('of several', () => {
    const twice = combineRefusals([errorOf([fault]), errorOf([{ ...fault }]), refuse('UNKNOWN_USER_ID', 'user_id')])
    expect(errorsOf(twice)).toEqual([fault.fault, { property: 'user_id', message: 'No such user can be used here' }])
  })
})

it('a stutter would be noticed', () => {
  const fault = { property: 'scope', message: 'scope must stay' }
  expect(() => checkFaults({ detail: 'x', errors: [fault] })).toThrow()
  expect(() => checkFaults({ property: 'scope', detail: 'scope scope must stay' })).toThrow()
  expect(() => checkFaults({ detail: 'x', errors: [1, 2].map(() => ({ property: 'a', message: 'is b' })) })).toThrow()
})

it.each(['gzip', 'br', 'deflate, gzip', 'GZIP'])(
  'a body that is compressed with %s is refused as such',
  async (encoding) => {
    const { status, body } = await call('createUser', {
      bytes: gzipSync('{}'),
      headers: { 'content-encoding': encoding, 'content-type': 'application/json' },
    })
    expect([status, body.error_code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE'])
  },
)
