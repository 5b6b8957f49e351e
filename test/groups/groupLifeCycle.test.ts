import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { finishArchiving } from '../../domain/people/groups/moveToAllUsers.ts'
import { readOrganisation } from '../../domain/people/records/organisation.ts'
import { readWork } from '../../domain/table/readWork.ts'
import type { Entry } from '../../domain/table/workKinds.ts'
import { audit, dump } from '../harness/audit.ts'
import { type Any, call } from '../harness/call.ts'
import { dieAfterWrite, type StoreFault, strike } from '../harness/faults.ts'
import { ordinary } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'
import { codeOf, made, newUser, on, primaryOf, runSchedule, title } from './groupCalls.ts'

// User groups going out of service and coming back, and who leaves them then.

let service: Service
let serial = 0
let id = ''
beforeAll(async () => {
  service = await startService()
})
beforeEach(async () => {
  service.setNow('2026-11-21T09:00:00.000Z')
  id = `g-${++serial}`
  await made(id)
})

const archive = (group_id: string) => on('archiveGroup', group_id)
const assign = (group_id: string, user_id: string, role_id = 'group-member') =>
  call('createGroupAssignment', { path: { group_id }, body: { user_id, role_id } })
const sourceIn = async (group_id: string, user_id: string) =>
  (await call('getGroupAssignment', { path: { group_id, user_id, role_id: 'group-member' } })).body.source
const work = async () => (await dump(service)).filter(({ pk }) => pk === 'WORK')

