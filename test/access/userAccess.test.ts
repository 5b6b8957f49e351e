import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { type Any, call } from '../harness/call.ts'
import { runs, SEED } from '../harness/runs.ts'
import { ordinary } from '../harness/seed.ts'
import { startService } from '../harness/service.ts'
import { firstRule } from '../rules/rules.ts'
import { scim } from '../scim/scim.ts'

// What one user holds, read from the user, against the lists of groups and channels, SCIM, and what the user reads.

const title = (text: string) => [{ language: 'en-GB', text }]
const ok = async (name: string, request: Any): Promise<Any> => {
  const { status, body } = await call(name, request)
  expect([name, status < 300, body?.error_code]).toEqual([name, true, undefined])
  return body
}

/** All roles of a user, page by page. */
async function accessOf(user_id: string, page_limit = 100, headers: Record<string, string> = {}): Promise<Any[]> {
  const found: Any[] = []
  for (let query: Any = { page_limit }; query; ) {
    const { access, pagination } = await ok('listUserAccess', { path: { user_id }, query, headers })
    found.push(...access)
    query = pagination.has_more ? { page_limit, page_cursor: pagination.next_cursor } : undefined
  }
  return found
}

const people = ['ann', 'ben', 'cid']
const groupIds = ['g0', 'g1', 'g2', 'g3', 'g4']
const channelIds = ['c0', 'c1', 'c2']
const below = fc.nat({ max: 4 })
const directory = fc.record({
  parents: fc.tuple(below, below, below, below, below),
  archived: fc.subarray(groupIds, { maxLength: 2 }),
  closed: fc.subarray(channelIds, { maxLength: 1 }),
  held: fc.uniqueArray(
    fc.tuple(
      fc.constantFrom(...people),
      fc.constantFrom(...groupIds),
      fc.constantFrom('group-owner', 'group-member', 'coach'),
    ),
    { maxLength: 8, selector: String },
  ),
  direct: fc.uniqueArray(fc.tuple(fc.constantFrom(...people), fc.constantFrom(...channelIds)), {
    maxLength: 4,
    selector: String,
  }),
  attached: fc.uniqueArray(fc.tuple(fc.constantFrom(...channelIds), fc.constantFrom(...groupIds)), {
    maxLength: 8,
    selector: String,
  }),
  ruled: fc.subarray(groupIds, { maxLength: 2 }),
  primary: fc.constantFrom(...groupIds, 'all-users'),
})
type Directory = typeof directory extends fc.Arbitrary<infer T> ? T : never

async function build({ parents, archived, closed, held, direct, attached, ruled, primary }: Directory): Promise<void> {
  for (const [n, id] of groupIds.entries()) {
    const parent_id = (parents[n] as number) < n ? `g${parents[n]}` : 'root'
    await ok('createGroup', { body: { id, title: title(`Group ${9 - n}`), parent_id } })
  }
  for (const id of people)
    await ok('createUser', {
      body: { ...ordinary, id, username: id, first_name: id, last_name: id, tags: [{ name: 'ruled' }] },
    })
  await ok('updateUser', { path: { user_id: 'ann' }, body: { primary_user_group_id: primary } })
  for (const [user_id, group_id, role_id] of held)
    await call('createGroupAssignment', { path: { group_id }, body: { user_id, role_id } })
  for (const user_group_id of ruled)
    await ok('createRule', {
      body: {
        title: `Of ${user_group_id}`,
        user_group_id,
        role_id: 'coach',
        conditions: [{ field: 'TAG', operator: 'IS_SET' }],
      },
    })
  for (const id of channelIds) await ok('createChannel', { body: { id, title: title(`Channel ${id}`) } })
  for (const [user_id, channel_id] of direct)
    await ok('createChannelAssignment', { path: { channel_id, user_id }, body: { role_id: 'channel-owner' } })
  for (const [nth, [channel_id, user_group_id]] of attached.entries()) {
    const role_id = nth % 2 ? 'channel-owner' : 'channel-member'
    await ok('createChannelGroup', { path: { channel_id }, body: { user_group_id, role_id } })
  }
  for (const group_id of archived) await ok('archiveGroup', { path: { group_id } })
  for (const channel_id of closed) await ok('archiveChannel', { path: { channel_id } })
}

const shortOf = ({ kind, target, role, source, rules, through }: Any) => [
  kind,
  target.id,
  target.status,
  role.id,
  source,
  rules.map(({ id }: Any) => id).sort(),
  through.map((one: Any) => one.user_group.id).sort(),
]
const sorted = (all: Any[]): string[] => all.map((one) => JSON.stringify(one)).sort()

