import { Parser } from 'htmlparser2'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { ofTask, taskExternalIdKey } from '../../domain/table/keys.ts'
import { audit } from '../harness/audit.ts'
import { type Any, call } from '../harness/call.ts'
import { dieAfterWrite } from '../harness/faults.ts'
import { people } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'
import * as w from './work.ts'

let service: Service
let run = 0
const crowd = Array.from({ length: 130 }, (_, n) => `c-${n}`)

beforeAll(async () => {
  const names = ['author', 'ann', 'bob', 'cid', 'locked', ...crowd]
  service = await startService({
    indexes: ['by_created_at', 'by_location_or_due', 'by_username_or_change'],
    users: [...people, ...names.map((id) => ({ id, first_name: 'Fi', last_name: id }))],
  })
  await call('lockUser', { path: { user_id: 'locked' } })
})
beforeEach(() => service.setNow(new Date(service.now().getTime() + 60_000)))

const codeOf = ({ status, body }: Any) => [status, body?.error_code]
const user = (id: string) => ({ id, type: 'USER' })
const channel = (id: string) => ({ id, type: 'CHANNEL' })
const create = (body: object, as = 'author') => call('createTask', { body: { title: 'T', ...body }, as })
const patch = (task_id: string, body: object, as = 'author') => call('updateTask', { path: { task_id }, body, as })
const remove = (task_id: string, as = 'author') => call('deleteTask', { path: { task_id }, as })
const list = (query = '', as = 'author') => call('listTasks', { query, as })
const idsOf = async (query = '', as = 'author') => (await list(query, as)).body.tasks.map(({ id }: Any) => id)
const own = async (as: string) => w.numbers((await call('getOwnTaskSummary', { as })).body)
const newId = (): string => `task-${++run}`

/** What of a task is left in the table. */
/** All but the note that there was a task. */
const remains = async (id: string): Promise<Any[]> =>
  (await service.store.query(ofTask(id))).items.filter(({ sk }) => sk !== 'GONE')

