import { DeleteCommand } from '@aws-sdk/lib-dynamodb'
import { beforeAll, describe, expect, it } from 'vitest'
import { purgeUsers } from '../../domain/maintenance/purgeUsers.ts'
import { organisationKey, userKey } from '../../domain/table/keys.ts'
import { audit, dump } from '../harness/audit.ts'
import { type Any, call, type Reply } from '../harness/call.ts'
import { ordinary } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

let service: Service
/** Once for each group of tests: who is the last administrator depends on the states of all others. */
const start = async () => {
  service = await startService({
    indexes: { only: ['by_id', 'find'] },
    users: [
      { id: 'root', role: 'ADMIN', protected: true },
      { id: 'admin', role: 'ADMIN' },
      { id: 'safe', protected: true },
      { id: 'safe-locked', protected: true, status: 'LOCKED' },
      { id: 'safe-deactivated', protected: true, status: 'DEACTIVATED' },
      { id: 'idle', status: 'DEACTIVATED' },
      { id: 'usual' },
    ],
  })
}

const later = (ms: number): void => service.setNow(new Date(service.now().getTime() + ms))
const action = (name: string, user_id: string, as = 'root') =>
  call(name, { path: { user_id }, query: 'embed=ACTIONS', as })

/** Each operation by itself, then as a batch of one: both must do the same. */
type Do = (id: string, as?: string) => Promise<Reply>
const single: Record<string, Do> = {
  update: (user_id, as = 'root') =>
    call('updateUser', {
      path: { user_id },
      query: 'embed=ACTIONS',
      body: { last_name: `New ${service.now().getTime()}` },
      as,
    }),
  lock: (id, as) => action('lockUser', id, as),
  unlock: (id, as) => action('unlockUser', id, as),
  deactivate: (id, as) => action('deactivateUser', id, as),
  reactivate: (id, as) => action('reactivateUser', id, as),
  delete: (id, as) => action('deleteUser', id, as),
  restore: (id, as) => action('restoreUser', id, as),
}
const only = async (name: string, item: object, as = 'root'): Promise<Reply> => {
  const reply = await call(name, { query: 'embed=ACTIONS', body: { items: [item] }, as })
  if (reply.status !== 200) return reply
  const [{ status, body, error }] = reply.body.items
  return { ...reply, status, body: body ?? error }
}
const batch: Record<string, Do> = {
  update: (id, as) => only('updateUsers', { id, body: { last_name: `New ${service.now().getTime()}` } }, as),
  delete: (id, as) => only('deleteUsers', { id }, as),
  restore: (id, as) => only('restoreUsers', { id }, as),
}
const ways: [string, string, Do][] = [
  ...Object.entries(single).map(([name, run]): [string, string, Do] => [name, 'single', run]),
  ...Object.entries(batch).map(([name, run]): [string, string, Do] => [name, 'batch', run]),
]

let made = 0
async function userIn(state: string, role = 'USER'): Promise<string> {
  const [status, before = status] = state.split(' from ')
  const id = `user-${++made}`
  const body = { id, username: id, external_id: `E-${id}`, first_name: 'A', last_name: 'B', role, status: before }
  expect((await call('createUser', { body: { ...ordinary, ...body }, as: 'root' })).status).toBe(201)
  if (status !== before) await action('deleteUser', id)
  return id
}
const get = async (user_id: string, as = 'root'): Promise<Any> => (await action('getUser', user_id, as)).body

// The contract's table, word for word. What is missing is not permitted.
const states = [
  'ACTIVE',
  'LOCKED',
  'DEACTIVATED',
  ...['ACTIVE', 'LOCKED', 'DEACTIVATED'].map((one) => `PENDING_DELETION from ${one}`),
]
const outcomes: Record<string, Record<string, string>> = {
  lock: { ACTIVE: 'LOCKED', LOCKED: 'LOCKED' },
  unlock: { LOCKED: 'ACTIVE', ACTIVE: 'ACTIVE' },
  deactivate: { ACTIVE: 'DEACTIVATED', LOCKED: 'DEACTIVATED', DEACTIVATED: 'DEACTIVATED' },
  reactivate: { DEACTIVATED: 'ACTIVE', ACTIVE: 'ACTIVE', LOCKED: 'LOCKED' },
  delete: Object.fromEntries(states.map((state) => [state, 'PENDING_DELETION'])),
  restore: Object.fromEntries(states.slice(3).map((state) => [state, state.split(' from ')[1] as string])),
  update: { ACTIVE: 'ACTIVE', LOCKED: 'LOCKED', DEACTIVATED: 'DEACTIVATED' },
}
const refusalOf = (operation: string) =>
  operation === 'restore' ? 'USER_NOT_RESTORABLE' : 'USER_MODIFICATION_NOT_ALLOWED'

