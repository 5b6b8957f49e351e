import { beforeAll, describe, expect, it } from 'vitest'
import { groupMembers } from '../../domain/people/records/group.ts'
import { MOST_MEMBERS } from '../../domain/scim/groupMembers.ts'
import { GROUP_URN } from '../../domain/scim/schema.ts'
import { roleCount } from '../../domain/table/keys.ts'
import { readAllWork } from '../../domain/table/readWork.ts'
import { newWorker } from '../../local/start/workerLoop.ts'
import { audit } from '../harness/audit.ts'
import { type Any, call } from '../harness/call.ts'
import { people } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'
import { ADDRESS, expectAnswer, patchBody, scim } from './scim.ts'

// Groups by SCIM, with what directories send.

/** More members than one entry of noted work has, which is 500. */
const MANY = 550
let service: Service
let last = 0
const unique = (name: string) => `${name} ${++last}`
const ids = Array.from({ length: MANY }, (_, n) => `m-${String(n).padStart(4, '0')}`)

beforeAll(async () => {
  service = await startService({
    indexes: ['by_last_name', 'find'],
    users: [
      ...people,
      ...ids.map((id, n) => ({
        id,
        username: id,
        status: n % 50 === 7 ? ('DEACTIVATED' as const) : ('ACTIVE' as const),
      })),
      {
        id: 'leaving',
        username: 'leaving',
        status: 'PENDING_DELETION',
        previous_status: 'ACTIVE',
        deletion_at: '2026-12-01T00:00:00.000Z',
      },
    ],
  })
})

const post = (body: object) => scim('POST', '/Groups', { body: { schemas: [GROUP_URN], ...body } })
const get = (id: string, query = {}) => scim('GET', `/Groups/${id}`, { query })
const patch = (id: string, ...operations: unknown[]) =>
  scim('PATCH', `/Groups/${id}`, { body: patchBody(...operations) })
const members = (...users: string[]) => users.map((value) => ({ $ref: null, value }))
const membersOf = async (id: string): Promise<string[]> =>
  ((await get(id)).body.members ?? []).map(({ value }: Any) => value).sort()
async function newGroup(body: object = {}): Promise<Any> {
  const reply = await post({ displayName: unique('Group'), ...body })
  expectAnswer(reply, 201)
  return reply.body
}
const sourceOf = async (group_id: string, user_id: string): Promise<string | undefined> => {
  const path = { group_id, user_id, role_id: 'group-member' }
  return (await call('getGroupAssignment', { path })).body.source
}

