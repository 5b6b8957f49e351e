import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { audit } from '../harness/audit.ts'
import { type Any, call, type Reply } from '../harness/call.ts'
import { runs } from '../harness/runs.ts'
import { type Service, startService } from '../harness/service.ts'

const users = [
  { id: 'root', role: 'ADMIN' as const, protected: true },
  { id: 'boss', role: 'ADMIN' as const },
  { id: 'deputy', role: 'ADMIN' as const },
  { id: 'u1', external_id: 'E1' },
  { id: 'u2', external_id: 'E2' },
  { id: 'u3', status: 'LOCKED' as const },
  { id: 'u4', role: 'ADMIN' as const, status: 'DEACTIVATED' as const },
  { id: 'safe', protected: true },
]

// A batch equals its single calls --------------------------------------------------------------------------------

const id = fc.constantFrom('u1', 'u1', 'u2', 'u2', 'u3', 'u4', 'boss', 'deputy', 'safe', 'nobody', 'batch', '!')
const body = fc.oneof(
  fc.constantFrom('u1', 'U2', 'boss', 'new', 'NEW', 'x').map((username) => ({ username })),
  fc.constantFrom('E1', 'E2', 'e1', null).map((external_id) => ({ external_id })),
  fc.constantFrom('ADMIN', 'USER', 'USER').map((role) => ({ role })),
  fc.constantFrom('sales', 'all-users', null, 'archived').map((group) => ({ primary_user_group_id: group })),
  fc.constantFrom(
    { first_name: ' Ann ' },
    { last_name: 'Lee', email: null },
    {},
    { attributes: [{ name: 'note', value: 'x' }] },
  ),
  fc.constantFrom<object>(
    { first_name: '' },
    { nick: 1 },
    { last_name: 'x'.repeat(65), status: 'ACTIVE' },
    { attributes: [{ name: 'unheard_of' }], tags: [{}] },
    [],
  ),
)
const merged = fc.tuple(body, body).map(([one, other]) => (Array.isArray(one) ? one : { ...one, ...other }))
type Step = { name: string; items: { id: string; body?: object }[]; actor: string }
const step: fc.Arbitrary<Step> = fc.record({
  name: fc.constantFrom('updateUsers', 'updateUsers', 'deleteUsers', 'restoreUsers'),
  items: fc.array(fc.record({ id, body: fc.oneof(body, merged) }), { minLength: 1, maxLength: 10 }),
  actor: fc.constantFrom('boss', 'boss', 'deputy'),
})

const singles: Record<string, string> = {
  updateUsers: 'updateUser',
  deleteUsers: 'deleteUser',
  restoreUsers: 'restoreUser',
}
const itemsOf = ({ name, items }: Step) => items.map(({ id, body }) => (name === 'updateUsers' ? { id, body } : { id }))

/** What an item or a single call came to; the id is a part of the path there and of the item here. */
function outcome(status: number, body: Any): unknown {
  if (status === 200) return body
  const named = (property: string | undefined) => (property === 'user_id' ? 'id' : property)
  const { error_code, property, errors, detail } = body
  const faults = errors?.map((fault: Any) => ({ ...fault, property: named(fault.property) }))
  return { status, error_code, property: named(property), faults, detail: detail.replace('user_id', 'id') }
}

async function asBatch(one: Step): Promise<unknown[]> {
  const reply = await call(one.name, { body: { items: itemsOf(one) }, query: 'embed=ACTIONS', as: one.actor })
  // A caller without permission gets one refusal; single calls get one each.
  if (reply.status !== 200) return one.items.map(() => outcome(reply.status, reply.body))
  expect(reply.body.items.map(({ id }: Any) => id)).toEqual(one.items.map(({ id }) => id))
  return reply.body.items.map(({ status, body, error }: Any) => outcome(status, body ?? error))
}

