import { beforeAll, describe, expect, it } from 'vitest'
import { contracts } from '../../schemas/contracts.ts'
import { type Any, call, type Reply, type Request } from '../harness/call.ts'
import { people } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'
import { tokenId } from '../harness/serviceTokens.ts'
import { changes, others, plan, prepare, undoer } from './changes.ts'

// Every call that the harness makes holds the header `etag` against the contract: here is what tags do.

let service: Service
let undone: () => Promise<string[]>
beforeAll(async () => {
  service = await startService({
    features: { user_deactivation: true },
    users: [...people, ...others],
    indexes: ['by_id'],
  })
  await prepare()
  undone = await undoer(service)
})

const named = (name: string, request: Request, ifMatch: string) =>
  call(name, { ...request, headers: { ...request.headers, 'if-match': ifMatch } })
const etagOf = ({ headers }: Reply): string => String(headers['etag'])
const outcome = ({ status, body }: Reply) => [status, body?.error_code]
const failed = [412, 'PRECONDITION_FAILED']
const recordIn = (etag: string) => etag.split('.')[0]
const stale = '"AAAAAAAAAAAAAAAA.AAAAAAAAAAAAAAAA"'

const user = (user_id: string): Request => ({ path: { user_id } })
const news = { path: { channel_id: 'news' } }
const drill = { path: { task_id: 'drill' } }
const held = { path: { channel_id: 'news', user_id: 'bob', role_id: 'channel-owner' } }
const membership = { path: { group_id: 'team', user_id: 'bob', role_id: 'coach' } }
const of = (as: string): Request => ({ path: { assignment_id: `drill~${as}` }, as })

/** How to learn the tag of what a change is about; reading by another caller does not open a task. */
const known: Record<string, [name: string, request: Request]> = {
  updateUser: ['getUser', user('bob')],
  lockUser: ['getUser', user('bob')],
  unlockUser: ['getUser', user('lou')],
  deactivateUser: ['getUser', user('bob')],
  reactivateUser: ['getUser', user('dee')],
  deleteUser: ['getUser', { ...user('bob'), query: { embed: 'ACTIONS' } }],
  restoreUser: ['getUser', user('pen')],
  updateWebhook: ['getWebhook', { path: { webhook_id: 'hook' } }],
  deleteWebhook: ['getWebhook', { path: { webhook_id: 'hook' } }],
  rotateWebhook: ['getWebhook', { path: { webhook_id: 'hook' } }],
  updateRole: ['getRole', { path: { role_id: 'mentor' } }],
  deleteRole: ['getRole', { path: { role_id: 'mentor' } }],
  updateRule: ['getRule', { path: { rule_id: 'movers' } }],
  deleteRule: ['getRule', { path: { rule_id: 'movers' } }],
  updateGroup: ['getGroup', { path: { group_id: 'team' }, query: { embed: 'PATH' } }],
  archiveGroup: ['getGroup', { path: { group_id: 'team' } }],
  restoreGroup: ['getGroup', { path: { group_id: 'old' } }],
  deleteGroup: ['getGroup', { path: { group_id: 'old' } }],
  deleteGroupAssignment: ['getGroupAssignment', membership],
  updateChannel: ['getChannel', news],
  archiveChannel: ['getChannel', news],
  restoreChannel: ['getChannel', { path: { channel_id: 'closed' } }],
  deleteChannelAssignment: ['getChannelAssignment', { ...held, query: { embed: 'ROLE' } }],
  // Nothing reads an attachment by itself: its tag comes with its creation.
  deleteChannelGroup: ['createChannelGroup', { ...news, body: { user_group_id: 'sales' } }],
  updateAttributeDefinition: ['getAttributeDefinition', { path: { definition_id: 'badge' } }],
  deleteAttributeDefinition: ['getAttributeDefinition', { path: { definition_id: 'badge' } }],
  updateTask: ['getTask', drill],
  deleteTask: ['getTask', drill],
  // Nor a task assignment: what changes nothing tells its tag.
  deleteTaskAssignment: ['openTaskAssignment', of('cid')],
  finishTaskAssignment: ['openTaskAssignment', of('plain')],
  openTaskAssignment: ['finishTaskAssignment', of('bob')],
  updateCalendarSettings: ['viewCalendarSettings', { as: 'plain' }],
  updateOrganisationSettings: ['getOrganisationSettings', {}],
  updateServiceToken: ['getServiceToken', { path: { token_id: tokenId('0') } }],
  deleteServiceToken: ['getServiceToken', { path: { token_id: tokenId('0') } }],
}
const requestOf = (name: string): Request =>
  name === 'deleteChannelGroup' ? { path: { channel_id: 'news', user_group_id: 'sales' } } : (changes[name] as Request)