describe('every operation in every state', () => {
  beforeAll(start)
  const cells = ways.flatMap(([operation, way, run]) => states.map((state) => [operation, way, state, run] as const))
  it.each(cells)('%s (%s) of a user who is %s', async (operation, _way, state, run) => {
    const id = await userIn(state)
    const before = await get(id)
    later(MINUTE)
    const { status, body } = await run(id)
    const after = await get(id)
    const outcome = outcomes[operation]?.[state]
    if (operation in before.actions)
      expect(before.actions[operation].allowed, 'embed=ACTIONS told').toBe(outcome !== undefined)
    if (outcome === undefined) {
      expect(body.error_code).toBe(refusalOf(operation))
      expect(after).toEqual(before)
      return
    }
    expect([status, body.status]).toEqual([200, outcome])
    expect(after, 'the answer is what is stored').toEqual(body)
    const { actions: _1, ...was } = before
    const { actions: _2, ...is } = after
    if (operation !== 'update' && outcome === before.status) expect(is, 'nothing changed').toEqual(was)
    else
      expect(is).toEqual({
        ...was,
        status: outcome,
        updated_at: service.now().toISOString(),
        last_name: operation === 'update' ? is.last_name : was.last_name,
        deletion_at:
          outcome === 'PENDING_DELETION' ? new Date(service.now().getTime() + 14 * DAY).toISOString() : undefined,
      })
  })

  it('deleting anew after a restore sets a new deadline', async () => {
    const id = await userIn('PENDING_DELETION from LOCKED')
    const first = await get(id)
    later(DAY)
    expect((await action('restoreUser', id)).body.deletion_at).toBeUndefined()
    const { body } = await action('deleteUser', id)
    expect(Date.parse(body.deletion_at) - Date.parse(first.deletion_at)).toBe(DAY)
  })

  it('leaves the table whole', () => audit(service))
})

