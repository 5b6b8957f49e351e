import { beforeAll, describe, expect, it } from 'vitest'
import { sliceItem } from '../../domain/plans/change.ts'
import { audit, dump } from '../harness/audit.ts'
import { type Any, call } from '../harness/call.ts'
import { dieAfterWrite, strike, withoutWaits } from '../harness/faults.ts'
import { people } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'
import { giveToken } from '../harness/serviceTokens.ts'
import { purge } from '../rules/rules.ts'
import {
  applied,
  apply,
  cancel,
  changes,
  checked,
  create,
  faults,
  get,
  overdue,
  selected,
  undone,
  work,
} from './plans.ts'

let service: Service
const crew = Array.from({ length: 5 }, (_, n) => ({ id: `crew-${n}`, username: `crew-${n}`, tags: [{ name: 'crew' }] }))
const staff = [
  ...people,
  ...crew,
  { id: 'locked', username: 'locked', status: 'LOCKED' as const },
  { id: 'gone', username: 'gone', status: 'DEACTIVATED' as const },
  { id: 'robot', username: 'robot', protected: true },
]
const indexes = ['by_id', 'find', 'by_updated_at', 'by_last_name'] as const
beforeAll(async () => {
  service = await startService({ users: staff, indexes: [...indexes] })
})
const user = async (user_id: string): Promise<Any> => (await call('getUser', { path: { user_id } })).body
const patch = (user_id: string, body: object) => call('updateUser', { path: { user_id }, body })
const ids = (...user_ids: string[]) => ({ user_ids })

describe('a selection', () => {
  it('is worked out, shown, made and taken back', async () => {
    const before = await user('crew-1')
    const plan = await selected(service, { tag: 'crew' }, { action: 'LOCK' }, { title: 'Lock the crew' })
    expect(plan).toMatchObject({
      ...{ kind: 'SELECTION', title: 'Lock the crew', state: 'READY', created_by: 'admin', fault: null },
      request: { select: { tag: 'crew' }, change: { action: 'LOCK' } },
      counts: { rows: 5, planned: 5, lifecycle: 5, unchanged: 0, faults: 0, done: 0 },
    })
    const shown = await changes(plan.id)
    expect(shown).toHaveLength(5)
    expect(shown[0]).toMatchObject({
      ...{ number: 1, row: null, action: 'LOCK', outcome: 'PLANNED', error: null },
      user: { id: 'crew-0' },
      fields: [{ field: 'status', before: 'ACTIVE', after: 'LOCKED' }],
    })
    expect(await user('crew-1')).toEqual(before)
    const done = await applied(service, plan)
    expect(done).toMatchObject({
      state: 'DONE',
      counts: { planned: 5, done: 5, skipped: 0, failed: 0 },
      progress: null,
    })
    expect((await user('crew-1')).status).toBe('LOCKED')
    expect(await changes(plan.id, { outcome: 'DONE' })).toHaveLength(5)
    const undo = await undone(service, plan.id)
    expect(undo).toMatchObject({ kind: 'UNDO', state: 'DONE', counts: { done: 5 }, request: { plan_id: plan.id } })
    expect({ ...(await user('crew-1')), updated_at: before.updated_at }).toEqual(before)
    expect((await get(plan.id)).undone_by).toBe(undo.id)
    await audit(service)
  })

  it.each<[select: object, found: string[]]>([
    [{ tag: 'crew', search_term: 'crew-3' }, ['crew-3']],
    [{ search_term: 'Paul' }, ['plain']],
    [{ search_term: 'nobody-has-this' }, []],
    [{ role: 'ADMIN', status: ['LOCKED'] }, []],
    [{ status: 'DEACTIVATED' }, ['gone']],
    [{ role: ['USER'], status: 'LOCKED' }, ['locked']],
    [{ user_group_id: 'all-users', tag: 'crew' }, crew.map(({ id }) => id)],
    [{ user_group_id: 'all-users', role_id: 'group-member', tag: 'crew' }, crew.map(({ id }) => id)],
    [{ user_group_id: 'all-users', role_id: 'group-owner' }, []],
    [ids('crew-2', 'crew-0', 'crew-2'), ['crew-2', 'crew-0']],
  ])('%j finds %j', async (select, found) => {
    const plan = await selected(service, select, { update: { tags: { add: ['found'] } } })
    expect(plan).toMatchObject({ state: 'READY', counts: { rows: found.length, planned: found.length } })
    expect((await changes(plan.id)).map((change) => change.user.id)).toEqual(found)
    expect((await cancel(plan.id)).body.state).toBe('CANCELLED')
  })

  it('of everybody has faults where the single call refuses', async () => {
    const plan = await selected(service, { all: true }, { action: 'LOCK' })
    expect(plan.counts).toMatchObject({ rows: staff.length, planned: 7, unchanged: 1, faults: 3 })
    expect((await faults(plan.id)).map(({ code, detail }) => [code, detail.split(':')[0]])).toEqual([
      ['ACTOR_MUST_NOT_CHANGE_ITSELF', 'User admin'],
      ['USER_MODIFICATION_NOT_ALLOWED', 'User gone'],
      ['USER_MODIFICATION_NOT_ALLOWED', 'User robot'],
    ])
    await cancel(plan.id)
  })

  it('names the rows of users who do not exist', async () => {
    const plan = await selected(service, ids('crew-0', 'nobody', 'plain'), { action: 'LOCK' })
    expect(plan).toMatchObject({
      request: { select: { user_ids: { count: 3, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) } } },
      counts: { rows: 3, planned: 2, faults: 1 },
    })
    expect(await faults(plan.id)).toMatchObject([{ row: 2, column: null, code: 'USER_NOT_FOUND' }])
    expect((await changes(plan.id)).map(({ row }) => row)).toEqual([1, 3])
    await cancel(plan.id)
  })

  it('beyond its limit is refused', async () => {
    const plan = await selected(service, { tag: 'crew' }, { action: 'LOCK' }, { limits: { changes: 4 } })
    expect(plan).toMatchObject({ state: 'REFUSED', fault: { code: 'PLAN_LIMIT_EXCEEDED' }, counts: { planned: 5 } })
    const { status, body } = await apply(plan.id, 5)
    expect([status, body.error_code, body.detail]).toEqual([
      409,
      'PLAN_STATE_CONFLICT',
      expect.stringContaining('REFUSED'),
    ])
  })
})

