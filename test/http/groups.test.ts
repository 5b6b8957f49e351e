import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contracts } from '../../schemas/contracts.ts'
import { type ErrorCode, errors } from '../../schemas/errors.ts'
import type { Any } from '../harness/call.ts'
import { type Running, startHttp } from './service.ts'

let service: Running
const reached = new Set<ErrorCode>()
beforeAll(async () => {
  service = await startHttp()
}, 120_000)
afterAll(() => service?.stop())

const groups = '/api/admin/users/v4/user-groups'
const ask = (...request: Parameters<Running['request']>) => service.request(...request)
const title = (text: string) => [{ language: 'en-GB', text }]

describe('a group over HTTP', () => {
  it('is created, listed, moved and read', async () => {
    const body = { id: 'press', external_id: 'P', title: title('Press'), parent_id: 'sales' }
    expect(await ask('POST', `${groups}?embed=PATH`, { body })).toMatchObject({ status: 201, body: { type: 'CUSTOM' } })
    const list = await ask('GET', `${groups}?search_term=pres&parent_id[]=sales&embed=ACTIONS&typo=1`)
    expect(list.body.groups.map((group: Any) => [group.id, group.title])).toEqual([['press', title('Press')[0]]])
    expect(list.headers.get('x-ignored-parameters')).toBe('typo')
    const merge = { 'content-type': 'application/merge-patch+json' }
    expect((await ask('PATCH', `${groups}/press`, { raw: '{"parent_id":null}', headers: merge })).body).toMatchObject({
      parent_id: 'root',
    })
    expect((await ask('GET', `${groups}/press?embed=PATH`)).body.path.map((one: Any) => one.id)).toEqual([
      'root',
      'press',
    ])
    expect(await ask('POST', `${groups}/press/archive`, { body: { stray: true } })).toMatchObject({
      status: 200,
      body: { id: 'press', status: 'ARCHIVED' },
    })
    expect((await ask('POST', `${groups}/press/restore?embed=ACTIONS`)).body).toMatchObject({
      status: 'ACTIVE',
      actions: { delete: { allowed: false } },
    })
    await ask('POST', `${groups}/press/archive`)
    expect(await ask('DELETE', `${groups}/press`, { body: {} })).toMatchObject({ status: 204, body: undefined })
    expect((await ask('GET', `${groups}/press`)).body.error_code).toBe('USER_GROUP_NOT_FOUND')
    await ask('PATCH', `${groups}/sales`, { body: { external_id: 'P' } })
  })
})

type Row = [code: ErrorCode, method: string, path: string, options?: Parameters<Running['request']>[2]]
const group = (parts: object) => ({ body: { title: title('New'), parent_id: 'root', ...parts } })
const rows: Row[] = [
  ['UNAUTHENTICATED', 'GET', groups, { token: null }],
  ['PERMISSION_MISSING', 'POST', groups, { ...group({}), as: 'plain' }],
  ['METHOD_NOT_ALLOWED', 'PUT', `${groups}/sales`],
  ['VALIDATION_ERROR', 'POST', groups, group({ title: [] })],
  ['VALIDATION_ERROR', 'GET', `${groups}?sort=TITLE_ASC`],
  ['VALIDATION_ERROR', 'GET', `${groups}/-`],
  ['LANGUAGE_NOT_ENABLED', 'POST', groups, group({ title: [{ language: 'fr', text: 'Neuf' }] })],
  ['UNKNOWN_USER_GROUP_ID', 'POST', groups, group({ parent_id: 'nowhere' })],
  ['DUPLICATE_ID', 'POST', groups, group({ id: 'sales' })],
  ['DUPLICATE_EXTERNAL_ID', 'POST', groups, group({ external_id: 'P' })],
  ['USER_GROUP_ARCHIVED', 'PATCH', `${groups}/archived`, { body: { title: title('New') } }],
  ['USER_GROUP_NOT_FOUND', 'GET', `${groups}/nowhere`],
  ['USER_GROUP_NOT_ARCHIVED', 'POST', `${groups}/sales/restore`],
  ['USER_GROUP_IS_PREDEFINED', 'POST', `${groups}/root/archive`],
  ['USER_GROUP_IS_PREDEFINED', 'PATCH', `${groups}/all-users`, { body: { parent_id: 'sales' } }],
  ['PARENT_ID_UPDATE_WOULD_PRODUCE_A_CYCLE', 'PATCH', `${groups}/sales`, { body: { parent_id: 'sales' } }],
]

describe('errors', () => {
  it.each(rows)('%s: %s %s', async (code, method, path, options) => {
    const { status, body, headers } = await ask(method, path, options)
    expect(body).toMatchObject({ status, error_code: code, title: errors[code][1] })
    expect(status).toBe(errors[code][0])
    expect(headers.get('content-type')).toBe('application/problem+json')
    reached.add(code)
  })

  it('are all reached that the contracts of groups name', () => {
    const named = Object.values(contracts).filter(({ tag }) => tag === 'User groups')
    expect(named.flatMap((contract) => contract.errors).filter((code) => !reached.has(code))).toEqual([])
  })
})
