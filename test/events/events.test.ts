import { beforeAll, describe, expect, it } from 'vitest'
import { purgeUsers } from '../../domain/maintenance/purgeUsers.ts'
import { audit } from '../harness/audit.ts'
import { type Any, call } from '../harness/call.ts'
import { ordinary } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'

let service: Service
beforeAll(async () => {
  service = await startService({ indexes: ['by_created_at'] })
})

const events = async (query: Record<string, string | number> = {}): Promise<Any[]> =>
  (await call('listEvents', { query })).body.events
const ofUser = async (user_id: string): Promise<Any[]> =>
  (await call('listUserEvents', { path: { user_id }, query: { sort: 'TIME_ASC' } })).body.events
const typesOf = (all: readonly Any[]): string[] => all.map(({ type }) => type)
const userNamed = (id: string, more: object = {}) => ({
  ...ordinary,
  id,
  username: id,
  first_name: 'Eva',
  last_name: 'Ent',
  ...more,
})

describe('a user', () => {
  const path = { user_id: 'eva' }

  it('has an event for each change, which says who did it and what is different', async () => {
    const requestId = '0f8fad5b-d9cb-469f-a165-70867728950e'
    await call('createUser', { body: userNamed('eva'), headers: { 'x-request-id': requestId } })
    await call('updateUser', { path, body: { email: 'eva@example.com', tags: [{ name: 'new' }] }, as: 'admin-2' })
    await call('updateUser', { path, body: { email: 'eva@example.com' } })
    for (const name of ['lockUser', 'lockUser', 'unlockUser', 'deactivateUser', 'reactivateUser'])
      expect((await call(name, { path })).status).toBe(200)
    await call('deleteUser', { path })
    await call('restoreUser', { path })
    const all = await ofUser('eva')
    expect(typesOf(all)).toEqual([
      'user.created',
      'user.updated',
      'user.locked',
      'user.unlocked',
      'user.deactivated',
      'user.reactivated',
      'user.deleted',
      'user.restored',
    ])
    expect(all[0]).toMatchObject({
      time: '2026-11-21T09:00:00.000Z',
      actor: { id: 'admin', kind: 'USER', request_id: requestId, operation: 'createUser' },
      record: { kind: 'user', id: 'eva' },
      previous_id: null,
    })
    expect(all[0].changes).toContainEqual({ field: 'primary_user_group_id', before: null, after: 'all-users' })
    expect(all[1]).toMatchObject({ actor: { id: 'admin-2', operation: 'updateUser' } })
    expect(all[1].changes).toEqual([
      { field: 'email', before: null, after: 'eva@example.com' },
      { field: 'tags', before: [], after: [{ name: 'new' }] },
    ])
    expect(all.map(({ previous_id }) => previous_id)).toEqual([null, ...all.slice(0, -1).map(({ id }) => id)])
    expect(new Set(all.map(({ time }) => time)).size).toBe(all.length)
  })

  it('who is gone: no values are shown from the deadline on, and none are kept after the purge', async () => {
    const [at, path] = [service.now(), { user_id: 'leo' }]
    await call('createUser', { body: userNamed('leo', { email: 'leo@example.com' }) })
    const { deletion_at } = (await call('deleteUser', { path })).body
    const asked = { record_kind: 'user', record_id: 'leo', sort: 'TIME_ASC' }
    expect((await events(asked))[0].changes.length).toBeGreaterThan(5)
    service.setNow(deletion_at)
    expect((await events(asked)).map(({ changes }) => changes)).toEqual([[], []])
    expect((await call('listUserEvents', { path })).body.error_code).toBe('USER_NOT_FOUND')
    const { store, now } = service
    await purgeUsers({ store, clock: now, timeLeft: () => 60_000, log: () => {} })
    const [created, , purged] = await events(asked)
    expect(created).toMatchObject({ type: 'user.created', actor: { id: 'admin' }, changes: [] })
    expect(purged).toMatchObject({
      type: 'user.purged',
      actor: { id: null, kind: 'SYSTEM', request_id: null, operation: 'purge' },
      changes: [],
    })
    const { items } = await store.query({ hash: 'EVENTS#user#leo' })
    expect(JSON.stringify(items)).not.toContain('example.com')
    service.setNow(at)
  })
})