describe('protected users, oneself, the last administrator, the feature', () => {
  beforeAll(start)
  const self = 'ACTOR_MUST_NOT_CHANGE_ITSELF'
  const not = 'USER_MODIFICATION_NOT_ALLOWED'
  const off = 'FEATURE_NOT_ENABLED'
  type Row = [who: string, operation: string, expected: string, as?: string, featureOff?: true]
  const rows: Row[] = [
    ...['update', 'lock', 'deactivate', 'delete'].map((operation): Row => ['safe', operation, not]),
    ...['update', 'unlock', 'deactivate', 'delete'].map((operation): Row => ['safe-locked', operation, not]),
    ...['lock', 'deactivate', 'delete'].flatMap((operation): Row[] => [
      ['root', operation, self, 'root'],
      ['admin', operation, self, 'admin'],
      ['admin', operation, not, 'root'],
    ]),
    ['admin', 'update', 'ACTIVE', 'admin'],
    ['admin', 'unlock', 'ACTIVE', 'admin'],
    ['admin', 'restore', 'USER_NOT_RESTORABLE', 'admin'],
    ['root', 'update', not, 'root'],
    ['root', 'delete', not, 'admin'],
    ['safe-deactivated', 'reactivate', not],
    ['safe', 'reactivate', not],
    ['idle', 'reactivate', 'ACTIVE', 'root', true],
    ['nobody', 'reactivate', 'USER_NOT_FOUND'],
    ['nobody', 'lock', 'USER_NOT_FOUND'],
    ['nobody', 'restore', 'USER_NOT_FOUND'],
    ['nobody', 'delete', 'USER_NOT_FOUND'],
    ['nobody', 'update', 'USER_NOT_FOUND'],
    ['nobody', 'deactivate', 'USER_NOT_FOUND'],
    ['nobody', 'deactivate', off, 'root', true],
    ['usual', 'deactivate', off, 'root', true],
    ['root', 'deactivate', off, 'root', true],
    ['admin', 'deactivate', off, 'root', true],
    ['safe', 'deactivate', off, 'root', true],
    ['admin', 'lock', not, 'root', true],
  ]
  const cases = rows.flatMap(([who, operation, expected, as = 'root', featureOff]) =>
    ways
      .filter(([name]) => name === operation)
      .map(([, way, run]) => ({ who, operation, expected, as, featureOff, way, run })),
  )
  it.each(cases)(
    '$who: $operation by $as → $expected ($way)',
    async ({ who, operation, expected, as, featureOff, run }) => {
      const restoreFeature = featureOff ? await switchOff() : undefined
      const before = await get(who, as)
      const { status, body } = await run(who, as)
      expect(body.error_code ?? body.status).toBe(expected)
      if (who !== 'nobody') {
        if (operation in before.actions)
          expect(before.actions[operation].allowed, 'embed=ACTIONS told').toBe(status === 200)
        if (status !== 200) expect(await get(who, as)).toEqual(before)
      }
      await restoreFeature?.()
    },
  )

  async function switchOff(): Promise<() => Promise<void>> {
    const item = (await service.store.get(organisationKey)) as Any
    const features = { ...item.data.features, user_deactivation: false }
    await service.store.bulk([{ put: { ...item, data: { ...item.data, features } } }])
    return () => service.store.bulk([{ put: item }])
  }

  it('the last administrator keeps the role, and may give it up once there is another', async () => {
    const demote = (user_id: string) => call('updateUser', { path: { user_id }, body: { role: 'USER' }, as: 'admin' })
    const demoteInBatch = (id: string) => only('updateUsers', { id, body: { role: 'USER' } }, 'root')
    expect((await demote('admin')).body).toMatchObject({ error_code: not, property: 'role' })
    expect((await demoteInBatch('admin')).body).toMatchObject({ error_code: not, property: 'role' })
    for (const state of ['LOCKED', 'DEACTIVATED', 'PENDING_DELETION from ACTIVE']) await userIn(state, 'ADMIN')
    expect((await demote('admin')).body.error_code).toBe(not)
    const other = await userIn('ACTIVE', 'ADMIN')
    expect((await demote('admin')).body).toMatchObject({ role: 'USER' })
    for (const name of ['lockUser', 'deactivateUser', 'deleteUser'])
      expect((await action(name, other)).body).toMatchObject({ error_code: not, property: 'user_id' })
    await call('updateUser', { path: { user_id: 'admin' }, body: { role: 'ADMIN' }, as: other })
    expect((await demoteInBatch(other)).body).toMatchObject({ role: 'USER' })
  })

  it('an administrator who is reactivated counts again', async () => {
    const other = await userIn('ACTIVE', 'ADMIN')
    expect((await action('deactivateUser', 'admin')).body.status).toBe('DEACTIVATED')
    expect((await action('lockUser', other)).body.error_code).toBe(not)
    expect((await action('reactivateUser', 'admin')).body).toMatchObject({ status: 'ACTIVE', role: 'ADMIN' })
    expect((await action('lockUser', other)).body.status).toBe('LOCKED')
    expect((await action('reactivateUser', other)).body.status).toBe('LOCKED')
  })

  it('a batch that would leave no administrator stops at the last', async () => {
    const other = await userIn('ACTIVE', 'ADMIN')
    const { body } = await call('deleteUsers', { body: { items: [{ id: other }, { id: 'admin' }] }, as: 'root' })
    expect(body.items.map((item: Any) => item.error?.error_code ?? item.body.status)).toEqual(['PENDING_DELETION', not])
    const again = await call('restoreUsers', { body: { items: [{ id: other }] }, as: 'root' })
    const swapped = await call('deleteUsers', { body: { items: [{ id: 'admin' }, { id: other }] }, as: 'root' })
    expect([...again.body.items, ...swapped.body.items].map((item: Any) => item.status)).toEqual([200, 200, 403])
    await call('restoreUser', { path: { user_id: 'admin' }, as: 'root' })
    await call('deleteUser', { path: { user_id: other }, as: 'root' })
  })

  it('an answer tells what is allowed after it, not before', async () => {
    const agree = async ({ body }: Reply) => {
      const { actions } = await get(body.id)
      expect(body.actions).toEqual(actions)
      return actions
    }
    for (const id of ['second', 'third']) {
      const body = { id, username: id, first_name: 'A', last_name: 'B', role: 'ADMIN' }
      expect(
        (await agree(await call('createUser', { body: { ...ordinary, ...body }, as: 'root', query: 'embed=ACTIONS' })))
          .lock.allowed,
      ).toBe(true)
      await agree(await action('lockUser', id))
      expect((await agree(await action('unlockUser', id))).lock.allowed).toBe(true)
      await agree(await action('deleteUser', id))
      expect((await agree(await action('restoreUser', id))).delete.allowed).toBe(true)
      const role = (role: string) =>
        call('updateUser', { path: { user_id: id }, body: { role }, as: 'root', query: 'embed=ACTIONS' })
      await agree(await role('USER'))
      expect((await agree(await role('ADMIN'))).deactivate.allowed).toBe(true)
      await agree(await role('USER'))
    }
  })
})