describe('one group', () => {
  it('is created as Entra sends it: another schema, no members', async () => {
    const displayName = unique('Finance')
    const reply = await post({
      schemas: [GROUP_URN, 'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group'],
      externalId: 'ext-1',
      displayName,
      meta: { resourceType: 'Group' },
    })
    expectAnswer(reply, 201)
    const { id } = reply.body
    expect(reply.headers['location']).toBe(`${ADDRESS}/Groups/${id}`)
    expect(reply.body).toEqual({
      schemas: [GROUP_URN],
      id,
      externalId: 'ext-1',
      displayName,
      members: [],
      meta: {
        resourceType: 'Group',
        created: service.now().toISOString(),
        lastModified: service.now().toISOString(),
        location: `${ADDRESS}/Groups/${id}`,
        version: reply.headers['etag'],
      },
    })
    expect((await get(id)).body).toEqual(reply.body)
    expect((await call('getGroup', { path: { group_id: id } })).body).toMatchObject({
      title: [{ language: 'en-GB', text: displayName }],
      parent_id: 'root',
      type: 'CUSTOM',
    })
    expectAnswer(await post({ displayName: unique('Other'), externalId: 'ext-1' }), 409, 'uniqueness')
  })

  it('has a name that no other group has, in any letter case, also at the same time', async () => {
    const { displayName } = await newGroup()
    expectAnswer(await post({ displayName: displayName.toUpperCase() }), 409, 'uniqueness')
    const other = await newGroup()
    expectAnswer(await patch(other.id, { op: 'replace', path: 'displayName', value: displayName }), 409, 'uniqueness')
    const body = { displayName: unique('Race') }
    expect((await Promise.all([post(body), post(body)])).map(({ status }) => status).sort()).toEqual([201, 409])
  })

  it('is renamed by PATCH with 204, without a path as Okta sends it; other languages stay', async () => {
    const displayName = unique('Renamed')
    expectAnswer(await patch('sales', { op: 'replace', value: { id: 'sales', displayName } }), 204)
    expect((await call('getGroup', { path: { group_id: 'sales' } })).body.title).toEqual([
      { language: 'en-GB', text: displayName },
      { language: 'de-DE', text: 'Gruppe sales' },
    ])
    const shown = await scim('PATCH', '/Groups/sales', {
      query: { attributes: 'displayName' },
      body: patchBody({ op: 'add', path: 'externalId', value: 'ext-sales' }),
    })
    expectAnswer(shown, 200)
    expect(shown.body).toEqual({ schemas: [GROUP_URN], id: 'sales', displayName })
    expect((await get('sales')).body.externalId).toBe('ext-sales')
    expectAnswer(await patch('sales', { op: 'remove', path: 'externalId' }), 204)
    expect((await get('sales')).body).not.toHaveProperty('externalId')
  })

  it.each([
    [{ op: 'remove', path: 'displayName' }, 'mutability'],
    [{ op: 'add', path: 'hat', value: 1 }, 'invalidPath'],
    [{ op: 'add', path: 'members', value: [{ value: 'nobody' }] }, 'invalidValue'],
    [{ op: 'add', path: 'members', value: [{ value: 'leaving' }] }, 'invalidValue'],
    [{ op: 'add', path: 'members', value: [{ value: 'plain', type: 'Group' }] }, 'invalidValue'],
    [{ op: 'add', path: 'members', value: [{ display: 'plain' }] }, 'invalidValue'],
    [{ op: 'remove', path: 'members[display eq "x"]' }, 'invalidFilter'],
    [{ op: 'replace', path: 'members[value eq "plain"].value', value: 'admin' }, 'mutability'],
    [{ op: 'replace', path: 'displayName', value: 'x'.repeat(1000) }, 'invalidValue'],
  ])('refuses %j and changes nothing', async (wrong, scimType) => {
    const { id } = await newGroup({ members: members('plain') })
    expectAnswer(await patch(id, { op: 'add', path: 'members', value: members('admin') }, wrong), 400, scimType)
    expect(await membersOf(id)).toEqual(['plain'])
  })

  it('is not there if it is archived, predefined, or unknown', async () => {
    for (const id of ['archived', 'root', 'all-users', 'nowhere', 'no%20id']) expectAnswer(await get(id), 404)
  })

  it('is deleted in one step, unless others lie below it', async () => {
    const { id } = await newGroup({ members: members('m-0070', 'm-0001') })
    const child = await call('createGroup', { body: { title: [{ language: 'en-GB', text: 'below' }], parent_id: id } })
    expectAnswer(await scim('DELETE', `/Groups/${id}`), 409)
    await call('archiveGroup', { path: { group_id: child.body.id } })
    await call('deleteGroup', { path: { group_id: child.body.id } })
    const old = (await get(id)).headers['etag'] ?? ''
    await patch(id, { op: 'replace', path: 'displayName', value: unique('Last') })
    expectAnswer(await scim('DELETE', `/Groups/${id}`, { headers: { 'if-match': old } }), 412)
    expectAnswer(await scim('DELETE', `/Groups/${id}`), 204)
    expectAnswer(await get(id), 404)
    expectAnswer(await scim('DELETE', `/Groups/${id}`), 404)
    expect((await scim('GET', '/Users/m-0070')).body.groups).toEqual([])
  })
})