describe('records of every kind', () => {
  const title = [{ language: 'en-GB', text: 'Title' }]
  const other = [{ language: 'en-GB', text: 'Other' }]
  const ada = { actor: { id: 'admin', kind: 'USER', request_id: expect.any(String) } }
  const assigned = { group_id: 'crew', user_id: 'plain', role_id: 'coach' }
  const held = { channel_id: 'news', user_id: 'plain', role_id: 'channel-member' }
  const group = { group_id: 'crew' }
  const [role, channel, task, definition] = [
    { role_id: 'lead' },
    { channel_id: 'news' },
    { task_id: 'visit' },
    { definition_id: 'size' },
  ]
  const attached = { ...channel, user_group_id: 'crew' }
  const plain = { as: 'plain' }
  /** What is called, with what, and the events that it leaves: type, record, fields that are different. */
  const steps: [name: string, request: object, events: [type: string, id: string, fields?: string[]][]][] = [
    ['createGroup', { body: { id: 'crew', title, parent_id: 'root' } }, [['user_group.created', 'crew']]],
    ['updateGroup', { path: group, body: { title: other } }, [['user_group.updated', 'crew', ['title']]]],
    ['updateGroup', { path: group, body: { title: other } }, []],
    [
      'createGroupAssignment',
      { path: group, body: { user_id: 'plain', role_id: 'coach' } },
      [['user_group_assignment.created', 'crew~plain~coach', ['group_id', 'role_id', 'source', 'user_id']]],
    ],
    ['createRole', { body: { id: 'lead', title, scope: 'CHANNELS' } }, [['role.created', 'lead']]],
    ['updateRole', { path: role, body: { assignable: false } }, [['role.updated', 'lead', ['assignable']]]],
    [
      'createChannel',
      { body: { id: 'news', title } },
      [
        ['channel.created', 'news'],
        ['channel_assignment.created', 'news~admin~channel-owner'],
      ],
    ],
    ['updateChannel', { path: channel, body: { title: other } }, [['channel.updated', 'news', ['title']]]],
    [
      'createChannelGroup',
      { path: channel, body: { user_group_id: 'crew' } },
      [['channel_user_group.created', 'news~crew']],
    ],
    ['deleteChannelGroup', { path: attached }, [['channel_user_group.deleted', 'news~crew']]],
    [
      'createChannelGroup',
      { path: channel, body: { user_group_id: 'crew' } },
      [['channel_user_group.created', 'news~crew']],
    ],
    [
      'createChannelAssignment',
      { path: { ...channel, user_id: 'plain' }, body: { role_id: 'channel-member' } },
      [['channel_assignment.created', 'news~plain~channel-member']],
    ],
    ['createChannelAssignment', { path: { ...channel, user_id: 'plain' }, body: { role_id: 'channel-member' } }, []],
    ['deleteChannelAssignment', { path: held }, [['channel_assignment.deleted', 'news~plain~channel-member']]],
    ['archiveChannel', { path: channel }, [['channel.archived', 'news', ['status']]]],
    ['restoreChannel', { path: channel }, [['channel.restored', 'news', ['status']]]],
    [
      'createAttributeDefinition',
      { body: { technical_name: 'size', title, attribute_type: 'TEXT' } },
      [['attribute_definition.created', 'size']],
    ],
    [
      'updateAttributeDefinition',
      { path: definition, body: { attribute_type: 'DATE' } },
      [['attribute_definition.updated', 'size', ['attribute_type']]],
    ],
    ['deleteAttributeDefinition', { path: definition }, [['attribute_definition.deleted', 'size']]],
    [
      'createAttributeDefinition',
      { body: { technical_name: 'size', title, attribute_type: 'TEXT' } },
      [['attribute_definition.created', 'size']],
    ],
    [
      'updateOrganisationSettings',
      { body: { features: { user_deactivation: false } } },
      [['organisation_settings.updated', 'settings', ['features']]],
    ],
    [
      'updateCalendarSettings',
      { body: { week_start: 'SUNDAY' } },
      [['calendar_settings.updated', 'settings', ['week_start']]],
    ],
    [
      'createTask',
      { body: { id: 'visit', title: 'Visit', recipients: [{ id: 'plain', type: 'USER' }] } },
      [['task.created', 'visit', ['author_id', 'body', 'recipients', 'title']]],
    ],
    ['updateTask', { path: task, body: { title: 'Visits' } }, [['task.updated', 'visit', ['title']]]],
    [
      'addTaskRecipient',
      { path: task, body: { recipient: { id: 'admin-2', type: 'USER' } } },
      [['task.recipients_added', 'visit', ['recipients']]],
    ],
    ['getTask', { path: task, ...plain }, [['task_assignment.opened', 'visit~plain', ['progress_status']]]],
    ['getTask', { path: task, ...plain }, []],
    [
      'finishTaskAssignment',
      { path: { assignment_id: 'visit~plain' }, ...plain },
      [['task_assignment.finished', 'visit~plain', ['progress_status']]],
    ],
    [
      'openTaskAssignment',
      { path: { assignment_id: 'visit~plain' }, ...plain },
      [['task_assignment.opened', 'visit~plain', ['progress_status']]],
    ],
    [
      'deleteTaskAssignment',
      { path: { assignment_id: 'visit~admin-2' } },
      [['task.recipients_removed', 'visit', ['recipients']]],
    ],
    ['deleteTask', { path: task }, [['task.deleted', 'visit']]],
    ['deleteGroupAssignment', { path: assigned }, [['user_group_assignment.deleted', 'crew~plain~coach']]],
    ['deleteRole', { path: role }, [['role.deleted', 'lead']]],
    ['createUser', { body: userNamed('member', { primary_user_group_id: 'crew' }) }, [['user.created', 'member']]],
    [
      'archiveGroup',
      { path: group },
      [
        ['user_group.archived', 'crew', ['status']],
        ['user.updated', 'member', ['primary_user_group_id']],
      ],
    ],
    ['restoreGroup', { path: group }, [['user_group.restored', 'crew', ['status']]]],
    ['archiveGroup', { path: group }, [['user_group.archived', 'crew', ['status']]]],
    ['deleteGroup', { path: group }, [['user_group.deleted', 'crew']]],
    [
      'deleteUsers',
      { body: { items: [{ id: 'member' }, { id: 'admin' }, { id: 'nobody' }] } },
      [['user.deleted', 'member', ['deletion_at', 'status']]],
    ],
  ]

  it('leave the events that tell what was done, and no others', async () => {
    const seconds = Date.parse('2027-01-01T00:00:00.000Z')
    for (const [n, [name, request, expected]] of steps.entries()) {
      const [from, to] = [n, n + 1].map((second) => new Date(seconds + second * 1000).toISOString()) as [string, string]
      service.setNow(from)
      const { status, body } = await call(name, request)
      expect(status, `${name}: ${JSON.stringify(body)}`).toBeLessThan(300)
      const found = await events({ from, to, sort: 'TIME_ASC' })
      const shown = found.map(({ type, record, changes }) => [type, record.id, changes.map(({ field }: Any) => field)])
      const wanted = expected.map(([type, id, fields]) => [type, id, fields ?? expect.any(Array)])
      expect(shown, `${n}: ${name}`).toHaveLength(wanted.length)
      expect(shown, `${n}: ${name}`).toEqual(expect.arrayContaining(wanted))
      const by = 'as' in request ? { actor: { ...ada.actor, id: request.as } } : ada
      for (const event of found) expect(event).toMatchObject({ ...by, actor: { ...by.actor, operation: name } })
    }
    await audit(service)

    // Those about a user lie with the user, those of a task with the task.
    expect(new Set((await ofUser('plain')).map(({ record }) => record.kind))).toEqual(
      new Set(['user_group_assignment', 'channel_assignment', 'task_assignment']),
    )
    const query = { record_kind: 'task_assignment', record_id: 'visit~plain', sort: 'TIME_ASC' }
    expect(typesOf(await events(query))).toEqual([
      'task_assignment.opened',
      'task_assignment.finished',
      'task_assignment.opened',
    ])
    const recipients = (await events({ record_kind: 'task', record_id: 'visit', sort: 'TIME_ASC' }))
      .flatMap(({ changes }) => changes.filter(({ field }: Any) => field === 'recipients'))
      .map(({ before, after }) => [before, after])
    expect(recipients).toEqual([
      [null, ['plain']],
      [[], ['admin-2']],
      [['admin-2'], []],
    ])
  })
})

