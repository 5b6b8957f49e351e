import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { contracts } from '../../schemas/contracts.ts'
import { dump } from '../harness/audit.ts'
import { type Any, call, type Reply, type Request } from '../harness/call.ts'
import { type StoreFault, strike, withoutWaits } from '../harness/faults.ts'
import { people } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'
import { tokenFor } from '../harness/tokens.ts'
import { later } from '../rules/rules.ts'
import { changes, others, prepare, undoer } from './changes.ts'

/** More than come with a task. */
const crowd = Array.from({ length: 60 }, (_, n) => ({ id: `r${n}`, username: `r${n}` }))

let service: Service
let undone: () => Promise<string[]>
beforeAll(async () => {
  service = await startService({
    features: { user_deactivation: true },
    users: [...people, ...others, ...crowd],
    indexes: ['by_id'],
  })
  await prepare()
  undone = await undoer(service)
})
afterEach(() => undone())

const keyed = (name: string, request: Request = {}, key = 'k-1') =>
  call(name, { ...request, headers: { ...request.headers, 'idempotency-key': key } })
const outcome = ({ status, body }: Reply) => [status, body?.error_code]
const isReplayed = ({ headers }: Reply) => headers['idempotency-replayed'] === 'true'
const keysStored = async () => (await dump(service)).filter(({ pk }) => pk.startsWith('KEY#'))
const counted = async () => (await dump(service)).filter(({ sk }) => ['TASK', 'ROLE', 'USER'].includes(sk)).length

/** Lets the next read find no keys, as if they were written right after it. */
function hideKeysOnce({ client, tableName }: Service): () => void {
  let isHidden = false
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const answer = await next(args)
        const found = commandName === 'BatchGetItemCommand' && !isHidden && (answer.output as Any).Responses
        if (!found) return answer
        isHidden = true
        found[tableName] = found[tableName].filter(({ pk }: Any) => !String(pk.S ?? pk).startsWith('KEY#'))
        return answer
      },
    { step: 'finalizeRequest', priority: 'low', name: 'hideKeys', override: true },
  )
  return () => client.middlewareStack.remove('hideKeys')
}

const news = { channel_id: 'news' }
/** What ends a record that a change of changes.ts has created. A group is archived first. */
const endings: Record<string, [name: string, path: Record<string, string>]> = {
  createRole: ['deleteRole', { role_id: 'new' }],
  createGroup: ['deleteGroup', { group_id: 'new' }],
  createRule: ['deleteRule', { rule_id: 'new' }],
  createTask: ['deleteTask', { task_id: 'new' }],
  createAttributeDefinition: ['deleteAttributeDefinition', { definition_id: 'new' }],
  createChannelGroup: ['deleteChannelGroup', { ...news, user_group_id: 'sales' }],
  createGroupAssignment: ['deleteGroupAssignment', { group_id: 'team', user_id: 'plain', role_id: 'coach' }],
  createChannelAssignment: ['deleteChannelAssignment', { ...news, user_id: 'plain', role_id: 'channel-member' }],
}
const repeatable = Object.values(contracts).filter((one) => one.repeatable)

describe.each(repeatable.map(({ name, repeatable }) => [name, repeatable] as const))('%s', (name, gone) => {
  it('with a key creates one record, and a repetition answers it as it is now', async () => {
    const request = changes[name] as Request
    const first = await keyed(name, request)
    expect([first.status, isReplayed(first)]).toEqual([201, false])
    const after = await undoer(service)
    const again = await keyed(name, request)
    expect([again.status, isReplayed(again), again.headers['location']]).toEqual([201, true, first.headers['location']])
    expect([again.body, again.headers['etag']?.split('.')[0]]).toEqual([
      first.body,
      first.headers['etag']?.split('.')[0],
    ])
    const other = await keyed(name, { ...request, body: { ...(request.body as object), ...different[name] } })
    expect(outcome(other)).toEqual([422, 'IDEMPOTENCY_KEY_REUSED'])
    expect(await after(), 'what repetitions change').toEqual([])

    if (name === 'createGroup') await call('archiveGroup', { path: { group_id: 'new' } })
    const [ending, path] = endings[name] ?? []
    if (!ending) return
    expect((await call(ending, { path: path as Record<string, string> })).status).toBeLessThan(300)
    // The first rule waits, and so does its deletion.
    if (name === 'createRule') await later(service)
    expect((await keyed(name, request)).body.error_code).toBe(gone)
  })
})