describe('a faulty plan is refused, and nothing is planned', () => {
  const select = { tag: 'crew' }
  const change = { action: 'LOCK' }
  it.each<[body: object, code: string, property: string]>([
    [{}, 'VALIDATION_ERROR', 'change'],
    [{ select, change: {} }, 'VALIDATION_ERROR', 'change'],
    [
      { select, change: { action: 'LOCK', assign: { user_group_id: 'a', role_id: 'b' } } },
      'VALIDATION_ERROR',
      'change',
    ],
    [{ select: {}, change }, 'VALIDATION_ERROR', 'select'],
    [{ select: null, change }, 'VALIDATION_ERROR', 'select'],
    [{ select: { tag: ' ' }, change }, 'VALIDATION_ERROR', 'select.tag'],
    [{ select: { tag: '' }, change }, 'VALIDATION_ERROR', 'select.tag'],
    [{ select: { search_term: '  ' }, change }, 'VALIDATION_ERROR', 'select.search_term'],
    [{ select: { user_group_id: '\u200b' }, change }, 'VALIDATION_ERROR', 'select.user_group_id'],
    [{ select: { all: false }, change }, 'VALIDATION_ERROR', 'select.all'],
    [{ select: { all: true, tag: 'crew' }, change }, 'VALIDATION_ERROR', 'select'],
    [{ select: { user_ids: [] }, change }, 'VALIDATION_ERROR', 'select.user_ids'],
    [{ select: { user_ids: ['plain'], role: 'USER' }, change }, 'VALIDATION_ERROR', 'select'],
    [{ select: { status: 'ASLEEP' }, change }, 'VALIDATION_ERROR', 'select.status'],
    [{ select: { status: [] }, change }, 'VALIDATION_ERROR', 'select.status'],
    [{ select: { role_id: 'group-member' }, change }, 'VALIDATION_ERROR', 'select.user_group_id'],
    [{ select: { attribute_value: 'x' }, change }, 'VALIDATION_ERROR', 'select.attribute_technical_name'],
    [{ select: { departmnt: 'x' }, change }, 'VALIDATION_ERROR', 'select.departmnt'],
    [{ select: { user_group_id: 'unknown' }, change }, 'UNKNOWN_USER_GROUP_ID', 'select.user_group_id'],
    [
      { select: { attribute_technical_name: 'unknown', attribute_value: 'x' }, change },
      'NO_USER_ATTRIBUTE_DEFINITION_FOR_NAME_FOUND',
      'select.attribute_technical_name',
    ],
    [{ select, change: { update: {} } }, 'VALIDATION_ERROR', 'change.update'],
    [{ select, change: { update: { username: 'one' } } }, 'VALIDATION_ERROR', 'change.update.username'],
    [{ select, change: { update: { email: null } } }, 'VALIDATION_ERROR', 'change.update.email'],
    [
      { select, change: { update: { preferred_language: 'xx' } } },
      'LANGUAGE_NOT_ENABLED',
      'change.update.preferred_language',
    ],
    [
      { select, change: { update: { attributes: { unknown: 'x' } } } },
      'NO_USER_ATTRIBUTE_DEFINITION_FOR_NAME_FOUND',
      'change.update.attributes.unknown',
    ],
    [
      { select, change: { update: { primary_user_group_id: 'unknown' } } },
      'UNKNOWN_USER_GROUP_ID',
      'change.update.primary_user_group_id',
    ],
    [
      { select, change: { assign: { user_group_id: 'unknown', role_id: 'group-member' } } },
      'UNKNOWN_USER_GROUP_ID',
      'change.assign.user_group_id',
    ],
    [
      { select, change: { assign: { user_group_id: 'all-users', role_id: 'unknown' } } },
      'ROLE_DOES_NOT_EXIST',
      'change.assign.role_id',
    ],
    [
      { select, change: { update: { attributes: { department: 'x'.repeat(256) } } } },
      'MAX_LENGTH_EXCEEDED',
      'change.update.attributes.department',
    ],
    [
      { select, change: { update: { attributes: { joined_on: '2026-02-30' } } } },
      'INVALID_DATE_ATTRIBUTE_FORMAT',
      'change.update.attributes.joined_on',
    ],
    [
      { select, change: { unassign: { user_group_id: 'all-users', role_id: 'channel-member' } } },
      'ROLE_HAS_WRONG_PERMISSION_SCOPE',
      'change.unassign.role_id',
    ],
    [{ select, change: { update: { tags: { add: [' '] } } } }, 'VALIDATION_ERROR', 'change.update.tags.add.0'],
    [{ select, change, plan_id: 'x' }, 'VALIDATION_ERROR', 'plan_id'],
    [{ select, change, limits: { changes: -1 } }, 'VALIDATION_ERROR', 'limits.changes'],
    [{ kind: 'UNDO', plan_id: 'unknown' }, 'PLAN_NOT_FOUND', 'plan_id'],
    [{ kind: 'UNDO' }, 'VALIDATION_ERROR', 'plan_id'],
    [{ kind: 'UNDO', plan_id: 'x', select }, 'VALIDATION_ERROR', 'select'],
    [{ kind: 'ALL' }, 'VALIDATION_ERROR', 'kind'],
  ])('%j: %s at %s', async (body, code, property) => {
    const { body: problem } = await create({ kind: 'SELECTION', ...body })
    expect([problem.error_code, problem.property]).toEqual([code, property])
    expect(JSON.stringify(problem)).not.toContain('must be valid')
  })
})