const conditional = Object.values(contracts).filter((one) => one.conditional && !one.item)
const versionedReads = Object.values(contracts).filter(({ name, versioned }) => versioned && /^(get|view)/.test(name))

it('every conditional change is known to this test', () => {
  expect(Object.keys(known).sort(), '`known` of this file').toEqual(conditional.map(({ name }) => name).sort())
})

describe('If-Match', () => {
  it.each(Object.entries(known))('of %s', async (name, [source, request]) => {
    const etag = etagOf(await call(source, request))
    const ours = requestOf(name)
    // If one of these did anything, the tag would not be good any more.
    expect(outcome(await named(name, ours, stale))).toEqual(failed)
    expect((await named(name, ours, etag.slice(1))).body.errors[0].property).toBe('if-match')
    // A proxy may have made the tag weak; the answer may have been shown in another way.
    const reply = await named(name, ours, `${stale}, W/${recordIn(etag)}.other"`)
    expect(reply.status).toBeLessThan(300)
    const isDeleted = reply.status === 204 || ['deleteGroupAssignment', 'deleteChannelAssignment'].includes(name)
    if (!isDeleted) expect(recordIn(etagOf(reply))).not.toBe(recordIn(etag))
    await undone()
  })

  it('names any version by an asterisk', async () => {
    expect((await named('lockUser', user('bob'), '*')).body.status).toBe('LOCKED')
    await undone()
  })

  const same: [name: string, request: Request][] = [
    ['updateUser', { ...user('bob'), body: { username: 'bob' } }],
    ['lockUser', user('lou')],
    ['unlockUser', user('bob')],
    ['deactivateUser', user('dee')],
    ['reactivateUser', user('bob')],
    ['deleteUser', user('pen')],
    ['updateRole', { path: { role_id: 'mentor' }, body: {} }],
    ['updateGroup', { path: { group_id: 'team' }, body: { parent_id: 'root' } }],
    ['updateRule', { path: { rule_id: 'movers' }, body: { title: ' Movers ', match: null } }],
    ['updateChannel', { ...news, body: {} }],
    ['updateAttributeDefinition', { path: { definition_id: 'badge' }, body: { technical_name: 'badge' } }],
    ['updateTask', { ...drill, body: { title: 'Fire drill' } }],
    ['finishTaskAssignment', of('bob')],
    ['openTaskAssignment', of('plain')],
    ['updateCalendarSettings', { body: { time_zone: 'UTC' } }],
    ['updateOrganisationSettings', { body: { languages: ['en-GB', 'de-DE'] } }],
  ]
  it.each(same)('does not matter to a %s that changes nothing', async (name, request) => {
    const reply = await named(name, request, stale)
    expect([reply.status, etagOf(reply)]).toEqual([200, etagOf(await call(name, request))])
  })

  it('comes after existence and the rule on oneself, before all other rules', async () => {
    for (const [name, request, expected] of [
      ['lockUser', user('nobody'), [404, 'USER_NOT_FOUND']],
      ['lockUser', user('admin'), [403, 'ACTOR_MUST_NOT_CHANGE_ITSELF']],
      ['lockUser', user('pen'), failed],
      ['updateUser', { ...user('pen'), body: { last_name: 'X' } }, failed],
      ['updateUser', { ...user('bob'), body: { username: 'cid' } }, failed],
      ['updateUser', { ...user('bob'), body: { username: '' } }, [400, 'VALIDATION_ERROR']],
      ['restoreUser', user('bob'), failed],
      ['deleteRole', { path: { role_id: 'none' } }, [404, 'ROLE_NOT_FOUND']],
      ['deleteRole', { path: { role_id: 'coach' } }, failed],
      ['deleteGroup', { path: { group_id: 'team' } }, failed],
      ['archiveGroup', { path: { group_id: 'old' } }, failed],
      ['updateGroup', { path: { group_id: 'team' }, body: { parent_id: 'team' } }, failed],
      ['archiveChannel', { path: { channel_id: 'closed' } }, failed],
      // Faults of the patch by itself come first, those together with what is stored after the tag.
      ['updateCalendarSettings', { body: { time_zone: 'Mars/Base' } }, [400, 'VALIDATION_ERROR']],
      ['updateCalendarSettings', { body: { working_hours: { start: '23:00' } } }, failed],
      ['updateCalendarSettings', { body: { working_hours: null, default_reminder_minutes: null } }, failed],
      ['updateOrganisationSettings', { body: { languages: ['en-GB', 'en-gb'] } }, [400, 'VALIDATION_ERROR']],
      ['updateOrganisationSettings', { body: { default_language: 'fr-FR' } }, failed],
      ['deleteTask', { ...drill, as: 'plain' }, [404, 'TASK_NOT_FOUND']],
      ['finishTaskAssignment', { ...of('bob'), as: 'cid' }, [404, 'TASK_ASSIGNMENT_NOT_FOUND']],
    ] as [string, Request, unknown[]][])
      expect([name, ...outcome(await named(name, request, stale))]).toEqual([name, ...expected])
  })

  const refusing = Object.values(contracts).filter((one) => one.body && (!one.conditional || one.item))
  it.each(refusing.map(({ name }) => name))('is refused by %s', async (name) => {
    const preview = { body: { conditions: [{ field: 'TAG', operator: 'IS_SET' }] } }
    const { status, body } = await named(name, changes[name] ?? preview, '*')
    expect([status, body.property]).toEqual([400, 'if-match'])
  })

  it('says of what it finds together with the other faults', async () => {
    const { body } = await named('updateUser', { ...user('bob'), body: { colour: 1 } }, 'x')
    expect(body.errors.map(({ property }: Any) => property)).toEqual(['colour', 'if-match'])
  })

  it('lets one of many through', async () => {
    const etag = etagOf(await call('getUser', user('bob')))
    const patch = (n: number) => named('updateUser', { ...user('bob'), body: { email: `bob${n}@example.com` } }, etag)
    const replies = await Promise.all(Array.from({ length: 6 }, (_, n) => patch(n)))
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412, 412, 412])
    await undone()
  })
})

