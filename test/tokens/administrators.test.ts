import { beforeAll, describe, expect, it } from 'vitest'
import { type Any, call, type Request } from '../harness/call.ts'
import { ordinary, people } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'
import { giveToken } from '../harness/serviceTokens.ts'
import { countWrites } from '../harness/writes.ts'

// What a token with USERS may do to administrators depends on ADMINISTRATORS, in single calls and in batches.

const before = {
  username: 'boss',
  email: 'boss@example.com',
  role: 'ADMIN',
  first_name: 'Bo',
  last_name: 'Ss',
} as const
let service: Service
let users: string
let administrators: string
let writes: () => number
beforeAll(async () => {
  service = await startService({
    features: { user_deactivation: true },
    users: [
      ...people,
      { id: 'boss', ...before },
      { id: 'gone', ...before, username: 'gone' },
      { id: 'off', ...before, username: 'off', status: 'DEACTIVATED' },
      { id: 'shut', ...before, username: 'shut', status: 'LOCKED' },
    ],
  })
  await call('deleteUser', { path: { user_id: 'gone' } })
  users = await giveToken(service, ['READ', 'USERS'])
  administrators = await giveToken(service, ['READ', 'USERS', 'ADMINISTRATORS'])
  for (const token of [users, administrators]) await call('getUser', { path: { user_id: 'boss' }, token })
  writes = countWrites(service)
})

const of = (user_id: string, body?: object): Request => ({ path: { user_id }, ...(body ? { body } : {}) })
const item = (id: string, body?: object) => ({ body: { items: [{ id, ...(body ? { body } : {}) }] } })
const made = { ...ordinary, role: 'ADMIN', first_name: 'N', last_name: 'N' }

/** What needs the scope, each as a single call; `batch` is the same as a batch. */
const refused: [what: string, name: string, request: Request, batch?: [name: string, request: Request]][] = [
  ['another username', 'updateUser', of('boss', { username: 'b' }), ['updateUsers', item('boss', { username: 'b' })]],
  ['another e-mail', 'updateUser', of('boss', { email: null }), ['updateUsers', item('boss', { email: null })]],
  [
    'another external id',
    'updateUser',
    of('boss', { external_id: 'e' }),
    ['updateUsers', item('boss', { external_id: 'e' })],
  ],
  ['the role USER', 'updateUser', of('boss', { role: 'USER' }), ['updateUsers', item('boss', { role: 'USER' })]],
  ['the role ADMIN', 'updateUser', of('plain', { role: 'ADMIN' }), ['updateUsers', item('plain', { role: 'ADMIN' })]],
  ['locking', 'lockUser', of('boss')],
  ['unlocking', 'unlockUser', of('shut')],
  ['deactivating', 'deactivateUser', of('boss')],
  ['reactivating', 'reactivateUser', of('off')],
  ['deleting', 'deleteUser', of('boss'), ['deleteUsers', item('boss')]],
  ['restoring', 'restoreUser', of('gone'), ['restoreUsers', item('gone')]],
  ['a new administrator', 'createUser', { body: { ...made, id: 'new', username: 'new' } }],
]
const batches = refused.flatMap(([what, , , batch]) => (batch ? [[what, ...batch] as const] : []))