describe('two administrators against each other at once', () => {
  beforeAll(start)
  const demotion = (id: string) => ({ id, body: { role: 'USER' } })
  const attacks: Record<string, (target: string, as: string) => Promise<Reply>> = {
    lock: (target, as) => action('lockUser', target, as),
    deactivate: (target, as) => action('deactivateUser', target, as),
    delete: (target, as) => action('deleteUser', target, as),
    'delete in a batch': (target, as) => only('deleteUsers', { id: target }, as),
    demote: (user_id, as) => call('updateUser', { path: { user_id }, body: { role: 'USER' }, as }),
    'demote in a batch': (target, as) => only('updateUsers', demotion(target), as),
    'give up': (_target, user_id) => call('updateUser', { path: { user_id }, body: { role: 'USER' }, as: user_id }),
  }
  const names = Object.keys(attacks)
  const pairs = names.flatMap((one, n) => names.slice(n).map((other) => [one, other] as const))
  /** Who is left of two; at first the only administrator there is. */
  let survivor = 'admin'
  const isAdministrator = async (id: string) => {
    const { role, status } = ((await service.store.get(userKey(id))) as Any).data
    return role === 'ADMIN' && status === 'ACTIVE'
  }
  it.each(pairs)('%s against %s: one remains', async (one, other) => {
    const both = [survivor, await userIn('ACTIVE', 'ADMIN')] as const
    const [a, b] = both
    const replies = await Promise.all([attacks[one]?.(b, a), attacks[other]?.(a, b)])
    const left = await Promise.all(both.map(isAdministrator))
    expect(left.filter(Boolean), JSON.stringify(replies.map((reply) => reply?.body))).toHaveLength(1)
    survivor = left[0] ? a : b
    for (const reply of replies)
      expect([undefined, 'USER_MODIFICATION_NOT_ALLOWED', 'ACTOR_NOT_ACTIVE', 'PERMISSION_MISSING']).toContain(
        reply?.body.error_code,
      )
    expect(replies.map((reply) => reply?.status)).toContain(200)
  })

  it('five in a ring, and all by one batch each: one remains', async () => {
    const ring = await administrators()
    expect(ring).toEqual([survivor])
    while (ring.length < 5) ring.push(await userIn('ACTIVE', 'ADMIN'))
    await Promise.all(ring.map((id, n) => action('deleteUser', ring[(n + 1) % ring.length] as string, id)))
    expect((await administrators()).length).toBeGreaterThanOrEqual(1)
    while ((await administrators()).length < 5) await userIn('ACTIVE', 'ADMIN')
    const all = await administrators()
    await Promise.all(all.map((as) => call('updateUsers', { body: { items: all.map(demotion) }, as })))
    expect(await administrators()).toHaveLength(1)
  })

  const administrators = async (): Promise<string[]> => {
    const { body } = await call('listUsers', { query: 'status=ACTIVE&sort=ROLE_ASC&page_limit=100', as: 'root' })
    return body.users.filter(({ role, id }: Any) => role === 'ADMIN' && id !== 'root').map(({ id }: Any) => id)
  }

  it('leaves the table whole', () => audit(service))
})