describe('each change does what the single call does, and is taken back', () => {
  const department = { attribute_technical_name: 'department', attribute_value: 'Night' }
  it.each<[change: object, action: string, seen: object]>([
    [{ action: 'LOCK' }, 'LOCK', { status: 'LOCKED' }],
    [{ action: 'DEACTIVATE' }, 'DEACTIVATE', { status: 'DEACTIVATED' }],
    [{ action: 'DELETE' }, 'DELETE', { status: 'PENDING_DELETION' }],
    [
      { update: { attributes: { department: 'Day' } } },
      'UPDATE',
      { attributes: [{ name: 'department', value: 'Day' }] },
    ],
    [{ update: { tags: { add: ['new'], remove: ['crew'] } } }, 'UPDATE', { tags: [{ name: 'new' }] }],
    [{ update: { tags: null, preferred_language: 'DE-de' } }, 'UPDATE', { tags: [], preferred_language: 'de-DE' }],
    [{ update: { role: 'ADMIN' } }, 'UPDATE', { role: 'ADMIN' }],
    [{ assign: { user_group_id: 'all-users', role_id: 'group-owner' } }, 'ASSIGN', {}],
  ])('%j', async (change, action, seen) => {
    await patch('crew-4', { attributes: { department: 'Night' }, tags: [{ name: 'crew' }] })
    const before = await user('crew-4')
    const roles = async () => (await call('listUserAccess', { path: { user_id: 'crew-4' } })).body
    const held = await roles()
    const plan = await selected(service, ids('crew-4'), change)
    expect(plan.counts).toMatchObject({ planned: 1, faults: 0 })
    expect(await changes(plan.id)).toMatchObject([{ action, outcome: 'PLANNED' }])
    expect(await applied(service, plan)).toMatchObject({ counts: { done: 1 } })
    expect(await user('crew-4')).toMatchObject(seen)
    expect(await selected(service, ids('crew-4'), change)).toMatchObject({ counts: { planned: 0, unchanged: 1 } })
    const undo = await undone(service, plan.id)
    expect(undo.counts).toMatchObject({ planned: 1, done: 1 })
    expect({ ...(await user('crew-4')), updated_at: before.updated_at }).toEqual(before)
    expect(await roles()).toEqual(held)
    const redo = await undone(service, undo.id)
    expect(redo.counts).toMatchObject({ planned: 1, done: 1 })
    expect(await user('crew-4')).toMatchObject(seen)
    await undone(service, redo.id)
    expect({ ...(await user('crew-4')), updated_at: before.updated_at }).toEqual(before)
    await audit(service)
    expect(department).toBeDefined()
  })

  it.each([{ profile_picture: {} }, { attributes: {} }, { profile_picture: {}, tags: { add: ['crew'] } }])(
    'an object without members changes nothing: %j',
    async (change) => {
      const before = await user('crew-4')
      const plan = await selected(service, ids('crew-4'), { update: change })
      expect(plan.counts).toMatchObject({ planned: 0, unchanged: 1 })
      await applied(service, plan)
      expect(await user('crew-4')).toEqual(before)
    },
  )

  it('a restored user gets the former deadline when that is taken back', async () => {
    await call('deleteUser', { path: { user_id: 'crew-3' } })
    const { deletion_at } = await user('crew-3')
    service.setNow('2026-11-22T09:00:00.000Z')
    const plan = await selected(service, ids('crew-3'), { action: 'RESTORE' })
    expect((await changes(plan.id))[0].fields).toContainEqual({
      field: 'deletion_at',
      before: deletion_at,
      after: null,
    })
    await applied(service, plan)
    expect(await user('crew-3')).toMatchObject({ status: 'ACTIVE' })
    await undone(service, plan.id)
    expect(await user('crew-3')).toMatchObject({ status: 'PENDING_DELETION', deletion_at })
    await call('restoreUser', { path: { user_id: 'crew-3' } })
    await audit(service)
  })
})