describe('a task is created', () => {
  it('with all that it can have', async () => {
    const body = {
      id: newId(),
      external_id: 'x-1',
      title: '  Drill \t',
      body: { html: '<p onclick=x>Go <b>out</b></p><script>x</script>' },
      due_at: { due_at_type: 'DATE_TIME', date_time: '2026-12-24T10:00:00+02:00', date: null },
      settings: { reminder: { days: [1, 2] }, note: null },
      recipients: [user('ann'), user('author'), user('ann'), user('bob')],
    }
    const { status, body: created } = await create(body)
    expect(status).toBe(201)
    expect(created).toEqual({
      id: body.id,
      external_id: 'x-1',
      title: 'Drill',
      body: { plain: 'Go out', html: '<p>Go <b>out</b></p>' },
      author_id: 'author',
      due_at: { due_at_type: 'DATE_TIME', date_time: '2026-12-24T08:00:00.000Z' },
      distribution_kind: 'DISTRIBUTED',
      settings: body.settings,
      progress_status: 'OPEN',
      distribution: { state: 'DONE', total: 3, done: 3 },
      assignment_summary: expect.objectContaining({ total: 3 }),
      created_at: service.now().toISOString(),
      updated_at: service.now().toISOString(),
    })
    expect((await w.read(body.id, 'bob')).body).toMatchObject({ distribution_kind: 'RECEIVED', title: 'Drill' })
  })

  it('with as little as it needs', async () => {
    const { status, body } = await create({
      id: null,
      external_id: null,
      body: null,
      due_at: null,
      settings: null,
      recipients: [user('author')],
    })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      body: {},
      due_at: null,
      settings: null,
      external_id: null,
      distribution_kind: 'PERSONAL',
    })
    expect(body.id).toMatch(/^[\da-f-]{36}$/)
  })

  it('as other clients write it', async () => {
    const delta = JSON.stringify({ ops: [{ insert: 'Hi\n' }] })
    const recipients = [user('ann')]
    const contents = { content_format: 'DELTA', contentDelta: delta, contentHtml: null }
    expect((await create({ body: contents, recipients })).body.body).toEqual({ plain: 'Hi\n', delta })
  })

  it('with settings that mean nothing to us, whatever they are called', async () => {
    const settings = '{"__proto__":{"polluted":true},"constructor":1,"a":{"__proto__":null},"n":1e300,"ü":"\\u0000"}'
    const id = newId()
    const rawBody = `{"id":"${id}","title":"T","recipients":[{"id":"ann","type":"USER"}],"settings":${settings}}`
    const { body } = await call('createTask', { rawBody, as: 'author' })
    expect(JSON.stringify(body.settings)).toBe(JSON.stringify(JSON.parse(settings)))
    expect(({} as Any).polluted).toBeUndefined()
    expect((await patch(id, { settings: { b: 1 } })).body.settings).toMatchObject({ constructor: 1, b: 1 })
    const again = await w.read(id, 'author')
    expect(Object.keys(again.body.settings)).toEqual(['__proto__', 'constructor', 'a', 'n', 'ü', 'b'])
  })

  it.each([
    [{ recipients: undefined }, 'NO_RECIPIENTS', 'recipients'],
    [{ recipients: null }, 'NO_RECIPIENTS', 'recipients'],
    [{ recipients: [] }, 'NO_RECIPIENTS', 'recipients'],
    [{ recipients: [user('ann'), channel('news')] }, 'DIFFERENT_RECIPIENT_TYPES', 'recipients'],
    [{ recipients: [channel('a'), channel('b')] }, 'RECIPIENTS_CHANNEL_LIMIT_EXCEEDED', 'recipients'],
    [{ recipients: [{ id: 'ann' }] }, 'VALIDATION_ERROR', 'recipients.0.type'],
    [{ recipients: crowd.slice(0, 101).map(user) }, 'VALIDATION_ERROR', 'recipients'],
    [{ title: ' ' }, 'VALIDATION_ERROR', 'title'],
    [{ title: 'x'.repeat(151) }, 'VALIDATION_ERROR', 'title'],
    [{ title: null }, 'VALIDATION_ERROR', 'title'],
    [{ id: 'a b' }, 'VALIDATION_ERROR', 'id'],
    [{ id: 'assignments' }, 'VALIDATION_ERROR', 'id'],
    [{ external_id: '' }, 'VALIDATION_ERROR', 'external_id'],
    [{ due_at: { due_at_type: 'DATE', date: '2026-02-30' } }, 'INVALID_DUE_DATE', 'due_at.date'],
    [{ due_at: { due_at_type: 'DATE', date_time: '2026-02-01T00:00:00Z' } }, 'INVALID_DUE_DATE', 'due_at.date'],
    [
      { due_at: { due_at_type: 'DATE_TIME', date_time: '2026-02-30T00:00:00Z' } },
      'INVALID_DUE_DATE',
      'due_at.date_time',
    ],
    [
      { due_at: { due_at_type: 'DATE_TIME', date_time: '0000-01-01T00:00:00+01:00' } },
      'INVALID_DUE_DATE',
      'due_at.date_time',
    ],
    [
      { due_at: { due_at_type: 'DATE_TIME', date_time: '2026-02-01T24:00:00Z' } },
      'INVALID_DUE_DATE',
      'due_at.date_time',
    ],
    [{ due_at: { due_at_type: 'DATE_TIME', date_time: 'soon' } }, 'INVALID_DUE_DATE', 'due_at.date_time'],
    [{ due_at: { date: '2026-02-01' } }, 'INVALID_DUE_DATE', 'due_at.due_at_type'],
    [{ due_at: { due_at_type: 'NEVER' } }, 'INVALID_DUE_DATE', 'due_at.due_at_type'],
    [{ due_at: { due_at_type: 'DATE', date: 1 } }, 'INVALID_DUE_DATE', 'due_at.date'],
    [{ due_at: { due_at_type: 'DATE', date: '2026-02-30', unknown: 1 } }, 'INVALID_DUE_DATE', 'due_at.date'],
    [{ due_at: 'tomorrow' }, 'INVALID_DUE_DATE', 'due_at'],
    [{ due_at: { due_at_type: 'DATE', date: '2026-02-01', zone: 'x' } }, 'VALIDATION_ERROR', 'due_at.zone'],
    [{ body: { delta: '{}' } }, 'VALIDATION_ERROR', 'body.delta'],
    [{ body: { html: 'x'.repeat(50_001) } }, 'VALIDATION_ERROR', 'body.html'],
    [{ body: { content_format: 'MARKDOWN' } }, 'VALIDATION_ERROR', 'body.content_format'],
    [{ body: 'text' }, 'VALIDATION_ERROR', 'body'],
    [{ settings: [] }, 'VALIDATION_ERROR', 'settings'],
    [{ settings: { x: 'x'.repeat(10_000) } }, 'VALIDATION_ERROR', 'settings'],
    [{ settings: JSON.parse(`${'{"a":'.repeat(40)}1${'}'.repeat(40)}`) }, 'VALIDATION_ERROR', 'settings'],
    [{ title: '', due_at: 1, recipients: [channel('a'), user('b')] }, 'DIFFERENT_RECIPIENT_TYPES', 'recipients'],
  ])('not with %j', async (parts, code, property) => {
    const { status, body } = await create({ recipients: [user('ann')], ...parts })
    expect([status, body.error_code, body.property]).toEqual([400, code, property])
    expect(body.errors.length).toBeGreaterThan(0)
  })

  it.each([6_000, 100_000])('not with settings that are %i levels deep, be it new or changed', async (levels) => {
    const settings = `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
    const rest = '"title":"T","recipients":[{"id":"ann","type":"USER"}]'
    const id = newId()
    await create({ id, settings: { a: 1 }, recipients: [user('ann')] })
    for (const rawBody of [`{${rest},"settings":${settings}}`, `{${rest},"id":5,"settings":${settings}}`]) {
      const made = await call('createTask', { rawBody, as: 'author' })
      const changed = await call('updateTask', { path: { task_id: id }, rawBody, as: 'author' })
      expect(made).toMatchObject({ status: 400, body: { error_code: 'VALIDATION_ERROR' } })
      expect(changed).toMatchObject({ status: 400, body: { error_code: 'VALIDATION_ERROR', property: 'settings' } })
      expect(made.body.errors.map(({ property }: Any) => property)).toContain('settings')
    }
    expect((await w.read(id, 'author')).body.settings).toEqual({ a: 1 })
  })

  it.each([
    ['nobody', 'UNKNOWN_USER_ID'],
    ['locked', 'UNKNOWN_USER_ID'],
    ['', 'VALIDATION_ERROR'],
  ])('not for "%s"', async (id, code) => {
    expect(codeOf(await create({ recipients: [user('ann'), user(id)] }))).toEqual([400, code])
  })

  it('not with an id or external id that is taken', async () => {
    const id = newId()
    const recipients = [user('ann')]
    await create({ id, external_id: 'mine', recipients })
    const again = await create({ id, recipients }, 'bob')
    expect([again.status, again.body.error_code, again.body.property]).toEqual([409, 'DUPLICATE_ID', 'id'])
    const twin = await create({ external_id: 'mine', recipients })
    expect([twin.status, twin.body.error_code, twin.body.property]).toEqual([
      409,
      'DUPLICATE_EXTERNAL_ID',
      'external_id',
    ])
    expect((await create({ external_id: 'mine', recipients }, 'bob')).status).toBe(201)
  })

  it('with a due date in the past', async () => {
    const due_at = { due_at_type: 'DATE', date: '1999-12-31' }
    expect((await create({ due_at, recipients: [user('ann')] })).body.due_at).toEqual(due_at)
  })

  it.each([49, 50])('for %i users at once', async (count) => {
    const id = newId()
    const { status, body } = await create({ id, external_id: id, recipients: crowd.slice(0, count).map(user) })
    expect([status, body.assignment_summary.total]).toEqual([201, count])
    expect(await w.summary(id)).toEqual([count, count, 0, 0])
  })

  it('for the members of a channel', async () => {
    const members = crowd.slice(0, 60)
    const items = [...members, 'author', 'locked'].map((user_id) => ({
      group_id: 'sales',
      body: { user_id, role_id: 'coach' },
    }))
    expect((await call('createGroupAssignments', { body: { items } })).status).toBe(200)
    await w.newChannel(service.store, 'sales-news', { owner: 'author', groups: ['sales'] })
    await w.newChannel(service.store, 'quiet', { owner: 'author' })
    await w.newChannel(service.store, 'closed', { owner: 'author', status: 'ARCHIVED' })
    const { status, body } = await create({ recipients: [channel('sales-news'), channel('sales-news')] })
    expect([status, body.assignment_summary.total]).toEqual([201, members.length])
    expect(codeOf(await create({ recipients: [channel('quiet')] }))).toEqual([400, 'NO_RECIPIENTS'])
    expect(codeOf(await create({ recipients: [channel('closed')] }))).toEqual([400, 'UNKNOWN_CHANNEL_ID'])
    expect(codeOf(await create({ recipients: [channel('none')] }))).toEqual([400, 'UNKNOWN_CHANNEL_ID'])
    expect(codeOf(await create({ recipients: [channel('sales-news')] }, 'ann'))).toEqual([403, 'NOT_ADMIN_OF_CHANNEL'])
  })
})

describe('a task is changed', () => {
  it('by what a client read and sends back', async () => {
    const id = newId()
    const html = '<p>1 &lt; 2</p>'
    await create({
      id,
      body: { html },
      due_at: { due_at_type: 'DATE', date: '2026-12-01' },
      settings: { a: 1 },
      recipients: [user('ann')],
    })
    const before = (await w.read(id, 'author')).body
    service.setNow(new Date(service.now().getTime() + 1000))
    const same = await patch(id, { ...before, recipients: [{}] })
    expect(same).toMatchObject({ status: 200, body: before })
    const changed = await patch(id, { ...before, title: 'Other' })
    expect(changed.body).toEqual({ ...before, title: 'Other', updated_at: service.now().toISOString() })
    expect((await w.read(id, 'author')).body).toEqual(changed.body)
  })

  it('by a body that is cleaned once, be it for the creation or a change that begins again', async () => {
    const parse = vi.spyOn(Parser.prototype, 'end')
    const id = newId()
    const body = { plain: 'x', html: '<a href=https://e.org>x</a>' }
    const cleanings = () => parse.mock.calls.filter(([html]) => html === body.html).length
    await create({ id, body, recipients: [user('ann')] })
    expect(cleanings()).toBe(1)
    // At once, so that some of them have to begin again.
    const plain = ['a', 'b', 'c', 'd']
    const replies = await Promise.all(plain.map((text) => patch(id, { body: { ...body, plain: text } })))
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(cleanings()).toBe(5)
    parse.mockRestore()
  })

  it('by as many bytes as the table takes, and not by more', async () => {
    const id = newId()
    const body = { html: '😀'.repeat(50_000) }
    await create({ id, body, recipients: [user('ann')] })
    const settings = { text: '😀'.repeat(900) }
    expect((await patch(id, { settings })).status).toBe(200)
    const refused = await patch(id, { settings: { text: '😀'.repeat(1_100) } })
    expect([refused.status, refused.body.error_code, refused.body.property]).toEqual([400, 'VALIDATION_ERROR', 'body'])
    expect((await w.read(id, 'author')).body).toMatchObject({ settings, body: { plain: body.html } })
    const anew = await create({ body, settings: { text: '😀'.repeat(9_000) }, recipients: [user('ann')] })
    expect(codeOf(anew)).toEqual([400, 'VALIDATION_ERROR'])
    expect((await patch(id, { body: { html: 'x' }, settings: { text: '😀'.repeat(9_000) } })).status).toBe(200)
    expect(codeOf(await patch(id, { settings: { more: '😀'.repeat(1_000) } }))).toEqual([400, 'VALIDATION_ERROR'])
  })

  it('by a body only as long as can be sent back', async () => {
    const id = newId()
    const grows = '<a href="https://e.org/?&&&&&&&&&&&&&&&&&&&&">x</a>'
    expect(codeOf(await create({ body: { html: grows.repeat(960) }, recipients: [user('ann')] }))).toEqual([
      400,
      'VALIDATION_ERROR',
    ])
    await create({ id, body: { html: grows.repeat(300) }, recipients: [user('ann')] })
    const before = (await w.read(id, 'author')).body
    expect(before.body.html.length).toBeGreaterThan(35_000)
    expect(await patch(id, before)).toMatchObject({ status: 200, body: before })
  })

  it('field by field', async () => {
    const id = newId()
    await create({
      id,
      external_id: 'before',
      body: { plain: 'a', html: '<p>a</p>' },
      settings: { a: { b: 1, c: 2 }, d: 3 },
      recipients: [user('ann')],
    })
    const at = async (body: object) => (await patch(id, body)).body
    expect((await at({ body: { html: '<p>new</p>' } })).body).toEqual({ plain: 'new', html: '<p>new</p>' })
    expect((await at({ body: { content_format: 'PLAIN', contentPlain: 'x' } })).body).toEqual({ plain: 'x' })
    expect((await at({ body: null })).body).toEqual({})
    expect((await at({ settings: { a: { b: null }, d: [1] } })).settings).toEqual({ a: { c: 2 }, d: [1] })
    expect((await at({ settings: null })).settings).toBeNull()
    expect((await at({ due_at: { due_at_type: 'DATE', date: '2026-12-01' } })).due_at).toMatchObject({
      date: '2026-12-01',
    })
    const moment = { due_at_type: 'DATE_TIME', date_time: '2026-12-02T10:00:00.000Z' }
    expect((await at({ due_at: { date: '2026-12-02' } })).due_at).toEqual({ due_at_type: 'DATE', date: '2026-12-02' })
    expect((await at({ due_at: moment })).due_at).toEqual(moment)
    expect((await at({ due_at: { date_time: '2026-12-02T11:00:00+01:00' } })).due_at).toEqual(moment)
    expect((await at({ due_at: { due_at_type: 'DATE_TIME' } })).due_at).toEqual(moment)
    expect(codeOf(await patch(id, { due_at: { due_at_type: 'DATE' } }))).toEqual([400, 'INVALID_DUE_DATE'])
    expect(codeOf(await patch(id, { due_at: { date: '2026-12-02' } }))).toEqual([400, 'INVALID_DUE_DATE'])
    expect(codeOf(await patch(id, { due_at: { date_time: null } }))).toEqual([400, 'INVALID_DUE_DATE'])
    expect((await at({ due_at: null })).due_at).toBeNull()
    expect((await patch(id, { due_at: { date: '2026-12-02' } })).body).toMatchObject({
      error_code: 'INVALID_DUE_DATE',
      property: 'due_at.due_at_type',
    })
    expect((await at({ external_id: 'after' })).external_id).toBe('after')
    expect(await service.store.get(taskExternalIdKey('author', 'before'))).toBeUndefined()
    expect(await idsOf('external_id=after')).toEqual([id])
    expect((await at({ external_id: null })).external_id).toBeNull()
    expect(await service.store.get(taskExternalIdKey('author', 'after'))).toBeUndefined()
  })

  it.each([
    [{ title: null }, 'VALIDATION_ERROR'],
    [{ title: '' }, 'VALIDATION_ERROR'],
    [{ due_at: { due_at_type: 'DATE' } }, 'INVALID_DUE_DATE'],
    [{ due_at: 5, title: 5 }, 'INVALID_DUE_DATE'],
    [{ due_at: { date: '2026-02-30', unknown: 1 } }, 'INVALID_DUE_DATE'],
    [{ body: { delta: 'x' } }, 'VALIDATION_ERROR'],
    [{ settings: 'x' }, 'VALIDATION_ERROR'],
    [{ unknown: 1 }, 'VALIDATION_ERROR'],
  ])('not by %j', async (body, code) => {
    const id = newId()
    await create({ id, recipients: [user('ann')] })
    expect(codeOf(await patch(id, body))).toEqual([400, code])
  })

  it('within its limits and names', async () => {
    const id = newId()
    const [settings, body] = [{ a: 'x'.repeat(6_000) }, { plain: 'x'.repeat(30_000) }]
    await create({ id, external_id: 'one', settings, body, recipients: [user('ann')] })
    await create({ external_id: 'two', recipients: [user('ann')] })
    expect(codeOf(await patch(id, { external_id: 'two' }))).toEqual([409, 'DUPLICATE_EXTERNAL_ID'])
    const more = { settings: { b: settings.a }, body: { html: 'y'.repeat(30_000) } }
    expect(codeOf(await patch(id, more))).toEqual([400, 'VALIDATION_ERROR'])
    const refused = await patch(id, { ...more, due_at: { date: '2026-01-01' } })
    expect(codeOf(refused)).toEqual([400, 'INVALID_DUE_DATE'])
    const places = refused.body.errors.map(({ property }: Any) => property)
    expect(places.sort()).toEqual(['body', 'due_at.due_at_type', 'settings'])
  })

  it.each([1, 97, 98])('and %i recipients have it sorted by its new due date', async (count) => {
    const id = newId()
    await create({ id, recipients: crowd.slice(0, count).map(user) })
    await patch(id, { due_at: { due_at_type: 'DATE', date: '2020-01-01' } })
    await audit(service)
    const query = 'distribution_kind=RECEIVED&sort=DUE_AT_ASC&page_limit=1'
    for (const as of [crowd[0] as string, crowd[count - 1] as string])
      expect((await call('listOwnTaskAssignments', { query, as })).body.assignments[0].task_id).toBe(id)
    await patch(id, { due_at: null })
  })

  it('twice at once, and ends as the last one says', async () => {
    const id = newId()
    const created = await create({ id, recipients: crowd.slice(0, 100).map(user) })
    expect([created.status, created.body.assignment_summary.total]).toEqual([201, 100])
    const days = ['2026-12-01', '2026-12-02', '2026-12-03']
    const replies = await Promise.all(days.map((date) => patch(id, { due_at: { due_at_type: 'DATE', date } })))
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200])
    await w.later(service)
  })

  it('while a recipient is gone for good, who is left alone', async () => {
    const id = newId()
    await w.newUser('leaver')
    await create({ id, recipients: [user('leaver'), user('ann')] })
    await call('deleteUser', { path: { user_id: 'leaver' } })
    service.setNow(new Date(service.now().getTime() + 15 * 86_400_000))
    await w.purge(service)
    expect((await patch(id, { due_at: { due_at_type: 'DATE', date: '2027-01-01' } })).status).toBe(200)
  })
})

describe('a task is deleted', () => {
  it.each([1, 97, 98])('with its %i assignments', async (count) => {
    const id = newId()
    await create({ id, external_id: id, recipients: crowd.slice(0, count).map(user) })
    await w.finish(id, 'c-0')
    await w.read(id, 'c-0')
    expect(await remove(id)).toMatchObject({ status: 204 })
    expect(await remains(id)).toEqual([])
    expect(await service.store.get(taskExternalIdKey('author', id))).toBeUndefined()
    for (const as of ['author', 'c-0']) expect(codeOf(await w.read(id, as))).toEqual([404, 'TASK_NOT_FOUND'])
    expect(codeOf(await w.finish(id, 'c-0'))).toEqual([404, 'TASK_NOT_FOUND'])
    expect(codeOf(await w.open(id, 'c-0'))).toEqual([404, 'TASK_NOT_FOUND'])
    expect(codeOf(await w.removeOne(id, 'c-0'))).toEqual([404, 'TASK_NOT_FOUND'])
    // Nobody else learns that there was one, or that there is another.
    expect(codeOf(await w.removeOne(id, 'c-0', 'bob'))).toEqual([404, 'TASK_ASSIGNMENT_NOT_FOUND'])
    expect(codeOf(await w.add(id, 'ann'))).toEqual([404, 'TASK_NOT_FOUND'])
    expect(codeOf(await patch(id, { title: 'x' }))).toEqual([404, 'TASK_NOT_FOUND'])
    expect(codeOf(await remove(id))).toEqual([404, 'TASK_NOT_FOUND'])
    // Both ids are free again.
    expect((await create({ id, external_id: id, recipients: [user('ann')] })).status).toBe(201)
  })

  it('and its id stays taken until all of it is removed', async () => {
    const id = newId()
    await create({ id, recipients: [user('ann'), ...crowd.slice(0, 99).map(user)] })
    await w.addMany(id, crowd.slice(99, 130))
    // The call dies after its first transaction: the record is gone, most assignments are left.
    const { heal } = dieAfterWrite(service.client, 1)
    await remove(id).finally(heal)
    expect(codeOf(await create({ id, recipients: [user('ann')] }))).toEqual([409, 'DUPLICATE_ID'])
    expect(codeOf(await w.read(id, 'ann'))).toEqual([404, 'TASK_NOT_FOUND'])
    expect(codeOf(await w.finish(id, 'ann'))).toEqual([404, 'TASK_NOT_FOUND'])
    const shown = (await call('listOwnTaskAssignments', { query: 'distribution_kind=RECEIVED', as: 'ann' })).body
    expect(shown.assignments.map(({ task_id }: Any) => task_id)).not.toContain(id)
    expect(await idsOf('', 'ann')).not.toContain(id)
    const all = (
      await call('listOwnTaskAssignments', { query: 'distribution_kind=RECEIVED&page_limit=100', as: 'ann' })
    ).body
    expect((await own('ann'))[0]).toBe(all.assignments.length)
    await w.later(service)
    expect(await remains(id)).toEqual([])
  })
})

describe('callers', () => {
  const operations: [string, (id: string, as: string) => Promise<Any>][] = [
    ['updateTask', (id, as) => patch(id, { title: 'x' }, as)],
    ['deleteTask', remove],
    ['getTaskSummary', (task_id, as) => call('getTaskSummary', { path: { task_id }, as })],
  ]
  it.each(operations)('%s is for the author', async (_name, ask) => {
    const id = newId()
    await create({ id, recipients: [user('ann')] })
    for (const as of ['ann', 'bob', 'admin']) expect(codeOf(await ask(id, as))).toEqual([404, 'TASK_NOT_FOUND'])
    expect((await ask(id, 'author')).status).toBeLessThan(300)
    expect(codeOf(await ask('nowhere', 'author'))).toEqual([404, 'TASK_NOT_FOUND'])
  })
})

describe('lists of tasks', () => {
  const author = 'cid'
  const due = (date: string) => ({ due_at_type: 'DATE', date })
  const made: Record<string, string> = {}
  beforeAll(async () => {
    const make = async (name: string, parts: object, as = author) => {
      service.setNow(new Date(service.now().getTime() + 1000))
      made[name] = (await create({ id: `list-${name}`, title: name, ...parts }, as)).body.id
    }
    await make('1', { recipients: [user('cid')] })
    await make('10', { due_at: due('2026-12-01'), external_id: 'ext', recipients: [user('bob'), user('cid')] })
    await make('2', { due_at: due('2026-12-02'), recipients: [user('ann')] })
    await make(
      'given',
      { due_at: due('2026-12-01'), external_id: 'ext', recipients: [user('cid'), user('bob')] },
      'ann',
    )
    await make('given-0', { recipients: [user('cid')] }, 'bob')
    await make('of-others', { recipients: [user('bob')] }, 'ann')
    await w.finish('list-2', 'ann')
    await w.finish('list-given', 'cid')
    await patch('list-1', { body: { html: '<p>changed</p>' } }, author)
  })
  const named = async (query = '', as = author) =>
    (await idsOf(query, as)).map((id: string) => id.slice('list-'.length))

  it.each([
    ['', ['1', 'given-0', 'given', '2', '10']],
    ['sort=UPDATED_AT_ASC', ['10', '2', 'given', 'given-0', '1']],
    ['sort=DUE_AT_ASC', ['10', 'given', '2', '1', 'given-0']],
    ['sort=DUE_AT_DESC', ['2', 'given', '10', 'given-0', '1']],
    ['sort=DUE_AT_DESC,UPDATED_AT_ASC', ['2', '10', 'given', 'given-0', '1']],
    ['distribution_kind=PERSONAL', ['1']],
    ['distribution_kind=RECEIVED', ['given-0', 'given']],
    ['distribution_kind=DISTRIBUTED', ['2', '10']],
    ['distribution_kind=PERSONAL,RECEIVED', ['1', 'given-0', 'given']],
    ['distribution_kind=', ['1', 'given-0', 'given', '2', '10']],
    ['progress_status=FINISHED', ['given', '2']],
    ['progress_status=OPEN', ['1', 'given-0', '10']],
    ['progress_status=OPEN,FINISHED&distribution_kind=DISTRIBUTED', ['2', '10']],
    ['external_id=ext', ['given', '10']],
    ['external_id=EXT', []],
    ['external_id=ext&progress_status=OPEN', ['10']],
  ])('%s', async (query, expected) => {
    expect(await named(query)).toEqual(expected)
    // The same, one by one.
    const walked: string[] = []
    let cursor = `${query}&page_limit=1`
    for (let page = 0; page < 10 && cursor; page++) {
      const { body } = await list(cursor, author)
      walked.push(...body.tasks.map(({ title }: Any) => title))
      cursor = body.pagination.has_more ? `page_limit=1&page_cursor=${body.pagination.next_cursor}` : ''
    }
    expect(walked).toEqual(expected)
  })

  it('show what reading a task shows', async () => {
    for (const id of await idsOf('', author)) await w.read(id, author)
    for (const one of (await list('', author)).body.tasks) expect(one).toEqual((await w.read(one.id, author)).body)
    expect((await list('body_format=PLAIN', author)).body.tasks[0].body).toEqual({ plain: 'changed' })
  })

  it.each([
    ['distribution_kind=ALL', 'distribution_kind'],
    ['progress_status=NEW', 'progress_status'],
    ['sort=TITLE_ASC', 'sort'],
    ['page_cursor=x', 'page_cursor'],
    ['page_limit=101', 'page_limit'],
  ])('not by %s', async (query, property) => {
    const { status, body } = await list(query, author)
    expect([status, body.error_code, body.property]).toEqual([400, 'VALIDATION_ERROR', property])
  })

  it('go on for who made the cursor', async () => {
    const { body } = await list('page_limit=1', author)
    expect((await list(`page_cursor=${body.pagination.next_cursor}`, 'ann')).status).toBe(400)
  })

  it('are summed up for the recipient, as their own list is', async () => {
    // Reading opens what is new.
    for (const id of await idsOf('', author)) await w.read(id, author)
    const all = 'distribution_kind=RECEIVED,PERSONAL&page_limit=100'
    for (const as of ['cid', 'ann', 'bob', 'author', 'plain']) {
      const { assignments } = (await call('listOwnTaskAssignments', { query: all, as })).body
      const of = (status: string) => assignments.filter((one: Any) => one.progress_status === status).length
      expect(await own(as)).toEqual([assignments.length, of('NEW'), of('OPEN'), of('FINISHED')])
    }
    expect(await own('cid')).toEqual([3, 0, 2, 1])
    const summary = await call('getTaskSummary', { path: { task_id: 'list-10' }, as: 'cid' })
    expect(w.numbers(summary.body)).toEqual([2, 1, 1, 0])
  })
})

// No task above is changed by a later test, so whatever was left of one is seen here.
it('leaves the table whole', () => audit(service))
