import { beforeAll, describe, expect, it } from 'vitest'
import { purgeUsers } from '../../domain/maintenance/purgeUsers.ts'
import { groupItems } from '../../domain/people/records/groupTree.ts'
import { groupList, organisationKey, taskKey } from '../../domain/table/keys.ts'
import { taskTombstone } from '../../domain/tasks/deleteTask.ts'
import { audit, dump } from '../harness/audit.ts'
import { type Any, call, type Reply, type Request } from '../harness/call.ts'
import { betweenReads } from '../harness/meanwhile.ts'
import { groupRecord, people } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'
import { countWrites } from '../harness/writes.ts'
import * as w from './work.ts'

let service: Service
let writes: () => number
beforeAll(async () => {
  service = await startService({
    users: [
      ...people,
      ...['author', 'ann', 'bob', 'cid', 'dee'].map((id) => ({ id, first_name: id, last_name: `${id}son` })),
      { id: 'locked', status: 'LOCKED' },
      ...Array.from({ length: 101 }, (_, n) => ({ id: `r-${n}`, last_name: `R${n}` })),
    ],
  })
  writes = countWrites(service)
})

const codeOf = ({ status, body }: Reply) => [status, body?.error_code]
const statusOf = async (task: string, user: string) =>
  ((await service.store.get({ pk: `USER#${user}`, sk: `TA#${task}` }))?.data as Any)?.progress_status