describe('applying', () => {
  it('skips who has changed, fails what is refused, and says so', async () => {
    const plan = await selected(service, { tag: 'crew' }, { action: 'LOCK' })
    await call('lockUser', { path: { user_id: 'crew-0' } })
    await patch('crew-1', { tags: [] })
    await call('deleteUser', { path: { user_id: 'crew-2' } })
    const done = await applied(service, plan)
    expect(done).toMatchObject({ state: 'DONE', counts: { planned: 5, done: 2, skipped: 3, failed: 0 } })
    expect((await changes(plan.id, { outcome: 'SKIPPED' })).map(({ user, error }) => [user.id, error.code])).toEqual([
      ['crew-0', 'CHANGED_SINCE'],
      ['crew-1', 'CHANGED_SINCE'],
      ['crew-2', 'CHANGED_SINCE'],
    ])
    const undo = await undone(service, plan.id)
    expect(undo.counts).toMatchObject({ planned: 2, done: 2 })
    await call('unlockUser', { path: { user_id: 'crew-0' } })
    await patch('crew-1', { tags: [{ name: 'crew' }] })
    await call('restoreUser', { path: { user_id: 'crew-2' } })
    await audit(service)
  })

  it('leaves the last administrator, also where the one who applies is in the selection', async () => {
    const plan = await selected(service, { role: 'ADMIN' }, { update: { role: 'USER' } })
    expect(plan.counts.planned).toBe(2)
    await apply(plan.id, 2)
    await work(service, plan.id)
    // The first change takes the rights that the second one needs.
    const { body } = await call('getPlan', { path: { plan_id: plan.id }, as: 'admin-2' })
    expect(body).toMatchObject({ state: 'CANCELLED', fault: { code: 'PERMISSION_MISSING' }, counts: { done: 1 } })
    const again = (
      await create({ kind: 'SELECTION', select: ids('admin-2'), change: { action: 'LOCK' } }, { as: 'admin-2' })
    ).body
    await work(service, again.id)
    expect((await call('getPlan', { path: { plan_id: again.id }, as: 'admin-2' })).body.counts.faults).toBe(1)
    await call('updateUser', { path: { user_id: 'admin' }, body: { role: 'ADMIN' }, as: 'admin-2' })
    await cancel(again.id)
    await audit(service)
  })

  it('does not take away the last administrator', async () => {
    const token = await giveToken(service, ['USERS', 'ADMINISTRATORS'])
    const plan = await checked(
      service,
      { kind: 'SELECTION', select: { role: 'ADMIN' }, change: { action: 'LOCK' } },
      { token },
    )
    await apply(plan.id, 2, { token })
    await work(service, plan.id)
    const found = await Promise.all(['admin', 'admin-2'].map((as) => call('getMe', { as })))
    expect(found.map(({ status }) => status).sort()).toEqual([200, 401])
    const [left, other] = found[0]?.status === 200 ? ['admin', 'admin-2'] : ['admin-2', 'admin']
    await call('unlockUser', { path: { user_id: other }, as: left })
    expect(await changes(plan.id, { outcome: 'FAILED' })).toMatchObject([
      { user: { id: left }, error: { code: 'USER_MODIFICATION_NOT_ALLOWED' } },
    ])
    await audit(service)
  })

  it('is refused in another state, with another number, and repeated without effect', async () => {
    const made = await create({ kind: 'SELECTION', select: { tag: 'crew' }, change: { action: 'LOCK' } })
    const early = await apply(made.body.id, 5)
    expect([early.status, early.body.detail]).toEqual([409, expect.stringContaining('CHECKING')])
    await work(service, made.body.id)
    const other = await apply(made.body.id, 4)
    expect([other.status, other.body.property]).toEqual([409, 'planned'])
    expect((await apply(made.body.id, 5)).status).toBe(202)
    expect((await apply(made.body.id, 5)).status).toBe(202)
    expect((await apply(made.body.id, 5, { as: 'admin-2' })).status).toBe(409)
    expect((await apply(made.body.id, 4)).status, 'another number').toBe(409)
    await work(service, made.body.id)
    expect((await apply(made.body.id, 5)).body).toMatchObject({ state: 'DONE', counts: { done: 5 } })
    await undone(service, made.body.id)
  })

  it('ends when whoever applies loses the right to', async () => {
    const plan = await selected(service, { tag: 'crew' }, { action: 'LOCK' })
    await apply(plan.id, 5, { as: 'admin-2' })
    await call('lockUser', { path: { user_id: 'admin-2' } })
    await work(service, plan.id)
    expect(await get(plan.id)).toMatchObject({
      ...{ state: 'CANCELLED', fault: { code: 'ACTOR_NOT_ACTIVE' }, counts: { done: 0 } },
    })
    await call('unlockUser', { path: { user_id: 'admin-2' } })
    await audit(service)
  })

  it('one plan at a time: the next one waits for it', async () => {
    const [first, second] = [
      await selected(service, ids('crew-0'), { action: 'LOCK' }),
      await selected(service, ids('crew-1'), { action: 'LOCK' }),
    ]
    await apply(first.id, 1)
    await apply(second.id, 1, { as: 'admin-2' })
    await work(service, second.id)
    expect(await get(second.id)).toMatchObject({ state: 'APPLYING', progress: { done: 0, total: 1 } })
    await work(service, first.id)
    await work(service, second.id)
    expect([(await get(first.id)).state, (await get(second.id)).state]).toEqual(['DONE', 'DONE'])
    const [event] = (await call('listUserEvents', { path: { user_id: 'crew-1' } })).body.events
    expect([event.type, event.actor.id, event.actor.operation]).toEqual(['user.locked', 'admin-2', 'applyPlan'])
    await undone(service, first.id)
    await undone(service, second.id)
  })

  it('of a plan that waited names its own caller, also where the one before was cancelled', async () => {
    const [first, second] = [
      await selected(service, ids('crew-0'), { action: 'LOCK' }),
      await selected(service, ids('crew-1'), { action: 'LOCK' }),
    ]
    const request_id = '5f0c6f0e-3d0e-4b53-9a52-5a7f6d1f2a11'
    await apply(first.id, 1)
    await apply(second.id, 1, { as: 'admin-2', headers: { 'x-request-id': request_id } })
    await work(service, second.id)
    await cancel(first.id)
    await work(service, first.id)
    await work(service, second.id)
    const [event] = (await call('listUserEvents', { path: { user_id: 'crew-1' } })).body.events
    const actor = { id: 'admin-2', kind: 'USER', request_id, operation: 'applyPlan' }
    expect(event).toMatchObject({ type: 'user.locked', actor })
    const query = `record_kind=plan&record_id=${second.id}`
    const { events } = (await call('listEvents', { query })).body
    expect(events.map((one: Any) => [one.type, one.actor.operation])).toEqual([
      ['plan.finished', 'applyPlan'],
      ['plan.applied', 'applyPlan'],
      ['plan.checked', 'createPlan'],
      ['plan.created', 'createPlan'],
    ])
    expect(events[0].actor).toEqual(actor)
    await undone(service, second.id)
  })

  it('waits while webhooks are behind', async () => {
    const hook = await call('createWebhook', { body: { url: 'https://1.1.1.1/', types: ['user.*'] } })
    const plan = await selected(service, ids('crew-0'), { action: 'LOCK' })
    // Calls know of a webhook after five seconds.
    service.setNow(new Date(service.now().getTime() + 6_000))
    await patch('crew-1', { tags: [{ name: 'crew' }, { name: 'news' }] })
    service.setNow(new Date(service.now().getTime() + 61_000))
    await apply(plan.id, 1)
    await work(service, plan.id)
    expect(await get(plan.id)).toMatchObject({ state: 'APPLYING', counts: { done: 0 } })
    // A plan that stands still is reported for as long as it does.
    for (const seconds of [0, 300, 610]) {
      service.setNow(new Date(service.now().getTime() + (seconds > 0 ? 305_000 : 0)))
      const { found } = await overdue(service)
      expect([seconds, found?.planWaitSeconds]).toEqual([seconds, expect.closeTo(seconds, -2)])
    }
    await call('deleteWebhook', { path: { webhook_id: hook.body.id } })
    service.setNow(new Date(service.now().getTime() + 11_000))
    await work(service, plan.id)
    expect(await get(plan.id)).toMatchObject({ state: 'DONE', counts: { done: 1 } })
    expect((await overdue(service)).found).toMatchObject({ planWaitSeconds: 0 })
    await undone(service, plan.id)
  })
})