describe('a group that is archived', () => {
  it('says so, refuses what archived groups refuse, and comes back', async () => {
    service.setNow('2026-11-21T10:00:00.000Z')
    const archived = await on('archiveGroup', id, { embed: 'ACTIONS,PATH' })
    expect(archived).toMatchObject({ status: 200, body: { id, status: 'ARCHIVED' } })
    expect(archived.body).toMatchObject({
      updated_at: '2026-11-21T10:00:00.000Z',
      title,
      path: [{ id: 'root' }, { id }],
    })
    expect(archived.body.actions).toMatchObject({ archive: { allowed: false }, restore: { allowed: true } })
    expect(await codeOf(archive(id))).toEqual(['USER_GROUP_ARCHIVED', 'group_id'])
    expect(await codeOf(assign(id, 'plain'))).toEqual(['USER_GROUP_ARCHIVED', 'group_id'])
    const below = call('createGroup', { body: { title, parent_id: id } })
    expect(await codeOf(below)).toEqual(['USER_GROUP_ARCHIVED', 'parent_id'])
    const patched = call('updateUser', { path: { user_id: 'plain' }, body: { primary_user_group_id: id } })
    expect(await codeOf(patched)).toEqual(['UNKNOWN_USER_GROUP_ID', 'primary_user_group_id'])
    const restored = await on('restoreGroup', id, { embed: 'ACTIONS' })
    expect(restored).toMatchObject({ status: 200, body: { id, status: 'ACTIVE' } })
    expect(restored.body.actions).toMatchObject({ archive: { allowed: true }, restore: { allowed: false } })
    expect((await assign(id, 'plain')).status).toBe(201)
    await newUser(`${id}-new`, id)
    await audit(service)
  })

  it.each<[string, string, string, string[]]>([
    ['archiving nothing', 'archiveGroup', 'nowhere', ['USER_GROUP_NOT_FOUND', 'group_id']],
    ['archiving the root', 'archiveGroup', 'root', ['USER_GROUP_IS_PREDEFINED', 'group_id']],
    ['archiving the group of all', 'archiveGroup', 'all-users', ['USER_GROUP_IS_PREDEFINED', 'group_id']],
    ['restoring nothing', 'restoreGroup', 'nowhere', ['USER_GROUP_NOT_FOUND', 'group_id']],
    ['restoring what is active', 'restoreGroup', 'sales', ['USER_GROUP_NOT_ARCHIVED', 'group_id']],
    ['restoring the root', 'restoreGroup', 'root', ['USER_GROUP_NOT_ARCHIVED', 'group_id']],
  ])('%s is refused', async (_what, name, group, expected) => {
    expect(await codeOf(on(name, group))).toEqual(expected)
  })

  it('is restored only below an active one; those below it stay as they are', async () => {
    const child = await made(`${id}-child`, id)
    await archive(child)
    await archive(id)
    expect((await on('getGroup', child, { embed: 'ACTIONS' })).body.actions.restore).toEqual({ allowed: false })
    expect(await codeOf(on('restoreGroup', child))).toEqual(['USER_GROUP_ARCHIVED', 'parent_id'])
    const other = await made(`${id}-other`)
    const grandchild = await made(`${id}-grandchild`, other)
    await archive(other)
    expect((await on('getGroup', grandchild)).body.status).toBe('ACTIVE')
    await on('restoreGroup', id)
    expect((await on('restoreGroup', child)).body.status).toBe('ACTIVE')
  })

  it('is left by everybody whose primary group it was, in whatever state', async () => {
    const users = await Promise.all(['a', 'b', 'c', 'd', 'e', 'f'].map((one) => newUser(`${id}-${one}`, id)))
    const [active, locked, deactivated, pending, both, inAll] = users as [
      string,
      string,
      string,
      string,
      string,
      string,
    ]
    await call('lockUser', { path: { user_id: locked } })
    await call('deactivateUser', { path: { user_id: deactivated } })
    await call('deleteUser', { path: { user_id: pending } })
    // The user was a member before it became their primary group, and stays one.
    await call('updateUser', { path: { user_id: both }, body: { primary_user_group_id: null } })
    await assign(id, both)
    await call('updateUser', { path: { user_id: both }, body: { primary_user_group_id: id } })
    // The user is a member of ALL_USERS by hand already: that becomes their primary group.
    await assign('all-users', inAll)
    await assign(id, active, 'coach')
    await assign(id, 'plain')
    expect((await archive(id)).status).toBe(200)
    for (const user of users) expect(await primaryOf(user)).toBe('all-users')
    for (const user of users) expect(await sourceIn('all-users', user)).toBe('PRIMARY')
    expect(await sourceIn(id, both)).toBe('MANUAL')
    const { body } = await on('listGroupAssignments', id)
    expect(body.assignments.map((one: Any) => `${one.id.user_id} ${one.id.role_id}`).sort()).toEqual([
      `${active} coach`,
      `${both} group-member`,
      'plain group-member',
    ])
    expect(await work()).toEqual([])
    await audit(service)
    await on('restoreGroup', id)
    expect((await call('restoreUser', { path: { user_id: pending } })).body.primary_user_group.id).toBe('all-users')
    await call('updateUser', { path: { user_id: inAll }, body: { primary_user_group_id: id } })
    expect(await sourceIn('all-users', inAll)).toBe('MANUAL')
    await audit(service)
  })

  it('is left with the help of others where the call failed', async () => {
    const users = await Promise.all([1, 2, 3].map((n) => newUser(`${id}-${n}`, id)))
    const { heal } = strike(service.client, (_n, command) => (command.startsWith('Query') ? 'throttle' : undefined))
    // The members cannot be found for now: the group is archived all the same.
    expect((await archive(id)).status).toBe(200)
    heal()
    expect((await on('getGroup', id)).body.status).toBe('ARCHIVED')
    expect(await primaryOf(users[0] as string)).toBe(id)
    await runSchedule(service, '2026-11-21T09:00:09.999Z')
    expect(await work()).toHaveLength(1)
    await runSchedule(service, '2026-11-21T09:00:10.000Z')
    for (const user of users) expect(await primaryOf(user)).toBe('all-users')
    expect(await work()).toEqual([])
    await audit(service)
  })

  it('is left by as many as there is time for, and by the others later', async () => {
    const users = await Promise.all([1, 2, 3].map((n) => newUser(`${id}-${n}`, id)))
    const { heal } = strike(service.client, (_n, command) => (command.startsWith('Query') ? 'throttle' : undefined))
    await archive(id)
    heal()
    const entry = (await readWork(service.store, 'group', id)) as Entry<'group'>
    const { predefined } = await readOrganisation(service.store)
    const moments = [60_000, 60_000]
    const timeLeft = () => moments.pop() ?? 0
    const { store, now: clock } = service
    const noRules = { rules: async () => undefined, hasRules: async () => false }
    const work = { store, now: clock().toISOString(), clock, predefined, timeLeft, ...noRules }
    expect(await finishArchiving(work, entry)).toBe(false)
    const moved = await Promise.all(users.map(primaryOf))
    expect(moved.filter((group) => group === 'all-users')).toHaveLength(2)
    await runSchedule(service)
    for (const user of users) expect(await primaryOf(user)).toBe('all-users')
    await audit(service)
  })

  it('is not restored before all have left it who were to leave', async () => {
    const user = await newUser(`${id}-user`, id)
    const throttled = () =>
      strike(service.client, (_n, command) => (command.startsWith('Query') ? 'throttle' : undefined))
    const first = throttled()
    await archive(id)
    first.heal()
    expect(await primaryOf(user)).toBe(id)
    expect((await on('restoreGroup', id)).body.status).toBe('ACTIVE')
    expect(await primaryOf(user)).toBe('all-users')
    await audit(service)
  })

  it('keeps users past their deadline as they are', async () => {
    const user = await newUser(`${id}-late`, id)
    await call('deleteUser', { path: { user_id: user } })
    service.setNow('2026-12-21T09:00:00.000Z')
    expect((await archive(id)).status).toBe(200)
    expect(await work()).toEqual([])
    await runSchedule(service, '2026-12-21T09:05:00.000Z')
    await audit(service)
  })
})