describe('progress: state × operation × caller', () => {
  const operations = ['finishTaskAssignment', 'openTaskAssignment', 'getTask', 'deleteTaskAssignment'] as const
  const after = {
    finishTaskAssignment: { NEW: 'FINISHED', OPEN: 'FINISHED', FINISHED: 'FINISHED' },
    openTaskAssignment: { NEW: 'NEW', OPEN: 'OPEN', FINISHED: 'OPEN' },
    getTask: { NEW: 'OPEN', OPEN: 'OPEN', FINISHED: 'FINISHED' },
    deleteTaskAssignment: { NEW: undefined, OPEN: undefined, FINISHED: undefined },
  } as const
  const states = ['NEW', 'OPEN', 'FINISHED'] as const
  const callers = [
    'recipient',
    'author',
    'author and recipient',
    'another recipient',
    'other user',
    'administrator',
  ] as const
  const cases = operations.flatMap((operation) =>
    states.flatMap((state) => callers.map((caller) => [operation, state, caller] as const)),
  )
  let serial = 0

  it.each(cases)('%s on %s by %s', async (operation, state, caller) => {
    const id = `s-${++serial}`
    const recipient = caller === 'author and recipient' ? 'author' : 'ann'
    await w.newTask(service.store, { id }, { [recipient]: state, bob: 'NEW' })
    const as = {
      recipient: 'ann',
      author: 'author',
      'author and recipient': 'author',
      'another recipient': 'bob',
      'other user': 'cid',
      administrator: 'admin',
    }[caller]
    const path = operation === 'getTask' ? { task_id: id } : { assignment_id: w.idOf(id, recipient) }
    const before = writes()
    const reply = await call(operation, { path, as })
    const isAuthor = as === 'author'
    const isRecipient = as === recipient
    const allowed =
      operation === 'getTask'
        ? isAuthor || isRecipient || as === 'bob'
        : operation === 'deleteTaskAssignment'
          ? isAuthor
          : isRecipient
    if (!allowed) {
      expect(codeOf(reply)).toEqual([404, operation === 'getTask' ? 'TASK_NOT_FOUND' : 'TASK_ASSIGNMENT_NOT_FOUND'])
      expect(writes()).toBe(before)
      expect(await statusOf(id, recipient)).toBe(state)
    } else {
      expect(reply.status).toBe(operation === 'deleteTaskAssignment' ? 204 : 200)
      const acts = operation !== 'getTask' || isRecipient
      const expected = acts ? after[operation][state] : state
      expect(await statusOf(id, recipient)).toBe(expected)
      if (expected === state && as !== 'bob') expect(writes()).toBe(before)
      if (reply.body?.recipient === null) expect(reply.body.progress_status).toBe(expected)
    }
    expect((await w.summary(id))[0]).toBe(operation === 'deleteTaskAssignment' && allowed ? 1 : 2)
  })

  it('answers the assignment and what kind of task it is for the caller', async () => {
    await w.newTask(service.store, { id: 'shown', due_at: { due_at_type: 'DATE', date: '2026-12-01' } }, { ann: 'NEW' })
    const { body } = await w.finish('shown', 'ann')
    expect(body).toEqual({
      id: 'shown~ann',
      task_id: 'shown',
      user_id: 'ann',
      progress_status: 'FINISHED',
      created_at: '2026-10-01T00:00:00.000Z',
      updated_at: '2026-11-21T09:00:00.000Z',
      recipient: null,
      task: {
        id: 'shown',
        external_id: null,
        title: 'Task shown',
        body: { plain: 'Do it', html: '<p>Do it</p>' },
        author_id: 'author',
        due_at: { due_at_type: 'DATE', date: '2026-12-01' },
        distribution_kind: 'RECEIVED',
        created_at: '2026-10-01T00:00:00.000Z',
        updated_at: '2026-10-01T00:00:00.000Z',
      },
    })
    service.setNow('2026-11-22T09:00:00.000Z')
    expect((await w.finish('shown', 'ann')).body).toEqual(body)
    expect((await w.open('shown', 'ann')).body.updated_at).toBe('2026-11-22T09:00:00.000Z')
    const { body: read } = await call('getTask', {
      path: { task_id: 'shown' },
      query: 'body_format=HTML',
      as: 'author',
    })
    expect(read).toMatchObject({
      body: { html: '<p>Do it</p>' },
      distribution_kind: 'DISTRIBUTED',
      progress_status: 'OPEN',
    })
    expect(w.numbers(read.assignment_summary)).toEqual([1, 0, 1, 0])
    expect((await w.read('shown', 'ann')).body).not.toHaveProperty('assignment_summary')
  })

  it('names what is not there', async () => {
    for (const assignment_id of ['nothing', 'nothing~ann', 'a~b~ann', 'a,b~ann', 'nothing,ann', '~ann', ',ann'])
      for (const name of ['finishTaskAssignment', 'openTaskAssignment', 'deleteTaskAssignment']) {
        const reply = await call(name, { path: { assignment_id }, as: 'ann' })
        expect(codeOf(reply)).toEqual(
          /^[~,]/.test(assignment_id) ? [400, 'VALIDATION_ERROR'] : [404, 'TASK_ASSIGNMENT_NOT_FOUND'],
        )
      }
    expect((await call('finishTaskAssignment', { path: { assignment_id: 'batch' }, as: 'ann' })).status).toBe(400)
    await w.newTask(service.store, { id: 'vanished' }, { ann: 'NEW' })
    const item = (await service.store.get(taskKey('vanished'))) as Any
    // Its deletion has gone so far, and no further.
    await service.store.bulk([{ delete: taskKey('vanished') }, { put: taskTombstone(item.data, item.data.created_at) }])
    expect(codeOf(await w.finish('vanished', 'ann'))).toEqual([404, 'TASK_NOT_FOUND'])
    expect(codeOf(await w.removeOne('vanished', 'ann', 'ann'))).toEqual([404, 'TASK_NOT_FOUND'])
    expect(codeOf(await w.removeOne('vanished', 'ann', 'author'))).toEqual([404, 'TASK_NOT_FOUND'])
    expect(codeOf(await w.removeOne('vanished', 'ann', 'bob'))).toEqual([404, 'TASK_ASSIGNMENT_NOT_FOUND'])
    await service.store.bulk([{ put: item }])
  })
})

