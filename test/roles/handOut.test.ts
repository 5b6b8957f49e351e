import { randomUUID } from 'node:crypto'
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { importDirectory } from '../../domain/import/importDirectory.ts'
import { channels } from '../../domain/people/records/channel.ts'
import { mayAssign } from '../../domain/people/records/roleRules.ts'
import { itemOf } from '../../domain/table/changes.ts'
import { type Any, call } from '../harness/call.ts'
import { channelRecord, ordinary } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'

let service: Service
const admin = { kind: 'USER', role: 'ADMIN', status: 'ACTIVE' } as const
/** Roles of the harness's organisation, as the rule sees them. */
const roles = {
  'group-owner': { scope: 'USER_GROUPS' },
  coach: { scope: 'USER_GROUPS' },
  reserved: { scope: 'USER_GROUPS', assignable: false },
  'channel-owner': { scope: 'CHANNELS' },
} as const

beforeAll(async () => {
  service = await startService()
  await service.store.bulk([{ put: itemOf(channels, channelRecord('news')) }])
})

let serial = 0
const newUser = async (): Promise<string> => {
  const id = `someone-${++serial}`
  await call('createUser', { body: { ...ordinary, id, first_name: 'S', last_name: 'O', username: id } })
  return id
}

/** Every path on which a role of a group or channel is handed out; each answers whether it was. */
const paths: [string, 'USER_GROUPS' | 'CHANNELS', (user: string, role: string) => Promise<boolean>][] = [
  [
    'a group assignment',
    'USER_GROUPS',
    async (user_id, role_id) =>
      (await call('createGroupAssignment', { path: { group_id: 'sales' }, body: { user_id, role_id } })).status === 201,
  ],
  [
    'a batch of group assignments',
    'USER_GROUPS',
    async (user_id, role_id) => {
      const items = [{ group_id: 'sales', body: { user_id, role_id } }]
      return (await call('createGroupAssignments', { body: { items } })).body.items[0].status === 201
    },
  ],
  [
    'an assignment on a channel',
    'CHANNELS',
    async (user_id, role_id) =>
      (await call('createChannelAssignment', { path: { channel_id: 'news', user_id }, body: { role_id } })).status ===
      201,
  ],
  [
    'an imported group assignment',
    'USER_GROUPS',
    (user_id, role_id) =>
      imported({ user_group_assignments: [{ group_id: 'sales', user_id, role_id, source: 'MANUAL' }] }),
  ],
  [
    'an imported assignment on a channel',
    'CHANNELS',
    (user_id, role_id) => imported({ channel_assignments: [{ channel_id: 'news', user_id, role_id }] }),
  ],
]

const imported = (directory: object): Promise<boolean> =>
  importDirectory({ store: service.store, now: service.now().toISOString(), newId: randomUUID }, directory).then(
    () => true,
    () => false,
  )

describe('one rule decides whether a role may be handed out', () => {
  describe.each(paths)('by %s', (_name, scope, handOut) => {
    it.each(Object.entries(roles))('%s', async (id, role) => {
      expect(await handOut(await newUser(), id)).toBe(mayAssign(admin, role, scope))
    })
  })

  it('lists as assignable exactly what it accepts', async () => {
    const group = await call('listAssignableGroupRoles', { path: { group_id: 'sales' } })
    const channel = await call('listAssignableChannelRoles', { path: { channel_id: 'news' } })
    const listed = (list: Any): string[] => list.body.assignable_roles.map(({ role_id }: Any) => role_id)
    for (const [id, role] of Object.entries(roles)) {
      expect(listed(group).includes(id)).toBe(mayAssign(admin, role, 'USER_GROUPS'))
      expect(listed(channel).includes(id)).toBe(mayAssign(admin, role, 'CHANNELS'))
    }
  })

  it('lets administrators make administrators, by creation, patch, batch and import', async () => {
    const [first, second] = [await newUser(), await newUser()]
    const made = { first_name: 'A', last_name: 'B', username: 'made', role: 'ADMIN' }
    expect((await call('createUser', { body: { ...ordinary, id: 'made', ...made } })).body.role).toBe('ADMIN')
    expect((await call('updateUser', { path: { user_id: first }, body: { role: 'ADMIN' } })).body.role).toBe('ADMIN')
    const items = [{ id: second, body: { role: 'ADMIN' } }]
    expect((await call('updateUsers', { body: { items } })).body.items[0].body.role).toBe('ADMIN')
    expect(await imported({ users: [{ ...made, id: 'brought', username: 'brought' }] })).toBe(true)
  })

  it('gives the role of the primary group to everybody, assignable or not', async () => {
    const id = await newUser()
    await call('updateUser', { path: { user_id: id }, body: { primary_user_group_id: 'sales' } })
    const path = { group_id: 'sales', user_id: id, role_id: 'group-member' }
    expect((await call('getGroupAssignment', { path })).body.source).toBe('PRIMARY')
  })

  it('never says yes to anybody but an active administrator, nor for another scope', () => {
    const scopes = fc.constantFrom('ORGANISATION' as const, 'USER_GROUPS' as const, 'CHANNELS' as const)
    const actors = fc.record({
      kind: fc.constant('USER' as const),
      role: fc.constantFrom('USER' as const, 'ADMIN' as const),
      status: fc.constantFrom(
        'ACTIVE' as const,
        'LOCKED' as const,
        'DEACTIVATED' as const,
        'PENDING_DELETION' as const,
      ),
    })
    fc.assert(
      fc.property(actors, scopes, scopes, fc.boolean(), (actor, scope, target, assignable) => {
        const isAllowed = mayAssign(actor, { scope, assignable }, target)
        if (isAllowed) expect([actor, scope, assignable]).toEqual([admin, target, true])
      }),
    )
  })
})