describe('members', () => {
  it('come and go by PATCH: lists with a null $ref, lists to remove, paths with value eq, replace', async () => {
    const { id, meta } = await newGroup({ members: members('m-0001') })
    expectAnswer(await patch(id, { op: 'Add', path: 'members', value: members('m-0002', 'm-0003', 'm-0007') }), 204)
    expect(await membersOf(id)).toEqual(['m-0001', 'm-0002', 'm-0003', 'm-0007'])
    expectAnswer(await patch(id, { op: 'Add', path: 'members', value: members('m-0002') }), 204)
    expectAnswer(await patch(id, { op: 'Remove', path: 'members', value: members('m-0003', 'admin', 'nobody') }), 204)
    expect(await membersOf(id)).toEqual(['m-0001', 'm-0002', 'm-0007'])
    const both = [
      { op: 'remove', path: 'members[value eq "m-0001"]' },
      { op: 'add', path: 'members', value: members('m-0009') },
    ]
    expectAnswer(await patch(id, ...both), 204)
    expect(await membersOf(id)).toEqual(['m-0002', 'm-0007', 'm-0009'])
    expectAnswer(await patch(id, { op: 'replace', path: 'members', value: members('m-0009', 'm-0010') }), 204)
    expect(await membersOf(id)).toEqual(['m-0009', 'm-0010'])
    expect((await get(id)).body.meta).toEqual(meta)
    expectAnswer(await patch(id, { op: 'remove', path: 'members' }), 204)
    expect(await membersOf(id)).toEqual([])
  })

  it('PUT without members leaves them and externalId, [] empties', async () => {
    const group = await newGroup({ externalId: 'ext-put', members: members('m-0001', 'm-0002') })
    const { displayName } = group
    const kept = await scim('PUT', `/Groups/${group.id}`, { body: { displayName } })
    expectAnswer(kept, 200)
    expect(kept.body).toMatchObject({ displayName, externalId: 'ext-put' })
    expect(await membersOf(group.id)).toEqual(['m-0001', 'm-0002'])
    const reply = await scim('PUT', `/Groups/${group.id}`, {
      body: { displayName: unique('Put'), members: members('m-0002', 'm-0003') },
    })
    expect(reply.body.members.map(({ value }: Any) => value).sort()).toEqual(['m-0002', 'm-0003'])
    await scim('PUT', `/Groups/${group.id}`, { body: { displayName, members: [] } })
    expect(await membersOf(group.id)).toEqual([])
  })

  it('of the primary group stay; what was given by hand goes with it', async () => {
    const { id } = await newGroup()
    const user = (path: object) => call('updateUser', { path: { user_id: 'm-0020' }, body: path })
    await user({ primary_user_group_id: id })
    expectAnswer(await patch(id, { op: 'add', path: 'members', value: members('m-0020') }), 204)
    expect(await sourceOf(id, 'm-0020')).toBe('PRIMARY')
    expectAnswer(await patch(id, { op: 'remove', path: 'members[value eq "m-0020"]' }), 204)
    expect(await membersOf(id)).toEqual(['m-0020'])
    await patch(id, { op: 'add', path: 'members', value: members('m-0020') })
    await user({ primary_user_group_id: null })
    expect(await sourceOf(id, 'm-0020')).toBe('MANUAL')
    await user({ primary_user_group_id: id })
    await patch(id, { op: 'remove', path: 'members', value: members('m-0020') })
    await user({ primary_user_group_id: null })
    expect(await membersOf(id)).toEqual([])
    // What was given and withdrawn below the primary group has events, as it stays or ends later without one.
    const { events } = (await call('listUserEvents', { path: { user_id: 'm-0020' }, query: { sort: 'TIME_ASC' } })).body
    const types = events.map(({ type }: Any) => type).filter((type: string) => type.startsWith('user_group_assignment'))
    const [created, deleted] = ['user_group_assignment.created', 'user_group_assignment.deleted']
    // The clock stands still, so chains that follow each other are mixed.
    expect(types.sort()).toEqual([created, created, deleted, deleted])
  })

  it('each have an event, with the call behind it', async () => {
    const { id } = await newGroup()
    await patch(id, { op: 'add', path: 'members', value: members('m-0030') })
    await patch(id, { op: 'remove', path: 'members', value: members('m-0030') })
    const { events } = (await call('listUserEvents', { path: { user_id: 'm-0030' }, query: { sort: 'TIME_ASC' } })).body
    expect(events.slice(-2).map(({ type, actor }: Any) => [type, actor.operation])).toEqual([
      ['user_group_assignment.created', 'scimGroups'],
      ['user_group_assignment.deleted', 'scimGroups'],
    ])
  })

  it('pending deletion are not shown, and are shown again once they are restored', async () => {
    const { id } = await newGroup({ members: members('m-0040', 'm-0041') })
    await scim('DELETE', '/Users/m-0040')
    expect(await membersOf(id)).toEqual(['m-0041'])
    await call('restoreUser', { path: { user_id: 'm-0040' } })
    expect(await membersOf(id)).toEqual(['m-0040', 'm-0041'])
  })

  it('show on the user', async () => {
    const group = await newGroup({ members: members('m-0050') })
    expect((await scim('GET', '/Users/m-0050')).body.groups).toEqual([
      { value: group.id, $ref: `${ADDRESS}/Groups/${group.id}`, display: group.displayName, type: 'direct' },
    ])
  })
})