/** Another valid body for the same operation. */
const different: Record<string, object> = {
  createUser: { last_name: 'Other' },
  createRole: { id: 'other' },
  createGroup: { id: 'other' },
  createRule: { id: 'other' },
  createChannel: { id: 'other' },
  createTask: { id: 'other' },
  createAttributeDefinition: { technical_name: 'other' },
  createChannelGroup: { user_group_id: 'all-users' },
  createGroupAssignment: { user_id: 'cid' },
  createChannelAssignment: { role_id: 'channel-owner' },
  createPlan: { title: 'Other' },
}
const role: Request = { body: { title: [{ language: 'en-GB', text: 'Helper' }], scope: 'CHANNELS' } }

describe('a key', () => {
  it('is good for 24 hours, and stored without body and names', async () => {
    const first = await keyed('createRole', role)
    const [item, ...more] = await keysStored()
    expect([more, Object.keys(item ?? {}).sort()]).toEqual([
      [],
      ['pk', 'print', 'record', 'sk', 'status', 'ttl', 'until'],
    ])
    expect(item).toMatchObject({ record: first.body.id, status: 201, ttl: Date.parse(String(item?.['until'])) / 1000 })
    const began = service.now()
    service.setNow(new Date(began.getTime() + 86_399_999))
    expect((await keyed('createRole', role)).body.id).toBe(first.body.id)
    service.setNow(new Date(began.getTime() + 86_400_000))
    const later = await keyed('createRole', role)
    expect([later.status, isReplayed(later), later.body.id === first.body.id]).toEqual([201, false, false])
    expect((await keyed('createRole', role)).body.id).toBe(later.body.id)
    service.setNow(began)
  })

  it('is of one caller and one operation', async () => {
    const ids = [
      (await keyed('createRole', role)).body.id,
      (await keyed('createRole', { ...role, as: 'admin-2' })).body.id,
      (await keyed('createChannel', { body: { title: (role.body as Any).title } })).body.id,
    ]
    expect(new Set(ids).size).toBe(3)
  })

  it('stays free after a call that has created nothing', async () => {
    expect(outcome(await keyed('createRole', { body: { ...(role.body as object), id: 'mentor' } }))[0]).toBe(409)
    expect((await keyed('createRole', role)).status).toBe(201)
    await call('createUser', changes['createUser'])
    expect((await keyed('createUser', changes['createUser'])).status).toBe(200)
    const other = {
      ...changes['createUser'],
      body: { ...(changes['createUser']?.body as object), id: 'n2', username: 'n2' },
    }
    expect((await keyed('createUser', other)).status).toBe(201)
  })

  it('does not spare a call its checks', async () => {
    const request = { ...changes['createTask'], as: 'plain' }
    expect((await keyed('createTask', request)).status).toBe(201)
    const bad = { ...request, body: { ...(request.body as object), colour: 1 } }
    expect(outcome(await keyed('createTask', bad))).toEqual([400, 'VALIDATION_ERROR'])
    await call('updateOrganisationSettings', { body: { features: { tasks: false } } })
    expect(outcome(await keyed('createTask', request))).toEqual([403, 'FEATURE_DISABLED'])
    await call('updateOrganisationSettings', { body: { features: { tasks: true } } })
    await call('lockUser', { path: { user_id: 'plain' } })
    expect(outcome(await keyed('createTask', request))).toEqual([401, 'ACTOR_NOT_ACTIVE'])
    expect(outcome(await keyed('createTask', { ...request, token: tokenFor('nobody') }))[0]).toBe(401)
  })

  it('is compared without spaces that do not count, order and query', async () => {
    const { body } = changes['createUser'] as Any
    const first = await keyed('createUser', { body })
    const turned = Object.fromEntries(Object.entries({ ...body, last_name: ` ${body.last_name} ` }).reverse())
    const again = await keyed('createUser', { body: turned, query: { embed: 'ACTIONS' } })
    expect([isReplayed(again), again.body]).toEqual([true, { ...first.body, actions: expect.any(Object) }])
  })

  it('shows a change since, and does not open a task', async () => {
    await keyed('createUser', changes['createUser'])
    await call('lockUser', { path: { user_id: 'new' } })
    expect((await keyed('createUser', changes['createUser'])).body.status).toBe('LOCKED')
    const task = { body: { title: 'Own', recipients: [{ id: 'admin', type: 'USER' }] } }
    const { body } = await keyed('createTask', task)
    expect((await keyed('createTask', task)).body).toEqual(body)
    expect(body.assignment_summary.items[0]).toEqual({ status: 'NEW', count: 1 })
  })

  it.each(['', ' '.repeat(256), 'kä', 'k\u007f', 'k\n'])('is refused as %j', async (key) => {
    const { status, body } = await keyed('createRole', role, key)
    expect([status, body.property]).toEqual([400, 'idempotency-key'])
  })

  it('does not fail on a body that is nested without end', async () => {
    const settings = `${'{"a":'.repeat(50_000)}1${'}'.repeat(50_000)}`
    const rawBody = `{"title":"Deep","recipients":[{"id":"bob","type":"USER"}],"settings":${settings}}`
    expect(outcome(await keyed('createTask', { rawBody }))).toEqual([400, 'VALIDATION_ERROR'])
  })

  it('of any form has no effect on what is safe to repeat', async () => {
    for (const name of ['lockUser', 'addTaskRecipient', 'createGroupAssignments'])
      for (const status of [0, 1])
        expect([name, status, (await keyed(name, changes[name], 'ä')).status < 300]).toEqual([name, status, true])
    expect(await keysStored()).toEqual([])
  })

  it('fits into the transaction of a task for any number', async () => {
    for (const count of [47, 48, 49, 50]) {
      const recipients = crowd.slice(0, count).map(({ id }) => ({ id, type: 'USER' }))
      const body = { title: 'Many', external_id: `for-${count}`, recipients }
      const { body: created } = await keyed('createTask', { body }, `k-${count}`)
      expect([created.assignment_summary?.total, created.distribution]).toEqual([
        count,
        { state: 'DONE', total: count, done: count },
      ])
    }
  })

  it('costs no wave more', async () => {
    const waves = async (run: () => Promise<Reply>) => {
      service.measured()
      const { status } = await run()
      return [status, service.measured()[0]?.DatabaseRounds]
    }
    for (const name of ['createUser', 'createTask', 'createGroupAssignment']) {
      const plain = await waves(() => call(name, changes[name]))
      await undone()
      expect([name, await waves(() => keyed(name, changes[name]))]).toEqual([name, plain])
      expect([name, await waves(() => keyed(name, changes[name]))]).toEqual([name, [201, expect.any(Number)]])
      await undone()
    }
  })
})

