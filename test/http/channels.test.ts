import { afterAll, beforeAll, expect, it } from 'vitest'
import { contracts } from '../../schemas/contracts.ts'
import { type ErrorCode, errors } from '../../schemas/errors.ts'
import { type Running, startHttp } from './service.ts'

let service: Running
const reached = new Set<ErrorCode>()
beforeAll(async () => {
  service = await startHttp()
}, 240_000)
afterAll(() => service?.stop())

const channels = '/api/admin/channels/v4/channels'
const ask = (...request: Parameters<Running['request']>) => service.request(...request)
const title = [{ language: 'en-GB', text: 'Board' }]

it('a channel is set up, filled, closed and opened with nothing but HTTP', async () => {
  const created = await ask('POST', channels, { body: { id: 'board', title } })
  expect(created).toMatchObject({ status: 201, body: { id: 'board', title, status: 'ACTIVE' } })
  const merge = { 'content-type': 'application/merge-patch+json' }
  const raw = '{"description":[{"language":"de-DE","text":"Für alle"}]}'
  const patched = await ask('PATCH', `${channels}/board`, { raw, headers: merge })
  expect((await ask('GET', `${channels}/board`)).body).toEqual(patched.body)
  const list = await ask('GET', `${channels}?search_term=fur&status[]=ACTIVE&typo=1`)
  expect(list.body).toMatchObject({ channels: [{ id: 'board', title: title[0] }], pagination: { total_elements: 1 } })
  expect(list.headers.get('x-ignored-parameters')).toBe('typo')
  expect(list.headers.get('content-language')).toBe('en-GB, de-DE')
  const groups = `${channels}/board/assignments/user-groups`
  expect((await ask('POST', groups, { body: { user_group_id: 'sales' } })).status).toBe(201)
  expect((await ask('GET', groups)).body).toMatchObject({
    assignments: [{ id: 'sales', role_id: 'channel-member', user_group: { title: { text: 'Group sales' } } }],
    pagination: { total_elements: 1 },
  })
  expect(await ask('DELETE', `${groups}/sales`)).toMatchObject({ status: 204, body: undefined })
  expect((await ask('POST', `${channels}/board/archive`)).body.status).toBe('ARCHIVED')
  expect((await ask('POST', `${channels}/board/restore`)).body.status).toBe('ACTIVE')
})

type Row = [code: ErrorCode, method: string, path: string, options?: Parameters<Running['request']>[2]]
const attach = (user_group_id: string) => ({ body: { user_group_id } })
const rows: Row[] = [
  ['VALIDATION_ERROR', 'POST', channels, { body: {} }],
  ['LANGUAGE_NOT_ENABLED', 'POST', channels, { body: { title: [{ language: 'fr', text: 'X' }] } }],
  ['ROLE_NOT_FOUND', 'POST', channels, { body: { title, default_role_id: 'clown' } }],
  ['ROLE_NOT_ASSIGNABLE', 'POST', channels, { body: { title, default_role_id: 'coach' } }],
  ['DUPLICATE_ID', 'POST', channels, { body: { id: 'closed', title } }],
  ['CHANNEL_NOT_FOUND', 'GET', `${channels}/nowhere`],
  ['CHANNEL_ARCHIVED', 'PATCH', `${channels}/closed`, { body: {} }],
  ['CHANNEL_NOT_ARCHIVED', 'POST', `${channels}/news/restore`],
  ['INVALID_USER_GROUP', 'POST', `${channels}/news/assignments/user-groups`, attach('archived')],
  ['ASSIGNMENT_ALREADY_EXISTS', 'POST', `${channels}/news/assignments/user-groups`, attach('all-users')],
  ['CHANNEL_USER_GROUP_NOT_FOUND', 'DELETE', `${channels}/news/assignments/user-groups/sales`],
  ['METHOD_NOT_ALLOWED', 'DELETE', `${channels}/news`],
]

it.each(rows)('%s: %s %s', async (code, method, path, options) => {
  const { status, body } = await ask(method, path, options)
  expect(body).toMatchObject({ status, error_code: code, title: errors[code][1] })
  expect(status).toBe(errors[code][0])
  reached.add(code)
})

it('every code that the contracts name is reached', () => {
  const named = Object.values(contracts)
    .filter(({ tag }) => tag === 'Channels')
    .flatMap((contract) => contract.errors)
  expect([...new Set(named)].filter((code) => !reached.has(code))).toEqual([])
})