describe('a tag', () => {
  it('does not move when a user is given roles and tasks, but when another console changes them', async () => {
    const before = etagOf(await call('getUser', user('bob')))
    await call('createGroupAssignment', { path: { group_id: 'sales' }, body: { user_id: 'bob', role_id: 'coach' } })
    const given = { ...news, path: { ...news.path, user_id: 'bob' }, body: { role_id: 'channel-member' } }
    expect((await call('createChannelAssignment', given)).status).toBe(201)
    const recipients = [{ id: 'bob', type: 'USER' }]
    expect((await call('createTask', { body: { title: 'Sweep', recipients } })).status).toBe(201)
    expect(etagOf(await call('getUser', user('bob')))).toBe(before)
    const first = await named('updateUser', { ...user('bob'), body: { first_name: 'Bobby' } }, before)
    expect(first.status).toBe(200)
    const second = await named('updateUser', { ...user('bob'), body: { last_name: 'Late' } }, before)
    expect(outcome(second)).toEqual(failed)
    const { body, headers } = await call('getUser', user('bob'))
    expect([body.first_name, headers['etag']]).toEqual(['Bobby', etagOf(first)])
    await undone()
  })

  it('of a task does not move with its recipients and their progress', async () => {
    const before = etagOf(await call('getTask', drill))
    await call('addTaskAssignments', { ...drill, body: { user_ids: ['admin-2'] } })
    await call('finishTaskAssignment', of('cid'))
    const after = etagOf(await call('getTask', drill))
    expect([recordIn(after), after === before]).toEqual([recordIn(before), false])
    await undone()
  })

  it('has another second part for other languages, actions and forms', async () => {
    const asked = [{}, { query: { embed: 'ACTIONS' } }, { headers: { 'accept-language': 'de' } }]
    const tags = await Promise.all(asked.map(async (one) => etagOf(await call('getUser', { ...user('bob'), ...one }))))
    expect([new Set(tags).size, new Set(tags.map(recordIn)).size]).toEqual([3, 1])
    const { headers } = await call('getUser', user('bob'))
    expect(headers['vary']).toBe('accept-language,accept-encoding,authorization')
  })

  it('of what was created is that of what is read', async () => {
    for (const [name, read, path] of [
      ['createUser', 'getUser', { user_id: 'new' }],
      ['createRole', 'getRole', { role_id: 'new' }],
      ['createGroup', 'getGroup', { group_id: 'new' }],
      ['createRule', 'getRule', { rule_id: 'new' }],
      ['createChannel', 'getChannel', { channel_id: 'new' }],
      ['createTask', 'getTask', { task_id: 'new' }],
      ['createAttributeDefinition', 'getAttributeDefinition', { definition_id: 'new' }],
      ['createGroupAssignment', 'getGroupAssignment', { group_id: 'team', user_id: 'plain', role_id: 'coach' }],
      [
        'createChannelAssignment',
        'getChannelAssignment',
        { ...news.path, user_id: 'plain', role_id: 'channel-member' },
      ],
    ] as [string, string, Record<string, string>][]) {
      const query = changes[name]?.query ?? {}
      const [created, found] = [await call(name, changes[name]), await call(read, { path, query })]
      expect([name, recordIn(etagOf(created))]).toEqual([name, recordIn(etagOf(found))])
    }
    await undone()
  })
})