describe('hundreds of members', () => {
  const hundreds = ids.slice(0, MANY - 1)
  const other = `m-0${MANY - 1}`
  const workLeft = async () => (await readAllWork(service.store)).filter(({ kind }) => kind === 'members')

  it('come in one PATCH, and many go in another, with nothing left to do', async () => {
    const { id } = await newGroup()
    expectAnswer(await patch(id, { op: 'add', path: 'members', value: members(...hundreds) }), 204)
    expect(await membersOf(id)).toEqual(hundreds)
    expect(await workLeft()).toEqual([])
    expectAnswer(
      await patch(id, { op: 'replace', path: 'members', value: members(...hundreds.slice(200), other) }),
      204,
    )
    expect(await membersOf(id)).toEqual([...hundreds.slice(200), other])
    expect(await workLeft()).toEqual([])
  })

  it('are judged before any of them comes', async () => {
    const { id } = await newGroup()
    const value = members(...hundreds.slice(0, 200), 'nobody')
    expectAnswer(await patch(id, { op: 'add', path: 'members', value }), 400, 'invalidValue')
    expect(await membersOf(id)).toEqual([])
  })

  it('are completed when the call has no time, in the order of the requests', async () => {
    const { id } = await newGroup()
    const many = (op: string) => ({
      body: patchBody({ op, path: 'members', value: members(...ids.slice(0, 80)) }),
    })
    // There is no time for a step.
    const now = { timeLeft: 7_000 }
    expectAnswer(await scim('PATCH', `/Groups/${id}`, { ...now, ...many('add') }), 204)
    expect(await workLeft()).toHaveLength(1)
    expectAnswer(await scim('PATCH', `/Groups/${id}`, { ...now, ...many('remove') }), 204)
    expectAnswer(
      await scim('PATCH', `/Groups/${id}`, {
        ...now,
        body: patchBody({ op: 'add', path: 'members', value: members('m-0003') }),
      }),
      204,
    )
    expect(await workLeft()).toHaveLength(3)
    expect(await membersOf(id)).toEqual([])
    const worker = newWorker()
    await worker.look()
    await worker.idle()
    await worker.stop()
    expect(await workLeft()).toEqual([])
    expect(await membersOf(id)).toEqual(['m-0003'])
  })

  it('and more than an answer holds are left out, and refused where they are asked for', async () => {
    const { id, displayName } = await newGroup({ members: members('m-0080') })
    const shard = groupMembers(id).keyOf(0)
    const count = (by: number) => service.store.write([{ update: shard, add: { [roleCount('group-member')]: by } }])
    await count(MOST_MEMBERS)
    expect((await get(id)).body).not.toHaveProperty('members')
    expectAnswer(await get(id, { attributes: 'members' }), 400, 'tooMany')
    expect((await get(id, { attributes: 'displayName' })).body.displayName).toBe(displayName)
    const listed = await scim('GET', '/Groups', { query: { filter: `id eq "${id}"` } })
    expect(listed.body.Resources[0]).not.toHaveProperty('members')
    // A page ends before the group that would be too much with the others.
    await count(-1000)
    const whole = await scim('GET', '/Groups', { query: { excludedAttributes: 'members' } })
    const cut = await scim('GET', '/Groups', { query: { cursor: '' } })
    expect(cut.body.totalResults).toBe(whole.body.totalResults)
    const walked: Any[] = [...cut.body.Resources]
    for (let next = cut.body.nextCursor; next; ) {
      const { body }: Any = await scim('GET', '/Groups', { query: { cursor: next } })
      walked.push(...body.Resources)
      next = body.nextCursor
    }
    expect(walked.map((group) => group.id)).toEqual(whole.body.Resources.map((group: Any) => group.id))
    await count(-MOST_MEMBERS + 1000)
  })
})