describe('what happens between the check and the end', () => {
  it('a user is removed for good: nothing is left of the change but that there was one', async () => {
    await call('createUser', {
      body: { id: 'leaver', username: 'leaver', first_name: 'L', last_name: 'L', role: 'USER', status: 'ACTIVE' },
    })
    await call('deleteUser', { path: { user_id: 'leaver' } })
    service.setNow(new Date(service.now().getTime() + 10 * DAY))
    const plan = await selected(service, ids('leaver', 'crew-0'), { update: { tags: { add: ['late'] } } })
    expect(plan.counts).toMatchObject({ planned: 1, faults: 1 })
    const restore = await selected(service, ids('leaver'), { action: 'RESTORE' })
    service.setNow(new Date(service.now().getTime() + 5 * DAY))
    await purge(service)
    expect(await changes(restore.id)).toMatchObject([{ user: { id: 'leaver', is_deleted: true }, fields: [] }])
    expect((await applied(service, restore)).counts).toMatchObject({ done: 0, skipped: 1 })
    await applied(service, plan)
    await audit(service)
  })

  it('the group is archived: what the single call refuses has failed', async () => {
    const title = [{ language: 'en-GB', text: 'Short-lived' }]
    await call('createGroup', { body: { id: 'short', title, parent_id: 'root' } })
    const role = { user_group_id: 'short', role_id: 'group-member' }
    const plan = await selected(service, ids('crew-0', 'crew-1'), { assign: role })
    await call('archiveGroup', { path: { group_id: 'short' } })
    expect((await applied(service, plan)).counts).toMatchObject({ done: 0, failed: 2 })
    expect(await changes(plan.id)).toMatchObject([
      { error: { code: 'USER_GROUP_ARCHIVED' } },
      { error: { code: 'USER_GROUP_ARCHIVED' } },
    ])
  })

  it('the feature is switched off: the change has failed', async () => {
    const plan = await selected(service, ids('crew-0'), { action: 'DEACTIVATE' })
    const features = (user_deactivation: boolean) =>
      call('updateOrganisationSettings', { body: { features: { user_deactivation } } })
    await features(false)
    expect((await applied(service, plan)).counts).toMatchObject({ done: 0, failed: 1 })
    expect(await changes(plan.id)).toMatchObject([{ error: { code: 'FEATURE_NOT_ENABLED' } }])
    const { status, body } = await create({
      kind: 'SELECTION',
      select: ids('crew-0'),
      change: { action: 'REACTIVATE' },
    })
    expect([status, body.error_code]).toEqual([403, 'FEATURE_NOT_ENABLED'])
    await features(true)
  })

  it('nobody matches: a plan of no changes is done at once', async () => {
    const plan = await selected(service, { tag: 'nobody-has-this' }, { action: 'LOCK' })
    expect(await applied(service, plan)).toMatchObject({ state: 'DONE', counts: { rows: 0, planned: 0, done: 0 } })
  })

  it('the service token that applies is deleted: the plan ends', async () => {
    const token = await giveToken(service, ['USERS'])
    const plan = await selected(service, ids('crew-0'), { action: 'LOCK' })
    await apply(plan.id, 1, { token })
    const id = (await get(plan.id)).applied_by.slice('service_token:'.length)
    await call('deleteServiceToken', { path: { token_id: id } })
    await work(service, plan.id)
    expect(await get(plan.id)).toMatchObject({ state: 'CANCELLED', fault: { code: 'ACTOR_NOT_ACTIVE' } })
  })

  it('two plans about the same user: the second one finds them changed', async () => {
    const [first, second] = [
      await selected(service, ids('crew-1'), { action: 'LOCK' }),
      await selected(service, ids('crew-1'), { action: 'DEACTIVATE' }),
    ]
    await applied(service, first)
    expect((await applied(service, second)).counts).toMatchObject({ done: 0, skipped: 1 })
    await undone(service, first.id)
  })

  it('a change that the service cannot make is FAILED after ten attempts, and nothing of it is in the log', async () => {
    const plan = await selected(service, ids('crew-2', 'crew-3'), { action: 'LOCK' })
    await apply(plan.id, 2)
    service.logged()
    const lines: unknown[] = []
    let attempts = 0
    for (let n = 0; n < 12; n++) {
      const { heal } = strike(service.client, (_n, command, input) => {
        if (!isLockOf('crew-2', command, input)) return undefined
        attempts++
        return 'refused'
      })
      await work(service, plan.id, (line) => lines.push(line)).finally(heal)
      service.setNow(new Date(service.now().getTime() + 7 * 3_600_000))
    }
    expect(await get(plan.id)).toMatchObject({ state: 'DONE', counts: { done: 1, failed: 1 } })
    expect(await changes(plan.id, { outcome: 'FAILED' })).toMatchObject([
      { user: { id: 'crew-2' }, error: { code: 'INTERNAL_ERROR' } },
    ])
    expect(attempts).toBe(10)
    expect(lines.length).toBeGreaterThan(5)
    expect(JSON.stringify(lines)).not.toContain('crew-')
    await undone(service, plan.id)
    await audit(service)
  })

  it('a change is made after a busy table, however long that took', async () => {
    const plan = await selected(service, ids('crew-2'), { action: 'LOCK' })
    await apply(plan.id, 1)
    for (let n = 0; n < 12; n++) {
      const { heal } = strike(service.client, (_n, ...asked) => (isLockOf('crew-2', ...asked) ? 'throttle' : undefined))
      await withoutWaits(() => work(service, plan.id, () => {})).finally(heal)
      service.setNow(new Date(service.now().getTime() + 3_600_000))
    }
    await work(service, plan.id)
    expect(await get(plan.id)).toMatchObject({ state: 'DONE', counts: { done: 1, failed: 0 } })
    await undone(service, plan.id)
  })
})
/** Whether a request changes the status of a user. */
const isLockOf = (id: string, command: string, input: object): boolean =>
  command.startsWith('TransactWrite') &&
  JSON.stringify(input).includes(`USER#${id}"`) &&
  JSON.stringify(input).includes('"USERS"')
const DAY = 86_400_000