describe('recipients', () => {
  it('are added once, whatever they are by then', async () => {
    await w.newTask(service.store, { id: 'one' }, { ann: 'FINISHED' })
    const added = await w.add('one', 'bob')
    expect([added.status, ...w.numbers(added.body)]).toEqual([201, 2, 1, 0, 1])
    await call('lockUser', { path: { user_id: 'bob' } })
    const again = await w.add('one', 'bob')
    expect([again.status, ...w.numbers(again.body)]).toEqual([200, 2, 1, 0, 1])
    await call('unlockUser', { path: { user_id: 'bob' } })
    expect((await w.add('one', 'author')).status).toBe(201)
  })

  it.each<[string, Any, string, string, number]>([
    ['author', { id: 'nobody', type: 'USER' }, 'UNKNOWN_USER_ID', 'recipient.id', 400],
    ['author', { id: 'x'.repeat(255), type: 'USER' }, 'UNKNOWN_USER_ID', 'recipient.id', 400],
    ['author', { id: 'locked', type: 'USER' }, 'UNKNOWN_USER_ID', 'recipient.id', 400],
    ['author', { id: 'nowhere', type: 'CHANNEL' }, 'UNKNOWN_CHANNEL_ID', 'recipient.id', 400],
    ['author', { id: 'closed', type: 'CHANNEL' }, 'UNKNOWN_CHANNEL_ID', 'recipient.id', 400],
    ['author', { id: 'foreign', type: 'CHANNEL' }, 'NOT_ADMIN_OF_CHANNEL', 'recipient.id', 403],
    ['author', { id: 'ann', type: 'GROUP' }, 'VALIDATION_ERROR', 'recipient.type', 400],
    ['author', { id: 'ann' }, 'VALIDATION_ERROR', 'recipient.type', 400],
    ['ann', { id: 'nobody', type: 'USER' }, 'TASK_NOT_FOUND', 'task_id', 404],
    ['admin', { id: 'nobody', type: 'CHANNEL' }, 'TASK_NOT_FOUND', 'task_id', 404],
  ])('by %s: %j is refused with %s', async (as, recipient, code, property, status) => {
    if (!(await service.store.get({ pk: 'CHANNEL#closed', sk: 'CHANNEL' }))) {
      await w.newTask(service.store, { id: 'refusing' }, { ann: 'NEW' })
      await w.newChannel(service.store, 'closed', { owner: 'author', status: 'ARCHIVED' })
      await w.newChannel(service.store, 'foreign', { owner: 'ann' })
    }
    const before = writes()
    const reply = await call('addTaskRecipient', { path: { task_id: 'refusing' }, body: { recipient }, as })
    expect([...codeOf(reply), reply.body.property]).toEqual([status, code, property])
    expect(writes()).toBe(before)
  })

  it.each(['creation', 'addition'])('are not users that only a lagging index shows as members: %s', async (how) => {
    const [left, stayed, news] = [`left-${how}`, `stayed-${how}`, `news-${how}`]
    for (const id of [left, stayed]) await w.newUser(id)
    await call('createGroupAssignment', { path: { group_id: 'sales' }, body: { user_id: stayed, role_id: 'coach' } })
    await w.newChannel(service.store, news, { owner: 'author', groups: ['sales'] })
    await w.newTask(service.store, { id: how }, { ann: 'NEW' })
    // A row without the assignment that it stood for.
    const row = { pk: `USER#${left}`, sk: 'ROW', list: groupList('sales', 'coach'), by_last_name: `0${left}` }
    await service.store.bulk([{ put: row }])
    const recipients = [{ id: news, type: 'CHANNEL' }]
    const { status, body } =
      how === 'addition'
        ? await w.add(how, news, 'CHANNEL')
        : await call('createTask', { body: { title: 'T', recipients }, as: 'author' })
    await service.store.bulk([{ delete: { pk: row.pk, sk: row.sk } }])
    expect(status).toBe(201)
    const has = async (user: string) => (await statusOf(how === 'addition' ? how : body.id, user)) !== undefined
    expect([await has(stayed), await has(left)]).toEqual([true, false])
  })

  it('come a hundred at a time: 30 are there, 5 repeated; then with one unknown', async () => {
    const ids = Array.from({ length: 95 }, (_, n) => `r-${n}`)
    await w.newTask(service.store, { id: 'many' }, Object.fromEntries(ids.slice(0, 30).map((id) => [id, 'OPEN'])))
    const mixed = [
      ...ids.slice(0, 90).map((id, n) => (n % 2 ? id : { id, type: 'USER' })),
      ...ids.slice(90),
      ...ids.slice(40, 45),
    ]
    expect(mixed).toHaveLength(100)
    const reply = await w.addMany('many', mixed)
    expect([reply.status, ...w.numbers(reply.body)]).toEqual([201, 95, 65, 30, 0])
    expect((await w.addMany('many', mixed)).status).toBe(200)
    const before = writes()
    const refused = await w.addMany('many', ['r-96', 'r-97', 'nobody', 'r-98'])
    expect([...codeOf(refused), refused.body.property]).toEqual([400, 'UNKNOWN_USER_ID', 'user_ids.2'])
    expect(writes()).toBe(before)
    expect(codeOf(await w.addMany('many', ['r-96', 'locked']))).toEqual([400, 'UNKNOWN_USER_ID'])
    expect(codeOf(await w.addMany('many', ['r-96'], 'ann'))).toEqual([404, 'TASK_NOT_FOUND'])
    for (const user_ids of [
      [],
      Array(101).fill('ann'),
      [''],
      [7],
      [{}],
      [{ id: 'ann', type: 'CHANNEL' }],
      [{ id: 'ann', x: 1 }],
      null,
    ])
      expect(codeOf(await w.addMany('many', user_ids as never)), JSON.stringify(user_ids)).toEqual([
        400,
        'VALIDATION_ERROR',
      ])
  })

  it('are taken away all together or not at all', async () => {
    await w.newTask(service.store, { id: 'less' }, { ann: 'NEW', bob: 'OPEN', cid: 'FINISHED', dee: 'FINISHED' })
    const ids = (...users: string[]) => users.map((user) => w.idOf('less', user))
    const remove = (assignment_ids: unknown, as = 'author') =>
      call('deleteTaskAssignments', { path: { task_id: 'less' }, body: { assignment_ids }, as } as Request)
    const before = writes()
    expect(codeOf(await remove([...ids('ann', 'bob', 'cid', 'dee'), 'less,nobody']))).toEqual([
      400,
      'UNKNOWN_TASK_ASSIGNMENT_ID',
    ])
    expect(codeOf(await remove(['shown,ann']))).toEqual([400, 'UNKNOWN_TASK_ASSIGNMENT_ID'])
    expect(codeOf(await remove(ids('ann', 'bob', 'cid', 'dee')))).toEqual([
      409,
      'TASK_ASSIGNMENTS_LOWER_LIMIT_VIOLATION',
    ])
    expect(codeOf(await remove(ids('ann'), 'ann'))).toEqual([404, 'TASK_NOT_FOUND'])
    for (const wrong of [[], Array(101).fill('less,ann'), [{ id: 'less,ann', type: 'USER' }], 'less,ann'])
      expect(codeOf(await remove(wrong))).toEqual([400, 'VALIDATION_ERROR'])
    expect(writes()).toBe(before)
    const reply = await remove([...ids('ann', 'cid', 'ann'), 'less,ann', { id: 'less,dee' }, { id: 'less~dee' }])
    expect([reply.status, ...w.numbers(reply.body)]).toEqual([200, 1, 0, 1, 0])
    expect(codeOf(await w.removeOne('less', 'bob'))).toEqual([409, 'TASK_ASSIGNMENTS_LOWER_LIMIT_VIOLATION'])
    expect((await w.add('less', 'ann')).body.total).toBe(2)
  })
})