describe('the end of the window', () => {
  beforeAll(start)
  /** Whatever has removed something by then, nobody can tell. */
  const removers: [string, (deadline: number) => Promise<void>][] = [
    ['nothing has been removed', async () => {}],
    ['TTL has taken the record', (deadline) => expire(deadline, ({ sk }) => sk === 'USER')],
    ['TTL has taken the names', (deadline) => expire(deadline, ({ sk }) => sk !== 'USER')],
    ['TTL has taken all that expires', (deadline) => expire(deadline, () => true)],
    [
      'the purge has run',
      async () => {
        const { store, now: clock } = service
        await purgeUsers({ store, clock, timeLeft: () => 60_000, log: () => {} })
      },
    ],
  ]
  async function expire(deadline: number, which: (item: Any) => boolean): Promise<void> {
    for (const item of await dump(service)) {
      if (item.ttl === undefined || Number(item.ttl) * 1000 > deadline || !which(item)) continue
      await service.client.send(new DeleteCommand({ TableName: service.tableName, Key: { pk: item.pk, sk: item.sk } }))
    }
  }

  it.each(removers)('is exact to the millisecond when %s', async (_name, remove) => {
    const id = await userIn('PENDING_DELETION from ACTIVE')
    const { deletion_at, username, external_id } = await get(id)
    const deadline = Date.parse(deletion_at)
    const found = async () =>
      (await call('listUsers', { query: { search_term: id }, as: 'root' })).body.pagination.total_elements
    const body = { id, username, external_id, first_name: 'A', last_name: 'B' }
    const codeOf = ({ body }: Reply): string => body.error_code ?? body.status

    service.setNow(new Date(deadline - 1))
    expect(await found()).toBe(1)
    expect((await get(id)).status).toBe('PENDING_DELETION')
    expect(codeOf(await call('createUser', { body: { ...ordinary, ...body, id: `${id}-x` }, as: 'root' }))).toBe(
      'USERNAME_ALREADY_EXISTS',
    )

    service.setNow(new Date(deadline))
    await remove(deadline)
    expect(await found()).toBe(0)
    expect((await get(id)).error_code).toBe('USER_NOT_FOUND')
    for (const [operation, , run] of ways)
      expect(codeOf(await run(id)), operation).toBe(operation === 'restore' ? 'USER_NOT_RESTORABLE' : 'USER_NOT_FOUND')
    const filters = [{ username }, { external_id }, { search_term: username }]
    for (const query of filters)
      expect((await call('listUsers', { query, as: 'root' })).body.pagination.total_elements).toBe(0)
    expect(codeOf(await call('createUser', { body: { ...ordinary, ...body }, as: 'root' }))).toBe(
      'USER_ID_ALREADY_EXISTS',
    )
    const heir = await call('createUser', { body: { ...ordinary, ...body, id: `${id}-heir` }, as: 'root' })
    expect(heir.status).toBe(201)
    const { store } = service
    await purgeUsers({ store, clock: service.now, timeLeft: () => 60_000, log: () => {} })
    expect(await get(`${id}-heir`)).toMatchObject({ username, external_id })
    expect(codeOf(await call('createUser', { body: { ...ordinary, ...body, id: `${id}-y` }, as: 'root' }))).toBe(
      'USERNAME_ALREADY_EXISTS',
    )
    expect(codeOf(await action('restoreUser', id))).toBe('USER_NOT_RESTORABLE')
    await audit(service)
  })

  it('a restore in its last millisecond holds', async () => {
    const id = await userIn('PENDING_DELETION from DEACTIVATED')
    service.setNow(new Date(Date.parse((await get(id)).deletion_at) - 1))
    expect((await action('restoreUser', id)).body.status).toBe('DEACTIVATED')
    later(30 * DAY)
    await purgeUsers({ store: service.store, clock: service.now, timeLeft: () => 60_000, log: () => {} })
    expect((await get(id)).status).toBe('DEACTIVATED')
  })
})