describe('what a state does not allow is refused, and names the state', () => {
  const lock = { action: 'LOCK' }
  const expired = async () => {
    const plan = await selected(service, ids('crew-0'), lock)
    service.setNow(new Date(service.now().getTime() + 7 * DAY))
    return plan
  }
  const applying = async () => {
    const plan = await selected(service, ids('crew-0'), lock)
    await apply(plan.id, 1)
    return plan
  }
  const cancelled = async () => {
    const plan = await selected(service, ids('crew-0'), lock)
    await cancel(plan.id)
    return plan
  }
  it.each<[state: string, make: () => Promise<Any>, refused: string[]]>([
    [
      'CHECKING',
      async () => (await create({ kind: 'SELECTION', select: ids('crew-0'), change: lock })).body,
      ['apply', 'undo'],
    ],
    ['READY', () => selected(service, ids('crew-0'), lock), ['undo']],
    ['REFUSED', () => selected(service, ids('crew-0'), lock, { limits: { changes: 0 } }), ['apply', 'cancel', 'undo']],
    ['APPLYING', applying, ['undo']],
    ['DONE', async () => applied(service, await selected(service, ids('nobody'), lock)), ['cancel']],
    ['CANCELLED', cancelled, ['apply', 'undo']],
    ['EXPIRED', expired, ['apply', 'cancel', 'undo']],
  ])('%s', async (state, make, refused) => {
    const plan = await make()
    const calls: Record<string, () => Promise<Any>> = {
      undo: () => create({ kind: 'UNDO', plan_id: plan.id }),
      apply: () => apply(plan.id, 1),
      cancel: () => cancel(plan.id),
    }
    const seen = await get(plan.id)
    expect(seen.state).toBe(state)
    for (const name of refused) {
      const { status, body } = await (calls[name] as () => Promise<Any>)()
      expect([name, status, body.error_code, body.detail]).toEqual([
        name,
        409,
        'PLAN_STATE_CONFLICT',
        expect.stringContaining(state),
      ])
    }
    expect(await get(plan.id)).toEqual(seen)
    // Repeated, or in a state before the end: neither is a conflict.
    if (!refused.includes('cancel')) expect((await cancel(plan.id)).body.state).toBe('CANCELLED')
    await work(service, plan.id)
  })

  it('the version of a plan does not follow its state, and its events show no values', async () => {
    const made = await create({ kind: 'SELECTION', title: 'Ada leaves', select: { tag: 'crew' }, change: lock })
    const version = (reply: Any) => reply.headers.etag.split('.')[0]
    expect(made.headers['location']).toMatch(new RegExp(`/plans/${made.body.id}$`))
    await work(service, made.body.id)
    const ready = await call('getPlan', { path: { plan_id: made.body.id } })
    expect([version(ready), ready.headers['etag'] === made.headers['etag']]).toEqual([version(made), false])
    await cancel(made.body.id)
    const { events } = (await call('listEvents', { query: `record_kind=plan&record_id=${made.body.id}` })).body
    expect(events.map(({ type }: Any) => type)).toEqual(['plan.cancelled', 'plan.checked', 'plan.created'])
    expect(JSON.stringify(events)).not.toMatch(/Ada|crew|LOCK/)
    expect(events[1].changes.map(({ field }: Any) => field).sort()).toEqual(['counts', 'state'])
  })
})

describe('cancelling', () => {
  it('ends a plan in each state before its end, once', async () => {
    const made = await create({ kind: 'SELECTION', select: { tag: 'crew' }, change: { action: 'LOCK' } })
    expect((await cancel(made.body.id)).body).toMatchObject({ state: 'CANCELLED', counts: { planned: 0 } })
    await work(service, made.body.id)
    expect((await cancel(made.body.id)).status).toBe(200)
    const plan = await selected(service, { tag: 'crew' }, { action: 'LOCK' })
    await apply(plan.id, 5)
    expect((await cancel(plan.id)).body.state).toBe('CANCELLED')
    await work(service, plan.id)
    expect(await get(plan.id)).toMatchObject({ state: 'CANCELLED', counts: { planned: 5, done: 0 } })
    expect((await create({ kind: 'UNDO', plan_id: plan.id })).body.error_code).toBe('PLAN_STATE_CONFLICT')
    await audit(service)
  })

  it('leaves what was done, which can be taken back for a week', async () => {
    const cancelledAmid = async () => {
      const plan = await selected(service, ids('crew-0', 'crew-1', 'crew-2'), { action: 'LOCK' })
      await apply(plan.id, 3)
      const { heal } = dieAfterWrite(service.client, 2)
      await work(service, plan.id, () => {}).catch(() => undefined)
      heal()
      await cancel(plan.id)
      await work(service, plan.id)
      return plan
    }
    const plan = await cancelledAmid()
    const { done } = (await get(plan.id)).counts
    expect(done).toBeGreaterThan(0)
    const back = await undone(service, plan.id)
    expect(back).toMatchObject({ state: 'DONE', counts: { rows: done, done } })
    const again = await undone(service, back.id)
    expect(again.counts).toMatchObject({ done })
    await undone(service, again.id)
    const late = await cancelledAmid()
    service.setNow(new Date(service.now().getTime() + 7 * DAY))
    const { body } = await create({ kind: 'UNDO', plan_id: late.id })
    expect([body.error_code, body.detail]).toEqual(['PLAN_STATE_CONFLICT', expect.stringContaining('values')])
    const stored = async () => (await dump(service)).filter(({ sk }) => String(sk).startsWith(`Z#${late.id}#`))
    expect(await stored()).not.toEqual([])
    await overdue(service)
    expect(await stored(), 'changes a week after').toEqual([])
    for (const user_id of ['crew-0', 'crew-1', 'crew-2']) await call('unlockUser', { path: { user_id } })
    await audit(service)
  })
})

describe('the changes of a plan', () => {
  it('of one outcome are found among many others, and those just made are known', async () => {
    const plan = await selected(service, { tag: 'crew' }, { action: 'LOCK' })
    const slice = (first: number) => ({
      first,
      users: ['gone'],
      actions: ['LOCK' as const],
      rows: [null],
      outcomes: [first === 160 ? ('FAILED' as const) : ('DONE' as const)],
    })
    const made = Array.from({ length: 160 }, (_, n) => sliceItem(plan.id, slice(n + 1)))
    await service.store.bulk(made.slice(5).map((put) => ({ put })))
    const query = { outcome: 'FAILED', page_limit: 2 }
    const { body } = await call('listPlanChanges', { path: { plan_id: plan.id }, query })
    expect([body.changes.map(({ number }: Any) => number), body.pagination.has_more]).toEqual([[160], false])
    await service.store.bulk(made.slice(5).map(({ pk, sk }) => ({ delete: { pk, sk } })))
    await apply(plan.id, 5)
    const { heal } = dieAfterWrite(service.client, 3)
    await work(service, plan.id, () => {}).catch(() => undefined)
    heal()
    const done = await changes(plan.id, { outcome: 'DONE' })
    const left = await changes(plan.id, { outcome: 'PLANNED' })
    expect([done.length > 0, done.length + left.length, (await get(plan.id)).counts.done]).toEqual([true, 5, 0])
    service.setNow(new Date(service.now().getTime() + 11_000))
    await work(service, plan.id)
    await undone(service, plan.id)
  })
})

