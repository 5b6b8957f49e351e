import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { finishOverdue } from '../../domain/maintenance/finishWork.ts'
import { audit } from '../harness/audit.ts'
import { call, type Reply } from '../harness/call.ts'
import { betweenReads, meanwhile } from '../harness/meanwhile.ts'
import { ordinary } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'

// A primary group that changes while the group, or the membership in it, changes too. The audit holds members and counts
// against each other.

const title = [{ language: 'en-GB', text: 'Some group' }]
const role_id = 'group-member'

let service: Service
let made = 0
let group_id: string
let user_id: string
beforeAll(async () => {
  service = await startService()
})
beforeEach(async () => {
  group_id = `group-${++made}`
  user_id = `user-${made}`
  await ok(call('createGroup', { body: { id: group_id, title, parent_id: 'root' } }))
})

const codeOf = ({ status, body }: Reply): string | number => body.error_code ?? status
async function ok(reply: Promise<Reply>): Promise<Reply> {
  const { status, body } = await reply
  expect(status, JSON.stringify(body)).toBeLessThan(300)
  return reply
}
const create = (primary_user_group_id: string | null) =>
  call('createUser', {
    body: { ...ordinary, id: user_id, username: user_id, first_name: 'A', last_name: 'B', primary_user_group_id },
  })
const move = (primary_user_group_id: string | null) =>
  call('updateUser', { path: { user_id }, body: { primary_user_group_id } })
const assign = () => call('createGroupAssignment', { path: { group_id }, body: { role_id, user_id } })
const withdraw = () => call('deleteGroupAssignment', { path: { group_id, user_id, role_id } })
const archive = (timeLeft = 60_000) => call('archiveGroup', { path: { group_id }, timeLeft })
const restore = () => call('restoreGroup', { path: { group_id } })
/** Archives the group in a call that has no time to move its members on. */
const archiveOnly = () => ok(archive(7_000))
const finishMoving = () =>
  finishOverdue({
    store: service.store,
    clock: () => new Date(service.now().getTime() + 300_000),
    timeLeft: () => 60_000,
    log: () => {},
  })

const primary = async () => (await call('getUser', { path: { user_id } })).body.primary_user_group?.id
const source = async (group_id: string) =>
  (await call('getGroupAssignment', { path: { group_id, user_id, role_id } })).body.source
const members = async () =>
  (await call('getGroup', { path: { group_id }, query: 'embed=NUMBER_OF_CONTAINED_USERS' })).body
    .number_of_contained_users

describe('a group that is archived between read and write', () => {
  it('gets no new user', async () => {
    expect(codeOf(await meanwhile(service, archive, () => create(group_id)))).toBe('UNKNOWN_USER_GROUP_ID')
    expect(codeOf(await call('getUser', { path: { user_id } }))).toBe('USER_NOT_FOUND')
    await audit(service)
  })

  it.each([
    ['does not hold the member role', false],
    ['holds the member role already', true],
  ])('does not become the primary group of a user who %s', async (_name, isMember) => {
    await ok(create(null))
    if (isMember) await ok(assign())
    const reply = await meanwhile(service, archive, () => move(group_id))
    expect(reply.body).toMatchObject({ error_code: 'UNKNOWN_USER_GROUP_ID', property: 'primary_user_group_id' })
    expect(await primary()).toBe('all-users')
    expect(await source(group_id)).toBe(isMember ? 'MANUAL' : undefined)
    expect(await members()).toBe(Number(isMember))
    await audit(service)
  })

  it.each([
    ['and their membership ends', false],
    ['and their membership by hand stays', true],
  ])('is left all the same, %s', async (_name, isMember) => {
    await ok(create(null))
    if (isMember) await ok(assign())
    await ok(move(group_id))
    expect(codeOf(await meanwhile(service, archiveOnly, () => move('sales')))).toBe(200)
    expect(await primary()).toBe('sales')
    expect(await source(group_id)).toBe(isMember ? 'MANUAL' : undefined)
    await finishMoving()
    expect([await primary(), await members()]).toEqual(['sales', Number(isMember)])
    await audit(service)
  })
})