describe('a channel', () => {
  it('becomes one assignment per active member, its author excepted', async () => {
    const created_at = '2026-01-01T00:00:00.000Z'
    const group = (id: string) =>
      groupItems({
        id,
        external_id: null,
        title: [],
        description: [],
        type: 'CUSTOM',
        status: 'ACTIVE',
        parent_id: 'root',
        created_at,
        updated_at: created_at,
      })
    await service.store.bulk([...group('crew'), ...group('old')].map((put) => ({ put })))
    await call('archiveGroup', { path: { group_id: 'old' } })
    for (const user of ['ann', 'bob', 'author', 'locked'])
      await call('createGroupAssignment', { path: { group_id: 'crew' }, body: { user_id: user, role_id: 'coach' } })
    await w.newUser('leaver', { primary_user_group_id: 'crew' })
    await call('lockUser', { path: { user_id: 'leaver' } })
    await w.newChannel(service.store, 'crew-news', { owner: 'author', groups: ['crew', 'old'] })
    for (const [user, role] of [
      ['ann', 'channel-member'],
      ['cid', 'channel-member'],
      ['cid', 'channel-owner'],
    ] as const)
      await call('createChannelAssignment', {
        path: { channel_id: 'crew-news', user_id: user },
        body: { role_id: role },
      })
    await w.newTask(service.store, { id: 'for-crew' }, { bob: 'OPEN' })
    const reply = await w.add('for-crew', 'crew-news', 'CHANNEL')
    expect([reply.status, ...w.numbers(reply.body)]).toEqual([201, 3, 2, 1, 0])
    expect((await w.add('for-crew', 'crew-news', 'CHANNEL')).status).toBe(200)
    expect(codeOf(await w.add('for-crew', 'crew-news', 'CHANNEL', 'cid'))).toEqual([404, 'TASK_NOT_FOUND'])
    // Who owns it only through a group owns it, too.
    await w.newTask(service.store, { id: 'of-ann', author_id: 'ann' }, { dee: 'NEW' })
    await w.newChannel(service.store, 'by-group', {})
    await service.store.bulk([
      { put: { pk: 'CHANNEL#by-group', sk: 'G#crew', data: { group_id: 'crew', role_id: 'channel-owner' } } },
    ])
    expect(w.numbers((await w.add('of-ann', 'by-group', 'CHANNEL', 'ann')).body)).toEqual([3, 3, 0, 0])
  })
})