describe('archiving at the same time as others', () => {
  it('never leaves anybody with an archived primary group', async () => {
    for (let round = 0; round < 4; round++) {
      const group = await made(`${id}-race-${round}`)
      const users = await Promise.all([1, 2, 3].map((n) => newUser(`${group}-${n}`, 'all-users')))
      await assign(group, users[0] as string)
      const move = (user_id: string) =>
        call('updateUser', { path: { user_id }, body: { primary_user_group_id: group } }).then(({ status }) => status)
      const create = call('createUser', {
        body: {
          ...ordinary,
          id: `${group}-4`,
          username: `${group}-4`,
          first_name: 'A',
          last_name: 'B',
          primary_user_group_id: group,
        },
      })
      const [archived, ...moves] = await Promise.all([
        archive(group).then(({ status }) => status),
        ...users.map(move),
        create.then(({ status }) => status),
      ])
      expect(archived).toBe(200)
      for (const status of moves) expect([200, 201, 400]).toContain(status)
      await runSchedule(service)
      service.setNow('2026-11-21T09:00:00.000Z')
      await audit(service)
    }
  })

  it('is done once by two', async () => {
    const users = await Promise.all([1, 2, 3].map((n) => newUser(`${id}-${n}`, id)))
    const replies = await Promise.all([archive(id), archive(id)])
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409])
    for (const user of users) expect(await primaryOf(user)).toBe('all-users')
    await audit(service)
  })
})

describe('whatever the store does', () => {
  it('a process that dies after any call leaves what the schedule finishes', async () => {
    for (let nth = 1; ; nth++) {
      service.setNow('2026-11-21T09:00:00.000Z')
      const group = await made(`${id}-death-${nth}`)
      const users = await Promise.all([1, 2].map((n) => newUser(`${group}-${n}`, group)))
      const { heal, isOver } = dieAfterWrite(service.client, nth)
      await archive(group).catch(() => undefined)
      heal()
      await runSchedule(service)
      const { status } = (await on('getGroup', group)).body
      for (const user of users) expect(await primaryOf(user)).toBe(status === 'ARCHIVED' ? 'all-users' : group)
      expect(await work()).toEqual([])
      if (isOver()) break
    }
    await audit(service)
  })

  it.each<StoreFault>(['conflict', 'throttle', 'lostAnswer'])('a %s changes nothing of the outcome', async (fault) => {
    const user = await newUser(`${id}-user`, id)
    for (const name of ['archiveGroup', 'restoreGroup']) {
      const { heal } = strike(service.client, (n) => (n % 3 === 0 ? fault : undefined))
      const reply = await on(name, id).finally(heal)
      expect(reply.status, JSON.stringify(reply.body)).toBe(200)
    }
    await runSchedule(service)
    expect(await primaryOf(user)).toBe('all-users')
    await audit(service)
  })
})