describe('taking back', () => {
  it('is done by one plan at a time', async () => {
    const plan = await applied(service, await selected(service, ids('crew-0'), { action: 'LOCK' }))
    const first = await checked(service, { kind: 'UNDO', plan_id: plan.id })
    const refused = await create({ kind: 'UNDO', plan_id: plan.id })
    expect([refused.status, refused.body.detail]).toEqual([409, expect.stringContaining(first.id)])
    await cancel(first.id)
    // It names the last one, whatever has become of it: callers look at its state.
    expect((await get(plan.id)).undone_by).toBe(first.id)
    const second = await undone(service, plan.id)
    expect(second.counts.done).toBe(1)
    expect((await get(plan.id)).undone_by).toBe(second.id)
    const again = await create({ kind: 'UNDO', plan_id: plan.id })
    expect([again.status, again.body.detail]).toEqual([409, expect.stringContaining(second.id)])
  })

  it('shows and skips who was changed since', async () => {
    const plan = await applied(service, await selected(service, ids('crew-0', 'crew-1'), { action: 'LOCK' }))
    await call('unlockUser', { path: { user_id: 'crew-0' } })
    const undo = await checked(service, { kind: 'UNDO', plan_id: plan.id })
    expect(undo.counts).toMatchObject({ rows: 2, planned: 1, skipped: 1 })
    expect(await changes(undo.id)).toMatchObject([
      { user: { id: 'crew-1' }, outcome: 'PLANNED', row: 2 },
      { user: { id: 'crew-0' }, outcome: 'SKIPPED', error: { code: 'CHANGED_SINCE' } },
    ])
    expect((await applied(service, undo)).counts).toMatchObject({ done: 1, skipped: 1 })
    await audit(service)
  })

  it('gives no role back in a group that is archived by now', async () => {
    await call('createGroup', {
      body: { id: 'closed', title: [{ language: 'en-GB', text: 'Closed' }], parent_id: 'root' },
    })
    const role = { user_group_id: 'closed', role_id: 'group-member' }
    const path = { group_id: 'closed' }
    await call('createGroupAssignment', { path, body: { user_id: 'crew-0', role_id: 'group-member' } })
    const plan = await applied(service, await selected(service, ids('crew-0'), { unassign: role }))
    expect(plan.counts.done).toBe(1)
    const undo = await checked(service, { kind: 'UNDO', plan_id: plan.id })
    await call('archiveGroup', { path })
    expect((await applied(service, undo)).counts).toMatchObject({ done: 0, failed: 1 })
    expect(await changes(undo.id)).toMatchObject([{ outcome: 'FAILED', error: { code: 'USER_GROUP_ARCHIVED' } }])
    const at = { ...path, user_id: 'crew-0', role_id: 'group-member' }
    expect((await call('getGroupAssignment', { path: at })).status).toBe(404)
    await audit(service)
  })

  it('gives a role back to a user who is locked by now, and beside a rule', async () => {
    const role = { user_group_id: 'all-users', role_id: 'group-owner' }
    const path = { group_id: 'all-users' }
    await call('createGroupAssignment', { path, body: { user_id: 'crew-0', role_id: 'group-owner' } })
    const plan = await applied(service, await selected(service, ids('crew-0', 'crew-1'), { unassign: role }))
    expect(plan.counts).toMatchObject({ unchanged: 1, done: 1 })
    await call('lockUser', { path: { user_id: 'crew-0' } })
    expect((await undone(service, plan.id)).counts.done).toBe(1)
    const at = { ...path, user_id: 'crew-0', role_id: 'group-owner' }
    expect((await call('getGroupAssignment', { path: at })).body.source).toBe('MANUAL')
    await call('unlockUser', { path: { user_id: 'crew-0' } })
    await call('deleteGroupAssignment', { path: at })
    await audit(service)
  })
})

it('a role that the primary group gives is not taken away', async () => {
  const change = { unassign: { user_group_id: 'all-users', role_id: 'group-member' } }
  const plan = await selected(service, ids('crew-1'), change)
  expect(plan.counts).toMatchObject({ planned: 0, faults: 1 })
  expect(await faults(plan.id)).toMatchObject([{ code: 'DERIVED_ASSIGNMENT_DELETION_FORBIDDEN' }])
  await cancel(plan.id)
})

describe('a role that nobody may give any more', () => {
  const title = [{ language: 'en-GB', text: 'Driver' }]
  const path = { group_id: 'all-users' }
  it.each<[what: string, change: (role_id: string) => Promise<unknown>, code: string]>([
    [
      'is not assignable',
      (role_id) => call('updateRole', { path: { role_id }, body: { assignable: false } }),
      'ROLE_NOT_ASSIGNABLE',
    ],
    ['is deleted', (role_id) => call('deleteRole', { path: { role_id } }), 'ROLE_DOES_NOT_EXIST'],
  ])('as it %s is not given back, before the undo is checked or after', async (what, change, code) => {
    for (const isLate of [false, true]) {
      const role_id = `driver-${what.replaceAll(' ', '-')}-${isLate}`
      await call('createRole', { body: { id: role_id, title, scope: 'USER_GROUPS', permissions: [] } })
      await call('createGroupAssignment', { path, body: { user_id: 'crew-0', role_id } })
      const plan = await selected(service, ids('crew-0'), { unassign: { user_group_id: 'all-users', role_id } })
      await applied(service, plan)
      if (!isLate) await change(role_id)
      const undo = await checked(service, { kind: 'UNDO', plan_id: plan.id })
      if (!isLate) {
        expect(await faults(undo.id)).toMatchObject([{ code }])
        await cancel(undo.id)
        continue
      }
      await change(role_id)
      expect((await applied(service, undo)).counts).toMatchObject({ done: 0, failed: 1 })
      expect(await changes(undo.id)).toMatchObject([{ error: { code } }])
    }
    await audit(service)
  })
})