describe('a repetition', () => {
  const task = { body: { title: 'Once', recipients: [{ id: 'bob', type: 'USER' }] } }

  it.each([
    ['createTask', task],
    ['createUser', { body: { username: 'once', first_name: 'A', last_name: 'B', role: 'USER', status: 'ACTIVE' } }],
  ] as [string, Request][])('20 of %s at the same time create one record', async (name, request) => {
    const before = await counted()
    const replies = await Promise.all(Array.from({ length: 20 }, () => keyed(name, request)))
    expect(new Set(replies.map(({ status, body }) => `${status} ${body.id}`)).size).toBe(1)
    expect([replies.filter((one) => !isReplayed(one)).length, await counted()]).toEqual([1, before + 1])
  })

  it.each(['createGroupAssignment', 'createChannelAssignment'])(
    'of %s that sees the record before its key is reported as one',
    async (name) => {
      const request = changes[name] as Request
      await keyed(name, request)
      const undoHiding = hideKeysOnce(service)
      const again = await keyed(name, request).finally(undoHiding)
      expect([again.status, isReplayed(again)]).toEqual([201, true])
    },
  )

  const large = { body: { title: 'Many', recipients: crowd.map(({ id }) => ({ id, type: 'USER' })) } }
  const faults: [what: string, fault: (nth: number, isWrite: boolean) => StoreFault | undefined][] = [
    ['was lost', (nth, isWrite) => (isWrite ? (nth === 1 ? 'lostAnswer' : 'throttle') : undefined)],
    ['was not sent, as the process died', (nth, isWrite) => (isWrite && nth === 1 ? 'death' : undefined)],
  ]
  it.each(faults)('of a task whose answer %s creates one', async (_what, fault) => {
    for (const [request, key] of [
      [task, 'small'],
      [large, 'large'],
    ] as [Request, string][]) {
      const before = await counted()
      let writes = 0
      const { heal } = strike(service.client, (_n, command) => {
        const isWrite = command.startsWith('TransactWrite')
        if (isWrite) writes++
        return fault(writes, isWrite)
      })
      const lost = await withoutWaits(() => keyed('createTask', request, key)).finally(heal)
      expect(lost.status).toBeGreaterThanOrEqual(500)
      const again = await keyed('createTask', request, key)
      expect([again.status, isReplayed(again), await counted()]).toEqual([201, true, before + 1])
    }
  })

  it('while the first call is at work comes back later', async () => {
    const { heal } = strike(service.client, (_n, command) =>
      command.startsWith('TransactWrite') ? 'conflict' : undefined,
    )
    const reply = await withoutWaits(() => keyed('createRole', role)).finally(heal)
    expect([...outcome(reply), reply.headers['retry-after']]).toEqual([409, 'IDEMPOTENCY_KEY_IN_USE', '2'])
    expect(isReplayed(await keyed('createRole', role))).toBe(false)
  })
})