describe('If-None-Match', () => {
  const reads: Record<string, Request> = Object.fromEntries(
    Object.values(known).filter(([name]) => /^(get|view)/.test(name)),
  )
  const all: Record<string, Request> = {
    ...reads,
    getCalendarSettings: {},
    getMe: {},
    getOwnChannel: news,
    getPerson: { path: { user_id: 'plain' } },
    getPlan: plan,
  }

  it('every read of one record is known to this test', () => {
    expect(Object.keys(all).sort(), '`all` of this file').toEqual(versionedReads.map(({ name }) => name).sort())
  })

  it.each(Object.entries(all))('of %s', async (name, request) => {
    const asking = (tags: string) => call(name, { ...request, headers: { 'if-none-match': tags } })
    const etag = etagOf(await call(name, request))
    const { status, headers } = await asking(`"x", W/${etag}`)
    expect([status, headers['etag'], headers['content-type']]).toEqual([304, etag, undefined])
    expect(headers['vary']).toContain('accept-language')
    // If-Match is for changes.
    const tags = { 'if-none-match': `${recordIn(etag)}.other"`, 'if-match': stale }
    expect((await call(name, { ...request, headers: tags })).status).toBe(200)
  })

  it('is well formed, and means nothing to changes and lists', async () => {
    expect((await call('getRole', { path: { role_id: 'mentor' }, headers: { 'if-none-match': 'x' } })).status).toBe(400)
    const headers = { 'if-none-match': '*' }
    expect((await call('updateRole', { path: { role_id: 'mentor' }, body: {}, headers })).status).toBe(200)
    expect((await call('listRoles', { headers: { 'if-none-match': 'x' } })).status).toBe(200)
  })

  it('opens a task that its recipient has seen before', async () => {
    const etag = etagOf(await call('getTask', { ...drill, as: 'cid' }))
    const summary = async () => (await call('getTaskSummary', drill)).body.items.map(({ count }: Any) => count)
    expect(await summary()).toEqual([1, 1, 1])
    const again = await call('getTask', { ...drill, as: 'plain', headers: { 'if-none-match': etag } })
    expect([again.status, await summary()]).toEqual([304, [0, 2, 1]])
    await undone()
  })
})

describe('a batch', () => {
  const batch = async (name: string, items: object[]) => (await call(name, { body: { items } })).body.items
  const outcomes = (items: Any[]) => items.map(({ status, etag, error }) => [status, error?.error_code, etag])

  it('judges each item, and shows the version after it', async () => {
    const [bob, cid] = [etagOf(await call('getUser', user('bob'))), etagOf(await call('getUser', user('cid')))]
    const items = await batch('updateUsers', [
      { id: 'bob', if_match: bob, body: { email: 'bob@example.com' } },
      { id: 'bob', if_match: bob, body: { email: 'robert@example.com' } },
      { id: 'cid', if_match: stale, body: { email: 'cid@example.com' } },
      { id: 'cid', if_match: cid, body: {} },
      { id: 'lou', if_match: 'x', body: {} },
      { id: 'dee', body: { last_name: 'Dee' } },
    ])
    const tagOf = async (id: string) => etagOf(await call('getUser', user(id)))
    expect(outcomes(items)).toEqual([
      [200, undefined, await tagOf('bob')],
      [412, 'PRECONDITION_FAILED', undefined],
      [412, 'PRECONDITION_FAILED', undefined],
      [200, undefined, cid],
      [400, 'VALIDATION_ERROR', undefined],
      [200, undefined, await tagOf('dee')],
    ])
    expect(items[4].error.property).toBe('if_match')
    expect((await call('getUser', user('bob'))).body.email).toBe('bob@example.com')
    await undone()
  })

  it('of deletions and restorations', async () => {
    const bob = etagOf(await call('getUser', user('bob')))
    const deleted = await batch('deleteUsers', [
      { id: 'cid', if_match: bob },
      { id: 'bob', if_match: bob },
      { id: 'bob', if_match: bob },
    ])
    const { etag } = deleted[1]
    expect(outcomes(deleted)).toEqual([
      [412, 'PRECONDITION_FAILED', undefined],
      [200, undefined, etag],
      [200, undefined, etag],
    ])
    const restored = await batch('restoreUsers', [
      { id: 'bob', if_match: bob },
      { id: 'bob', if_match: etag },
    ])
    expect(outcomes(restored)).toEqual([
      [412, 'PRECONDITION_FAILED', undefined],
      [200, undefined, expect.any(String)],
    ])
    const role = etagOf(await call('getGroupAssignment', membership))
    const gone = await batch('deleteGroupAssignments', [
      { id: membership.path, if_match: stale },
      { id: membership.path, if_match: role },
    ])
    expect(outcomes(gone)).toEqual([
      [412, 'PRECONDITION_FAILED', undefined],
      [200, undefined, expect.any(String)],
    ])
    expect(recordIn(gone[1].etag)).toBe(recordIn(role))
    await undone()
  })
})