describe('the feature', () => {
  it('switched off closes everything here', async () => {
    const item = (await service.store.get(organisationKey)) as Any
    await service.store.bulk([{ put: { ...item, data: { ...item.data, features: { tasks: false } } } }])
    for (const reply of [
      await w.finish('one', 'ann'),
      await w.read('one', 'author'),
      await w.add('one', 'cid'),
      await w.removeMany('one', ['ann']),
    ])
      expect(codeOf(reply)).toEqual([403, 'FEATURE_DISABLED'])
    await service.store.bulk([{ put: item }])
  })
})

describe('the life of users', () => {
  const purge = () => purgeUsers({ store: service.store, clock: service.now, timeLeft: () => 60_000, log: () => {} })

  it('leaves their assignments where they are; after the end without any name', async () => {
    service.setNow('2026-11-21T09:00:00.000Z')
    await w.newUser('eve', { first_name: 'Eve', last_name: 'Aaaa' })
    await w.newTask(service.store, { id: 'of-life' }, { eve: 'OPEN', bob: 'FINISHED' })
    const shown = async () =>
      (
        await call('listTaskAssignments', { path: { task_id: 'of-life' }, query: { embed: 'USER' }, as: 'author' })
      ).body.assignments.map(({ progress_status, recipient }: Any) => [
        progress_status,
        recipient.first_name,
        recipient.is_deleted,
      ])
    expect(await shown()).toEqual([
      ['OPEN', 'Eve', false],
      ['FINISHED', 'bob', false],
    ])
    for (const name of ['lockUser', 'deleteUser', 'restoreUser']) {
      await call(name, { path: { user_id: 'eve' } })
      expect(await shown()).toEqual([
        ['OPEN', 'Eve', name === 'deleteUser'],
        ['FINISHED', 'bob', false],
      ])
      expect(await w.summary('of-life')).toEqual([2, 0, 1, 1])
    }
    expect(codeOf(await w.finish('of-life', 'eve'))).toEqual([401, 'ACTOR_NOT_ACTIVE'])
    await call('deleteUser', { path: { user_id: 'eve' } })
    service.setNow('2026-12-20T09:00:00.000Z')
    const after = [
      ['FINISHED', 'bob', false],
      ['OPEN', '', true],
    ]
    expect(await shown()).toEqual(after)
    await Promise.all([purge(), purge()])
    await audit(service)
    expect(await shown()).toEqual(after)
    const left = (await dump(service)).filter(({ pk }) => pk === 'USER#eve')
    expect(left.map(({ sk }) => sk)).toEqual(['GONE', 'TA#of-life'])
    expect(JSON.stringify(left).toLowerCase()).not.toContain('aaaa')
    expect(await w.summary('of-life')).toEqual([2, 0, 1, 1])
    expect((await w.removeOne('of-life', 'eve')).status).toBe(204)
  })

  it('takes a new name along to every task', async () => {
    service.setNow('2026-11-21T09:00:00.000Z')
    await w.newUser('zed', { last_name: 'Zzz' })
    await w.newTask(service.store, { id: 'named' }, { zed: 'NEW', bob: 'NEW' })
    await Promise.all([
      call('updateUser', { path: { user_id: 'zed' }, body: { last_name: 'Aaa' } }),
      ...['one', 'many', 'less'].map((id) => w.add(id, 'zed')),
    ])
    // What they get between the rename's read and its write, its noted work takes along.
    await w.later(service)
    const { body } = await call('listTaskAssignments', { path: { task_id: 'named' }, as: 'author' })
    expect(body.assignments.map(({ user_id }: Any) => user_id)).toEqual(['zed', 'bob'])
  })

  it('belongs to who owns it at every moment, though in another way than before', async () => {
    await service.store.bulk(groupItems(groupRecord('owners')).map((put) => ({ put })))
    for (const user_id of ['ann', 'bob'])
      await call('createGroupAssignment', { path: { group_id: 'owners' }, body: { user_id, role_id: 'coach' } })
    await w.newChannel(service.store, 'owned', {})
    await service.store.bulk([
      { put: { pk: 'CHANNEL#owned', sk: 'G#owners', data: { group_id: 'owners', role_id: 'channel-owner' } } },
    ])
    await w.newTask(service.store, { id: 'by-owner', author_id: 'ann' }, { dee: 'NEW' })
    expect((await w.add('by-owner', 'owned', 'CHANNEL', 'ann')).status).toBe(201)
    const asks = (text: string) => (command: string, input: object) =>
      command.startsWith('Query') && JSON.stringify(input).includes(text)
    const reply = await betweenReads(
      service,
      [asks('"USER#ann"'), asks('"CHANNEL#owned"')],
      async () => {
        const path = { channel_id: 'owned', user_id: 'ann' }
        expect((await call('createChannelAssignment', { path, body: { role_id: 'channel-owner' } })).status).toBe(201)
        const detached = await call('deleteChannelGroup', { path: { channel_id: 'owned', user_group_id: 'owners' } })
        expect(detached.status).toBe(204)
      },
      () => w.add('by-owner', 'owned', 'CHANNEL', 'ann'),
    )
    expect(codeOf(reply)).toEqual([200, undefined])
  })
})

// Whatever has become of a task above is still in the table.
it('leaves the table whole', () => audit(service))