describe('a group that was archived before', () => {
  it('is left by the users who are still in it', async () => {
    await ok(create(group_id))
    await archiveOnly()
    expect(await primary()).toBe(group_id)
    expect(codeOf(await move('sales'))).toBe(200)
    await finishMoving()
    expect([await primary(), await members()]).toEqual(['sales', 0])
    await audit(service)
  })
})

describe('a group that is restored while its members are moved on', () => {
  it.each([
    ['came to it since', false],
    ['came to it since, and were members before', true],
  ])('keeps users who %s', async (_name, isMember) => {
    const other = `other-${made}`
    const names = { id: other, username: other, first_name: 'O', last_name: 'T' }
    await ok(call('createUser', { body: { ...ordinary, ...names, primary_user_group_id: group_id } }))
    await ok(create(null))
    if (isMember) await ok(assign())
    await archiveOnly()
    let isActing = false
    const isGroup = (command: string, input: object) =>
      command.startsWith('BatchGet') && JSON.stringify(input).includes(`"GROUP#${group_id}"`)
    const isMembers = (command: string, input: object) =>
      !isActing && command.startsWith('Query') && JSON.stringify(input).includes(`${group_id}#${role_id}`)
    const again = async () => {
      isActing = true
      await ok(restore())
      await ok(move(group_id))
      isActing = false
    }
    await betweenReads(service, [isGroup, isMembers], again, finishMoving)
    expect([await primary(), await source(group_id), await members()]).toEqual([group_id, 'PRIMARY', 1])
    await audit(service)
  })
})

describe('a membership', () => {
  it('that is given between read and write is counted once', async () => {
    await ok(create(null))
    expect(codeOf(await meanwhile(service, assign, () => move(group_id)))).toBe(200)
    expect([await source(group_id), await members()]).toEqual(['PRIMARY', 1])
    await ok(move(null))
    expect([await source(group_id), await members()]).toEqual(['MANUAL', 1])
    await audit(service)
  })

  it('that is given between two reads is counted once', async () => {
    await ok(create(null))
    const isUser = (command: string, input: object) =>
      command.startsWith('BatchGet') && JSON.stringify(input).includes(`"USER#${user_id}"`)
    const isHeld = (command: string, input: object) =>
      command.startsWith('Query') && JSON.stringify(input).includes(`"USER#${user_id}"`)
    for (const order of [
      [isUser, isHeld],
      [isHeld, isUser],
    ] as const) {
      expect(codeOf(await betweenReads(service, order, assign, () => move(group_id)))).toBe(200)
      expect([await source(group_id), await members()]).toEqual(['PRIMARY', 1])
      await ok(move(null))
      expect([await source(group_id), await members()]).toEqual(['MANUAL', 1])
      await audit(service)
      await ok(withdraw())
    }
  })

  it('that is taken away between read and write is counted once', async () => {
    await ok(create(null))
    await ok(assign())
    expect(codeOf(await meanwhile(service, withdraw, () => move(group_id)))).toBe(200)
    expect([await source(group_id), await members()]).toEqual(['PRIMARY', 1])
    await ok(move(null))
    expect([await source(group_id), await members()]).toEqual([undefined, 0])
    await audit(service)
  })

  it('that becomes primary while it is taken away stays', async () => {
    await ok(create(null))
    await ok(assign())
    const reply = await meanwhile(service, () => ok(move(group_id)), withdraw)
    expect(codeOf(reply)).toBe('DERIVED_ASSIGNMENT_DELETION_FORBIDDEN')
    expect([await source(group_id), await members()]).toEqual(['PRIMARY', 1])
    await audit(service)
  })

  it('of a user whose primary group is moved on by two at once is counted once', async () => {
    await ok(create(group_id))
    expect(
      codeOf(
        await meanwhile(
          service,
          () => ok(move('sales')),
          () => move(null),
        ),
      ),
    ).toBe(200)
    expect([await primary(), await source('sales'), await members()]).toEqual(['all-users', undefined, 0])
    await audit(service)
  })
})