describe('rights', () => {
  const lock = { kind: 'SELECTION', select: { tag: 'crew' }, change: { action: 'LOCK' } }
  const assign = { user_group_id: 'all-users', role_id: 'group-owner' }
  it.each([
    [['USERS'], lock, 201],
    [['READ'], lock, 403],
    [['USER_GROUPS'], lock, 403],
    [['USERS'], { ...lock, change: { assign } }, 403],
    [['USERS', 'USER_GROUPS'], { ...lock, change: { assign } }, 201],
    [['USERS'], { ...lock, select: { user_group_id: 'all-users' } }, 403],
    [['USERS'], { ...lock, change: { update: { role: 'ADMIN' } } }, 201],
  ] as const)('a token with %j makes %j: %i', async (scopes, body, status) => {
    const token = await giveToken(service, [...scopes])
    const made = await create(body, { token })
    expect(made.status).toBe(status)
    if (status === 201) {
      await work(service, made.body.id)
      await cancel(made.body.id)
    }
  })

  it('a token without ADMINISTRATORS plans no change of administrators', async () => {
    const token = await giveToken(service, ['USERS'])
    const plan = await checked(service, { ...lock, select: { role: 'ADMIN' } }, { token })
    expect(plan).toMatchObject({
      created_by: expect.stringMatching(/^service_token:/),
      counts: { planned: 0, faults: 2 },
    })
    await cancel(plan.id)
    const byAdmin = await selected(service, ids('admin-2'), { action: 'LOCK' })
    expect((await apply(byAdmin.id, 1, { token })).status).toBe(202)
    await work(service, byAdmin.id)
    expect(await changes(byAdmin.id)).toMatchObject([{ outcome: 'FAILED', error: { code: 'PERMISSION_MISSING' } }])
  })

  it('an undo needs the scopes of the first plan, also when that is long gone', async () => {
    const token = await giveToken(service, ['USERS'])
    const plan = await applied(service, await selected(service, ids('crew-0'), { assign }))
    const wait = (days: number) => service.setNow(new Date(service.now().getTime() + days * DAY))
    wait(29)
    const undo = await undone(service, plan.id)
    wait(2)
    expect((await call('getPlan', { path: { plan_id: plan.id } })).body.error_code).toBe('PLAN_NOT_FOUND')
    await work(service, plan.id)
    const { status, body } = await create({ kind: 'UNDO', plan_id: undo.id }, { token })
    expect([status, body.error_code]).toEqual([403, 'PERMISSION_MISSING'])
    const redo = await checked(service, { kind: 'UNDO', plan_id: undo.id })
    expect((await apply(redo.id, 1, { token })).status).toBe(403)
    expect((await cancel(redo.id, { token })).status).toBe(403)
    await cancel(redo.id)
    await audit(service)
  })

  it('users who are no administrators read and make none', async () => {
    for (const name of ['listPlans', 'createPlan'])
      expect((await call(name, { as: 'plain', ...(name === 'createPlan' ? { body: lock } : {}) })).status).toBe(403)
  })
})

describe('the life of a plan', () => {
  const later = (days: number) => service.setNow(new Date(service.now().getTime() + days * 86_400_000))

  it('expires after a week, loses its values a week later, and is gone a month after its end', async () => {
    const plan = await selected(service, { tag: 'crew' }, { action: 'LOCK' })
    const forgotten = await selected(service, ids('crew-0'), { action: 'LOCK' })
    later(7)
    const expired = await get(plan.id)
    expect(expired).toMatchObject({ state: 'EXPIRED', finished_at: plan.expires_at, expires_at: null })
    expect((await apply(plan.id, 5)).body.error_code).toBe('PLAN_STATE_CONFLICT')
    await work(service, plan.id)
    expect(await get(plan.id)).toEqual(expired)
    // Nobody has caused it: a deadline has passed.
    const [end] = (await call('listEvents', { query: `record_kind=plan&record_id=${plan.id}` })).body.events
    expect([end.type, end.actor.kind, end.actor.id]).toEqual(['plan.finished', 'SYSTEM', null])
    expect((await changes(plan.id))[0].fields).toHaveLength(1)
    later(7)
    expect((await changes(plan.id))[0].fields).toEqual([])
    await work(service, plan.id)
    expect(await changes(plan.id)).toMatchObject(Array.from({ length: 5 }, () => ({ outcome: 'PLANNED', fields: [] })))
    await audit(service)
    later(23.1)
    // Whether a worker has looked at them or not.
    for (const { id } of [plan, forgotten]) {
      for (const name of ['getPlan', 'listPlanChanges', 'listPlanFaults', 'cancelPlan'])
        expect((await call(name, { path: { plan_id: id } })).body.error_code).toBe('PLAN_NOT_FOUND')
      expect((await apply(id, 1)).body.error_code).toBe('PLAN_NOT_FOUND')
    }
    const { plans } = (await call('listPlans', { query: { page_limit: 100 } })).body
    expect(plans.filter(({ id }: Any) => id === plan.id || id === forgotten.id)).toEqual([])
    for (const { id } of [plan, forgotten]) await work(service, id)
    await audit(service)
  })

  it('is listed, the newest first, by state and kind', async () => {
    const made: string[] = []
    for (let n = 0; n < 3; n++) {
      made.unshift((await selected(service, ids('plain'), { action: 'LOCK' })).id)
      service.setNow(new Date(service.now().getTime() + 1000))
    }
    const query = { state: 'READY', kind: 'SELECTION', page_limit: 2 }
    const first = (await call('listPlans', { query })).body
    const second = (await call('listPlans', { query: { page_cursor: first.pagination.next_cursor } })).body
    expect([...first.plans, ...second.plans].slice(0, 3).map(({ id }: Any) => id)).toEqual(made)
    expect((await call('listPlans', { query: { state: 'READY', kind: 'UNDO' } })).body.plans).toEqual([])
    for (const id of made) await cancel(id)
  })

  it('stops at twenty that have not ended', async () => {
    const open = (await call('listPlans', { query: { state: 'CHECKING,READY', page_limit: 100 } })).body.plans
    for (const { id } of open) await cancel(id)
    const made: string[] = []
    const lock = { kind: 'SELECTION', select: { tag: 'crew' }, change: { action: 'LOCK' } }
    for (;;) {
      const { status, body } = await create(lock)
      if (status !== 201) {
        expect([status, body.error_code, made.length]).toEqual([409, 'PLANS_LIMIT_EXCEEDED', 20])
        break
      }
      made.push(body.id)
    }
    for (const id of made.slice(1)) await cancel(id)
    expect((await create(lock)).status).toBe(201)
  })

  it('hides what it knows of a user from their deadline on', async () => {
    const plan = await applied(service, await selected(service, ids('crew-4'), { update: { tags: { add: ['bye'] } } }))
    await call('deleteUser', { path: { user_id: 'crew-4' } })
    expect((await changes(plan.id))[0].fields).toHaveLength(1)
    later(14)
    expect(await changes(plan.id)).toMatchObject([{ fields: [], outcome: 'DONE', user: { id: 'crew-4' } }])
  })

  it('repeated with its Idempotency-Key is the same plan', async () => {
    const body = { kind: 'SELECTION', select: { tag: 'crew' }, change: { action: 'LOCK' } }
    const headers = { 'idempotency-key': 'plan-1' }
    const [one, other] = [await create(body, { headers }), await create(body, { headers })]
    expect([other.status, other.body.id]).toEqual([201, one.body.id])
  })
})