describe('without ADMINISTRATORS', () => {
  it.each(refused)('%s: 403', async (_what, name, request) => {
    const earlier = writes()
    const { status, body } = await call(name, { ...request, token: users })
    expect([status, body.error_code, body.detail]).toEqual([
      403,
      'PERMISSION_MISSING',
      'The service token lacks the scope ADMINISTRATORS',
    ])
    expect(writes()).toBe(earlier)
  })

  it.each(batches)('%s in a batch: 403 for the item', async (_what, name, request) => {
    const earlier = writes()
    const { status, body } = await call(name, { ...request, token: users })
    expect([status, body.items[0].status, body.items[0].error.error_code]).toEqual([200, 403, 'PERMISSION_MISSING'])
    expect(writes()).toBe(earlier)
  })

  it('an item that is refused changes nothing for the others', async () => {
    const items = [
      { id: 'boss', body: { email: 'x@example.com' } },
      { id: 'plain', body: { email: 'plain@example.com' } },
      { id: 'nobody', body: { role: 'ADMIN' } },
    ]
    const { body } = await call('updateUsers', { body: { items }, token: users })
    expect(body.items.map((one: Any) => one.status)).toEqual([403, 200, 404])
  })

  it('existence is decided first', async () => {
    for (const name of ['lockUser', 'deleteUser', 'restoreUser'])
      expect((await call(name, { ...of('nobody'), token: users })).body.error_code).toBe('USER_NOT_FOUND')
    const patch = await call('updateUser', { ...of('nobody', { role: 'ADMIN' }), token: users })
    expect(patch.body.error_code).toBe('USER_NOT_FOUND')
  })

  it('equal values are no change', async () => {
    const { username, email, role } = before
    const same = await call('updateUser', { ...of('boss', { username, email, role }), token: users })
    expect([same.status, same.body.username]).toEqual([200, username])
    for (const [name, user_id] of [
      ['lockUser', 'shut'],
      ['deactivateUser', 'off'],
      ['deleteUser', 'gone'],
      ['unlockUser', 'boss'],
    ] as const)
      expect((await call(name, { ...of(user_id), token: users })).status, name).toBe(200)
  })

  it('everything else of an administrator is free', async () => {
    const body = {
      first_name: 'Other',
      last_name: 'Names',
      attributes: [{ name: 'department', value: 'IT' }],
      tags: [{ name: 't' }],
      required_actions: ['UPDATE_PASSWORD'],
      primary_user_group_id: 'sales',
    }
    const { status, body: answered } = await call('updateUser', { ...of('boss', body), token: users })
    expect([status, answered.first_name]).toEqual([200, 'Other'])
  })

  it('users who are no administrators are created, changed, deleted and restored', async () => {
    const body = { ...ordinary, id: 'fresh', username: 'fresh', first_name: 'F', last_name: 'F' }
    expect((await call('createUser', { body, token: users })).status).toBe(201)
    const steps: [string, Request][] = [
      ['updateUser', of('fresh', { username: 'fresher', email: 'f@example.com', role: 'USER' })],
      ['lockUser', of('fresh')],
      ['deleteUser', of('fresh')],
      ['restoreUser', of('fresh')],
    ]
    for (const [name, request] of steps) expect((await call(name, { ...request, token: users })).status, name).toBe(200)
  })

  it('actions say the same', async () => {
    const actionsOf = async (user_id: string, token: string) => {
      const { actions } = (await call('getUser', { path: { user_id }, query: { embed: 'ACTIONS' }, token })).body
      return Object.entries<Any>(actions).flatMap(([name, { allowed }]) => (allowed ? [name] : []))
    }
    expect(await actionsOf('boss', users)).toEqual(['update', 'unlock'])
    expect(await actionsOf('plain', users)).toEqual(['update', 'lock', 'unlock', 'deactivate', 'delete'])
    expect(await actionsOf('boss', administrators)).toEqual(['update', 'lock', 'unlock', 'deactivate', 'delete'])
    expect(await actionsOf('boss', await giveToken(service, ['READ', 'ADMINISTRATORS']))).toEqual([])
  })

  it('a wrong tag comes first, as with all rules', async () => {
    const headers = { 'if-match': '"AAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAA"' }
    const { body } = await call('deleteUser', { ...of('boss'), headers, token: users })
    expect(body.error_code).toBe('PRECONDITION_FAILED')
  })
})

describe('with ADMINISTRATORS', () => {
  it.each(refused)('%s is done', async (_what, name, request) => {
    const { status } = await call(name, { ...request, token: administrators })
    expect(status).toBeLessThan(300)
    // What comes next finds the users as they were.
    const user_id = request.path?.['user_id'] ?? 'new'
    const back: Record<string, [string, Request]> = {
      lockUser: ['unlockUser', of(user_id)],
      unlockUser: ['lockUser', of(user_id)],
      deactivateUser: ['reactivateUser', of(user_id)],
      deleteUser: ['restoreUser', of(user_id)],
      updateUser: [
        'updateUser',
        of(
          user_id,
          user_id === 'plain' ? { role: 'USER' } : { role: 'ADMIN', username: 'boss', email: 'boss@example.com' },
        ),
      ],
    }
    const [undo, how] = back[name] ?? []
    if (undo) expect((await call(undo, how)).status).toBe(200)
  })

  it('the last administrator and protected users stay as they are all the same', async () => {
    const alone = await startService({
      users: [
        { id: 'one', username: 'one', role: 'ADMIN' },
        { id: 'safe', username: 'safe', role: 'ADMIN', protected: true },
      ],
    })
    const token = await giveToken(alone, ['READ', 'USERS', 'ADMINISTRATORS'])
    for (const user_id of ['one', 'safe']) {
      expect((await call('deleteUser', { path: { user_id }, token })).body.error_code).toBe(
        'USER_MODIFICATION_NOT_ALLOWED',
      )
      expect((await call('updateUser', { path: { user_id }, body: { role: 'USER' }, token })).body.error_code).toBe(
        'USER_MODIFICATION_NOT_ALLOWED',
      )
    }
    service.activate()
  })
})