async function asSingles(one: Step): Promise<unknown[]> {
  const outcomes: unknown[] = []
  for (const { id, body } of one.items) {
    const path = { user_id: id }
    const { status, body: answer } = await call(singles[one.name] as string, {
      path,
      query: 'embed=ACTIONS',
      as: one.actor,
      ...(one.name === 'updateUsers' ? { body } : {}),
    })
    outcomes.push(outcome(status, answer))
  }
  return outcomes
}

/** Everything of all users, as the protected user sees it. */
async function directory(): Promise<unknown> {
  const { body } = await call('listUsers', { query: 'page_limit=100&sort=USERNAME_ASC', as: 'root' })
  return body
}

describe('a batch equals its single calls', () => {
  it('in status, code, faults and records, whatever it asks for', () =>
    fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 4 }), async (steps) => {
        const seen: { outcomes: unknown[]; directory: unknown }[] = []
        for (const run of [asSingles, asBatch]) {
          const another = await startService({ indexes: ['by_username_or_change'], users })
          const outcomes: unknown[] = []
          for (const one of steps) {
            outcomes.push(await run(one))
            another.setNow(new Date(another.now().getTime() + 3 * 24 * 3600 * 1000))
          }
          seen.push({ outcomes, directory: await directory() })
          await audit(another)
        }
        expect(seen[1]).toEqual(seen[0])
      }),
      { numRuns: runs(8), endOnFailure: true },
    ))
})

// Forms ----------------------------------------------------------------------------------------------------------