/** Everything that a user holds, by the lists of groups and channels. */
async function byLists(user: string): Promise<Any[]> {
  const { groups } = await ok('listGroups', { query: { page_limit: 100 } })
  const groupOf = new Map<string, Any>(groups.map((one: Any) => [one.id, one]))
  const found: Any[] = []
  for (const { id, status } of groups) {
    const { assignments } = await ok('listGroupAssignments', { path: { group_id: id }, query: { page_limit: 100 } })
    for (const one of assignments.filter((each: Any) => each.id.user_id === user)) {
      const { rule_ids = [] } = await ok('getGroupAssignment', { path: one.id })
      found.push(['USER_GROUP', id, status, one.id.role_id, one.source, rule_ids.sort(), []])
    }
  }
  /** Whether the user belongs to an active group that is this one or below it. */
  const isIn = (group: string): boolean =>
    found.some(([kind, target, status]) => {
      if (kind !== 'USER_GROUP' || status !== 'ACTIVE') return false
      for (let at = target; at; at = groupOf.get(at)?.parent_id) if (at === group) return true
      return false
    })
  for (const { id, status } of (await ok('listChannels', { query: { page_limit: 100 } })).channels) {
    const path = { channel_id: id }
    const { assignments } = await ok('listChannelAssignments', { path, query: { page_limit: 100 } })
    const attached = (await ok('listChannelGroups', { path, query: { page_limit: 100 } })).assignments
    for (const one of assignments.filter((each: Any) => each.id.user_id === user)) {
      const through = attached
        .filter((each: Any) => each.role_id === one.id.role_id && each.user_group.status === 'ACTIVE' && isIn(each.id))
        .map((each: Any) => each.id)
      found.push(['CHANNEL', id, status, one.id.role_id, one.source, [], one.source === 'MANUAL' ? [] : through.sort()])
    }
  }
  return found
}

it('is what the lists, SCIM and the user say, in any directory', async () => {
  const property = fc.asyncProperty(directory, async (made) => {
    const service = await startService({ indexes: 'all' })
    await firstRule(service)
    await build(made)
    for (const user of people) {
      const access = await accessOf(user, 3)
      const shown = access.map(shortOf)
      expect(sorted(shown)).toEqual(sorted(await byLists(user)))
      const ordered = access.map(({ kind, target, role }: Any) =>
        [kind === 'CHANNEL' ? 1 : 0, target.title.text, role.title.text].join(),
      )
      expect(ordered).toEqual(ordered.toSorted())
      const { body } = await scim('GET', `/Users/${user}`)
      const member = shown.filter(
        ([kind, id, status, role]) =>
          kind === 'USER_GROUP' && status === 'ACTIVE' && role === 'group-member' && id !== 'all-users',
      )
      expect((body.groups ?? []).map((one: Any) => one.value).sort()).toEqual(member.map(([, id]) => id).sort())
      const { user_groups } = await ok('listOwnGroups', { as: user, query: { page_limit: 100 } })
      const inGroups = user_groups.flatMap((one: Any) => one.roles.map((role: Any) => [one.user_group.id, role.id]))
      expect(sorted(inGroups)).toEqual(
        sorted(shown.filter(([kind]) => kind === 'USER_GROUP').map(([, id, , role]) => [id, role])),
      )
      const { channels } = await ok('listOwnChannels', { as: user, query: { page_limit: 100 } })
      const onChannels = channels.flatMap((one: Any) => one.roles.map((role: Any) => [one.id, role.id]))
      const active = shown.filter(([kind, , status]) => kind === 'CHANNEL' && status === 'ACTIVE')
      expect(sorted(onChannels)).toEqual(sorted(active.map(([, id, , role]) => [id, role])))
      for (const channel_id of channelIds) {
        const { status, body: one } = await call('getOwnChannel', { as: user, path: { channel_id } })
        const listed = channels.find(({ id }: Any) => id === channel_id)
        expect([channel_id, status, one.id && one]).toEqual([channel_id, listed ? 200 : 404, listed])
      }
    }
    service.activate()
  })
  await fc.assert(property, { numRuns: runs(6), seed: SEED })
}, 120_000)