describe('a list of groups', () => {
  const list = (query: Record<string, string | number>) => scim('GET', '/Groups', { query })
  const found = async (filter: string) => {
    const reply = await list({ filter, excludedAttributes: 'members' })
    expectAnswer(reply, 200)
    return reply.body.Resources.map(({ id }: Any) => id).sort()
  }

  it('is filtered by name without regard to case, externalId, id and member', async () => {
    const a = await newGroup({ externalId: 'list-a', members: members('m-0060') })
    const b = await newGroup({ externalId: 'list-b', members: members('m-0060', 'm-0061') })
    expect(await found(`displayName eq "${a.displayName.toUpperCase()}"`)).toEqual([a.id])
    expect(await found('externalId eq "list-b"')).toEqual([b.id])
    expect(await found('externalId eq "LIST-B"')).toEqual([])
    expect(await found(`id eq "${a.id}" and displayName pr`)).toEqual([a.id])
    expect(await found('id eq "archived"')).toEqual([])
    expect(await found('members eq "m-0060"')).toEqual([a.id, b.id].sort())
    expect(await found('members[value eq "m-0061"]')).toEqual([b.id])
    expect(await found(`members.value eq "m-0060" and not (id eq "${a.id}")`)).toEqual([b.id])
    expectAnswer(await list({ filter: 'members pr' }), 400, 'tooMany')
    expectAnswer(await list({ filter: 'hat eq "x"' }), 400, 'invalidFilter')
    const only = await list({ filter: `id eq "${b.id}"`, attributes: 'members' })
    expect(only.body.Resources[0].members.map(({ value }: Any) => value).sort()).toEqual(['m-0060', 'm-0061'])
  })

  it('has pages by index and by cursor', async () => {
    const all = (await list({ excludedAttributes: 'members' })).body
    expect(all.totalResults).toBe(all.Resources.length)
    const page = (await list({ startIndex: 2, count: 2, excludedAttributes: 'members' })).body
    expect(page).toMatchObject({
      totalResults: all.totalResults,
      itemsPerPage: 2,
      startIndex: 2,
      Resources: all.Resources.slice(1, 3),
    })
    const walked: Any[] = []
    let cursor: string | undefined = ''
    while (cursor !== undefined) {
      const { body }: Any = await list({ cursor, count: 7, excludedAttributes: 'members' })
      walked.push(...body.Resources)
      cursor = body.nextCursor
    }
    expect(walked).toEqual(all.Resources)
    expect(
      (await scim('POST', '/Groups/.search', { body: { count: 1, excludedAttributes: ['members'] } })).body,
    ).toMatchObject({
      totalResults: all.totalResults,
      itemsPerPage: 1,
    })
    const sorted = (await list({ sortBy: 'meta.lastModified', sortOrder: 'descending', excludedAttributes: 'members' }))
      .body
    expect(sorted.totalResults).toBe(all.totalResults)
    for (const sortBy of ['externalId', 'constructor', '__proto__'])
      expectAnswer(await list({ sortBy }), 400, 'invalidValue')
  })
})

it('leaves the table in order', () => audit(service))