describe('a batch', () => {
  let service: Service
  beforeAll(async () => {
    const chief = { id: 'chief', role: 'ADMIN' as const }
    service = await startService({ indexes: ['by_username_or_change'], users: [...users, chief] })
  })
  const batches = Object.keys(singles)
  const send = (name: string, items: unknown, as = 'boss'): Promise<Reply> => call(name, { body: { items }, as })

  it.each([
    ['nothing', undefined, 'items'],
    ['null', null, 'items'],
    ['an object', { 0: { id: 'u1' } }, 'items'],
    ['a text', 'u1', 'items'],
    ['no items', [], 'items'],
    ['101 items', Array.from({ length: 101 }, () => ({ id: 'u1', body: {} })), 'items'],
  ])('of %s is refused as a whole, and nothing is done', async (_name, items, property) => {
    for (const name of batches) {
      const { status, body } = await send(name, items)
      expect([status, body.error_code, body.property]).toEqual([400, 'VALIDATION_ERROR', property])
    }
    const more = await call('deleteUsers', { body: { items: [{ id: 'u1' }], dry_run: true }, as: 'boss' })
    expect([more.status, more.body.property]).toEqual([400, 'dry_run'])
    expect((await call('getUser', { path: { user_id: 'u1' }, as: 'boss' })).body.status).toBe('ACTIVE')
  })

  it.each<[unknown, string | null, string[]]>([
    [null, null, ['item']],
    ['u1', null, ['item']],
    [7, null, ['item']],
    [[{ id: 'u1' }], null, ['item']],
    [{}, null, ['id']],
    [{ id: null }, null, ['id']],
    [{ id: 5 }, null, ['id']],
    [{ id: ['u1'] }, null, ['id']],
    [{ id: '' }, '', ['id']],
    [{ id: 'a b' }, 'a b', ['id']],
    [{ id: 'batch' }, 'batch', ['id']],
    [{ id: '\ud800' }, '\ud800', ['id']],
    [{ id: 'u1', force: true }, 'u1', ['force']],
    [{ user_id: 'u1' }, null, ['id', 'user_id']],
  ])('answers for the item %j in its place: 400 with its faults, id %j', async (item, echoed, properties) => {
    for (const name of batches) {
      const good = name === 'updateUsers' ? { id: 'nobody', body: {} } : { id: 'nobody' }
      const { status, body } = await send(name, [good, item, good])
      expect([status, body.items.map((one: Any) => one.status)]).toEqual([200, [404, 400, 404]])
      const { id, error } = body.items[1]
      expect([id, error.error_code]).toEqual([echoed, 'VALIDATION_ERROR'])
      const told = error.errors.map((fault: Any) => fault.property).filter((one: string) => one !== 'body')
      expect([...new Set(told)].sort()).toEqual(properties)
    }
  })

  it.each<[object, string]>([
    [{ id: 'u1' }, 'body'],
    [{ id: 'u1', body: null }, 'body'],
    [{ id: 'u1', body: [] }, 'body'],
    [{ id: 'u1', body: 'x' }, 'body'],
    [{ id: 'u1', body: { first_name: null } }, 'first_name'],
  ])('of updates answers for %j: 400 %s', async (item, property) => {
    const { body } = await send('updateUsers', [item])
    expect(body.items[0]).toMatchObject({ id: 'u1', status: 400, error: { error_code: 'VALIDATION_ERROR', property } })
    expect(body.items[0].body).toBeUndefined()
  })

  it('of 40 over a few users does each in its turn', async () => {
    const names = Array.from({ length: 40 }, (_, n) => `Name ${n}`)
    const { body } = await send(
      'updateUsers',
      names.map((first_name, n) => ({ id: ['u1', 'u2', 'u3'][n % 3], body: { first_name } })),
    )
    expect(body.items.map((item: Any) => item.body.first_name)).toEqual(names)
    const last = await Promise.all(
      ['u1', 'u2', 'u3'].map((user_id) => call('getUser', { path: { user_id }, as: 'boss' })),
    )
    expect(last.map((reply) => reply.body.first_name)).toEqual(['Name 39', 'Name 37', 'Name 38'])
  })

  it('does one user again and again: deleted once, the first deadline stays', async () => {
    const { body } = await send('deleteUsers', [{ id: 'u3' }, { id: 'u3' }, { id: 'nobody' }, { id: 'u3' }])
    expect(body.items.map((item: Any) => item.status)).toEqual([200, 200, 404, 200])
    const restored = await send('restoreUsers', [{ id: 'u3' }, { id: 'u3' }])
    expect(restored.body.items.map((item: Any) => item.body?.status ?? item.error.error_code)).toEqual([
      'LOCKED',
      'USER_NOT_RESTORABLE',
    ])
  })

  it('speaks the language asked for, and tells what is allowed when asked', async () => {
    const reply = await call('updateUsers', {
      body: { items: [{ id: 'u1', body: {} }] },
      query: 'embed=ACTIONS',
      headers: { 'accept-language': 'de-DE' },
      as: 'boss',
    })
    expect(reply.headers['content-language']).toBe('de-DE')
    expect(reply.body.items[0].body).toMatchObject({
      primary_user_group: { title: { text: 'Gruppe all-users' } },
      actions: { lock: { allowed: true } },
    })
  })

  it('never deletes its caller, but the others', async () => {
    const { body } = await send('deleteUsers', [{ id: 'u1' }, { id: 'boss' }, { id: 'u2' }])
    expect(body.items.map((item: Any) => item.error?.error_code ?? item.body.status)).toEqual([
      'PENDING_DELETION',
      'ACTOR_MUST_NOT_CHANGE_ITSELF',
      'PENDING_DELETION',
    ])
    await send('restoreUsers', [{ id: 'u1' }, { id: 'u2' }])
  })

  it('in which the caller gives up the role ADMIN ends their rights there', async () => {
    const change = (id: string, n: number) => ({ id, body: { last_name: `L${n}` } })
    const items = [
      change('u1', 1),
      change('u2', 2),
      { id: 'chief', body: { role: 'USER' } },
      change('u1', 3),
      { id: 'u2', body: { nick: 1 } },
      change('nobody', 4),
      change('chief', 5),
    ]
    const { body } = await send('updateUsers', items, 'chief')
    expect(body.items.map((item: Any) => item.error?.error_code ?? item.status)).toEqual([
      200,
      200,
      200,
      ...Array(4).fill('PERMISSION_MISSING'),
    ])
    expect((await call('getUser', { path: { user_id: 'u1' }, as: 'deputy' })).body.last_name).toBe('L1')
    expect((await send('updateUsers', [change('u1', 6)], 'chief')).body.error_code).toBe('PERMISSION_MISSING')
    await audit(service)
  })
})