describe('a user', () => {
  const path = { user_id: 'plain' }
  beforeAll(async () => {
    await firstRule(await startService({ indexes: 'all' }))
    await ok('createAttributeDefinition', {
      body: { technical_name: 'rating', title: title('Rating'), attribute_type: 'TEXT', user_permission: 'HIDDEN' },
    })
    await ok('updateUser', { path, body: { attributes: { rating: 'C', note: 'seen' }, tags: [{ name: 'secret' }] } })
    const words = [
      ['A', 'Z'],
      ['B', 'Y'],
      ['C', 'X'],
      ['D', 'W'],
    ] as const
    for (const [english, german] of words) {
      const texts = [...title(english), { language: 'de-DE', text: german }]
      await ok('createGroup', { body: { id: english, title: texts, parent_id: 'root' } })
      await ok('createGroupAssignment', {
        path: { group_id: english },
        body: { user_id: 'plain', role_id: 'group-member' },
      })
    }
    await ok('createRule', {
      body: {
        title: 'Tagged',
        user_group_id: 'A',
        role_id: 'coach',
        conditions: [{ field: 'TAG', operator: 'IS_SET' }],
      },
    })
  })

  it('reads their record without tags and hidden attributes, and the etag tells nothing of these', async () => {
    const first = await call('getMe', { as: 'plain' })
    expect(first.status).toBe(200)
    expect(first.body).toMatchObject({
      id: 'plain',
      attributes: [{ name: 'note', value: 'seen' }],
      languages: ['en-GB', 'de-DE'],
    })
    expect(first.body).not.toHaveProperty('tags')
    const { updated_at } = first.body
    // The clock stands still, so only what is hidden changes.
    await ok('updateUser', { path, body: { attributes: { rating: 'D' }, tags: [{ name: 'other' }] } })
    const second = await call('getMe', { as: 'plain' })
    expect(second.body.updated_at).toBe(updated_at)
    expect(second.headers.etag).toBe(first.headers.etag)
    await ok('updateUser', { path, body: { attributes: { note: 'new' } } })
    expect((await call('getMe', { as: 'plain' })).headers.etag).not.toBe(first.headers.etag)
  })

  it('is listed in the language of the first call to the end', async () => {
    const german = { 'accept-language': 'de-DE' }
    const ids = (all: Any[]) => all.map(({ target }) => target.id).filter((id) => id.length === 1)
    expect(ids(await accessOf('plain'))).toEqual(['A', 'A', 'B', 'C', 'D'])
    expect(ids(await accessOf('plain', 100, german))).toEqual(['D', 'C', 'B', 'A', 'A'])
    const { body } = await call('listUserAccess', { path, query: { page_limit: 2 }, headers: german })
    const rest = await ok('listUserAccess', {
      path,
      query: { page_cursor: body.pagination.next_cursor, page_limit: 100 },
    })
    expect(ids([...body.access, ...rest.access])).toEqual(['D', 'C', 'B', 'A', 'A'])
  })

  it('of 200 roles is listed page by page', async () => {
    await ok('createUser', { body: { ...ordinary, id: 'many', username: 'many', first_name: 'M', last_name: 'Y' } })
    for (let n = 0; n < 200; n++)
      await ok('createGroup', { body: { id: `many-${n}`, title: title('Same'), parent_id: 'root' } })
    for (const from of [0, 100]) {
      const items = Array.from({ length: 100 }, (_, n) => ({
        group_id: `many-${from + n}`,
        body: { role_id: 'group-member', user_id: 'many' },
      }))
      await ok('createGroupAssignments', { body: { items } })
    }
    const all = await accessOf('many', 60)
    expect(new Set(all.map(({ target }) => target.id)).size).toBe(201)
    expect(all).toHaveLength(201)
  })

  it('pending deletion is shown without rules; one who is gone is not found', async () => {
    const rulesOf = (all: Any[]) => all.flatMap(({ rules }) => rules)
    const before = await accessOf('plain')
    expect(rulesOf(before)).toEqual([{ id: expect.any(String), title: 'Tagged' }])
    await ok('deleteUser', { path })
    const after = await accessOf('plain')
    expect(after).toEqual(before.map((one) => ({ ...one, rules: [] })))
    for (const name of ['getMe', 'listOwnGroups', 'listOwnChannels'])
      expect((await call(name, { as: 'plain' })).body.error_code).toBe('ACTOR_NOT_ACTIVE')
    expect((await call('listUserAccess', { path: { user_id: 'nobody' } })).body.error_code).toBe('USER_NOT_FOUND')
  })
})