describe('the list of events', () => {
  const day = (n: number) => `2027-03-${String(n).padStart(2, '0')}T12:00:00.000Z`
  beforeAll(async () => {
    await call('createUser', { body: userNamed('page') })
    for (const n of [1, 1, 2, 7, 7, 7, 20]) {
      service.setNow(day(n))
      for (const as of ['admin', 'admin-2'])
        await call('updateUser', { path: { user_id: 'page' }, body: { tags: [{ name: `${n} ${Math.random()}` }] }, as })
    }
  })

  it.each([
    ['of all', { from: day(1), to: day(21) }, 14],
    ['of an actor', { actor_id: 'admin-2', from: day(1), to: day(21) }, 7],
    ['of a record', { record_kind: 'user', record_id: 'page' }, 15],
    ['of a record by an actor', { record_kind: 'user', record_id: 'page', actor_id: 'admin-2' }, 7],
    ['of a type', { type: 'user.created', from: day(1), to: day(21) }, 0],
    ['between two moments', { from: day(2), to: day(7) }, 2],
    ['of the last 31 days', {}, 14],
  ])('%s is walked in order, either way', async (_what, query, count) => {
    const walked = async (sort: string, page_limit: number) => {
      const found: Any[] = []
      let page_cursor: string | undefined
      do {
        const page = await call('listEvents', {
          query: { ...query, sort, page_limit, ...(page_cursor ? { page_cursor } : {}) },
        })
        found.push(...page.body.events)
        page_cursor = page.body.pagination.next_cursor ?? undefined
        expect(page.body.events.length > 0 || found.length === 0).toBe(true)
      } while (page_cursor)
      return found.map(({ id }) => id)
    }
    const up = await walked('TIME_ASC', 3)
    expect(up).toHaveLength(count)
    expect(await walked('TIME_DESC', 100)).toEqual([...up].reverse())
    expect(await walked('TIME_DESC', 4)).toEqual([...up].reverse())
  })

  it.each([
    [{ record_kind: 'user' }, 'record_id'],
    [{ record_id: 'page' }, 'record_kind'],
    [{ from: day(1), to: '2027-04-02T12:00:00.000Z' }, 'to'],
    [{ from: day(2), to: day(1) }, 'to'],
    [{ from: '2026-02-30T00:00:00Z' }, 'from'],
    [{ type: 'user.sung' }, 'type'],
  ])('refuses %j', async (query, property) => {
    const { status, body } = await call('listEvents', { query })
    expect([status, body.property]).toEqual([400, property])
  })

  it('names all faults of a query in one answer', async () => {
    const wrong = { from: 'x', to: '2026-02-30T00:00:00Z', page_limit: 0 }
    const faultsOf = async (name: string, request: object): Promise<string[]> =>
      (await call(name, request)).body.errors.map(({ property }: Any) => property).sort()
    const query = { ...wrong, record_kind: 'user' }
    expect(await faultsOf('listEvents', { query })).toEqual(['from', 'page_limit', 'record_id', 'to'])
    const path = { user_id: 'no id' }
    expect(await faultsOf('listUserEvents', { path, query: wrong })).toEqual(['from', 'page_limit', 'to', 'user_id'])
    const long = { from: day(1), to: '2027-04-02T12:00:00.000Z', sort: 'UP' }
    expect(await faultsOf('listEvents', { query: long })).toEqual(['sort', 'to'])
    expect(await faultsOf('listUserEvents', { path: { user_id: 'page' }, query: long })).toEqual(['sort'])
  })
})
