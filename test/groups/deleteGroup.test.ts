import { AsyncLocalStorage } from 'node:async_hooks'
import { beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { importDirectory } from '../../domain/import/importDirectory.ts'
import { deleteGroup } from '../../domain/people/groups/deleteGroup.ts'
import { groupItems } from '../../domain/people/records/groupTree.ts'
import { readOrganisation } from '../../domain/people/records/organisation.ts'
import { idOfWork } from '../../domain/table/keys.ts'
import { readAllWork } from '../../domain/table/readWork.ts'
import { audit, dump } from '../harness/audit.ts'
import { type Any, call, type Reply } from '../harness/call.ts'
import { dieAfterWrite, type StoreFault, strike } from '../harness/faults.ts'
import { meanwhile } from '../harness/meanwhile.ts'
import { groupRecord } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'
import { contextOf } from '../import/directory.ts'
import { codeOf, made, newUser, on, primaryOf, runSchedule, title } from './groupCalls.ts'

// The end of user groups: what goes with them, what stays, and calls at the same time.

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

const remove = (group_id: string) => on('deleteGroup', group_id)
const archiveAndRemove = async (group_id: string) => {
  expect((await on('archiveGroup', group_id)).status).toBe(200)
  return remove(group_id)
}
const assign = (group_id: string, user_id: string, role_id = 'coach') =>
  call('createGroupAssignment', { path: { group_id }, body: { user_id, role_id } })
/** What the table still has of groups, without their counters, which stay closed. */
const traces = async (...groups: string[]) => {
  const names = (item: Any) => [item.pk, item.sk, String(item.found), String(item.list)].join(' ').split(/[ #]/)
  const isOfOne = (item: Any) => names(item).some((name) => groups.includes(name))
  const isClosed = ({ sk, closed }: Any) => sk.startsWith('N#') && closed === true
  return (await dump(service)).filter((item) => isOfOne(item) && !/^(WORK$|EVENTS#)/.test(item.pk) && !isClosed(item))
}
const work = async () => (await readAllWork(service.store)).map(idOfWork)
const newChannel = async (name: string, group: string): Promise<string> => {
  await call('createChannel', { body: { id: name, title } })
  const attached = { path: { channel_id: name }, body: { user_group_id: group, role_id: 'channel-member' } }
  expect((await call('createChannelGroup', attached)).status).toBe(201)
  return name
}
const onChannel = async (channel_id: string) =>
  (await call('listChannelAssignments', { path: { channel_id } })).body.assignments
    .map((one: Any) => one.id.user_id)
    .filter((user: string) => user !== 'admin')

describe('a deletion is refused', () => {
  it.each<[string, string, string, string]>([
    ['of nothing', 'nowhere', 'USER_GROUP_NOT_FOUND', 'group_id'],
    ['of the root', 'root', 'USER_GROUP_IS_PREDEFINED', 'group_id'],
    ['of the group of all', 'all-users', 'USER_GROUP_IS_PREDEFINED', 'group_id'],
    ['of an active group', 'sales', 'USER_GROUP_NOT_ARCHIVED', 'group_id'],
  ])('%s', async (_what, group, code, property) => {
    expect(await codeOf(remove(group))).toEqual([code, property])
  })

  it('if a predefined group is below it, and its actions say so', async () => {
    onTestFinished(() => service.activate())
    const own = await startService()
    await made('above')
    const moved = { ...groupRecord('all-users', 'ALL_USERS'), parent_id: 'above' }
    await own.store.bulk(groupItems(moved).map((put) => ({ put })))
    const archived = await call('archiveGroup', { path: { group_id: 'above' }, query: { embed: 'ACTIONS' } })
    const allowed = { restore: { allowed: true }, delete: { allowed: false } }
    expect(archived.body.actions).toMatchObject(allowed)
    const listed = await call('listGroups', { query: { embed: 'ACTIONS', status: 'ARCHIVED' } })
    expect(listed.body.groups.find((group: Any) => group.id === 'above').actions).toMatchObject(allowed)
    expect(await codeOf(remove('above'))).toEqual(['USER_GROUP_IS_PREDEFINED', 'group_id'])
    expect((await on('getGroup', 'all-users')).status).toBe(200)
  })
})

describe('a group that is deleted', () => {
  it('is gone with all below it, and with all that referred to them', async () => {
    const child = await made(`${id}-child`, id, { external_id: `X-${id}` })
    const grandchild = await made(`${id}-grandchild`, child)
    const users = [await newUser(`${id}-a`, child), await newUser(`${id}-b`, grandchild), await newUser(`${id}-c`)]
    for (const user of users) for (const group of [id, child]) await assign(group, user)
    await assign(child, users[2] as string, 'group-member')
    const news = await newChannel(`${id}-news`, id)
    await newChannel(`${id}-more`, grandchild)
    expect((await onChannel(news)).sort()).toEqual(users)
    expect(await archiveAndRemove(id)).toMatchObject({ status: 204, body: undefined })
    for (const group of [id, child, grandchild]) {
      expect(await codeOf(on('getGroup', group))).toEqual(['USER_GROUP_NOT_FOUND', 'group_id'])
      expect(await codeOf(on('listGroupAssignments', group))).toEqual(['USER_GROUP_NOT_FOUND', 'group_id'])
      expect(await codeOf(assign(group, users[0] as string))).toEqual(['USER_GROUP_NOT_FOUND', 'group_id'])
      expect(await codeOf(on('restoreGroup', group))).toEqual(['USER_GROUP_NOT_FOUND', 'group_id'])
      expect(await codeOf(remove(group))).toEqual(['USER_GROUP_NOT_FOUND', 'group_id'])
      expect(await codeOf(call('createGroup', { body: { id: group, title, parent_id: 'root' } }))).toEqual([
        'DUPLICATE_ID',
        'id',
      ])
    }
    const listed = await call('listGroups', { query: { page_limit: 100 } })
    expect(listed.body.groups.map((group: Any) => group.id).filter((one: string) => one.startsWith(id))).toEqual([])
    expect(await onChannel(news)).toEqual([])
    expect((await call('listChannelGroups', { path: { channel_id: news } })).body.assignments).toEqual([])
    for (const user of users) expect(await primaryOf(user)).toBe('all-users')
    await made(`${id}-heir`, 'root', { external_id: `X-${id}` })
    await audit(service)
    await runSchedule(service)
    expect(await traces(child, grandchild)).toEqual([])
    expect(await work()).toEqual([])
    await audit(service)
  })

  it('leaves an id that serves again when all is over', async () => {
    const user = await newUser(`${id}-a`, id)
    await assign(id, user)
    await archiveAndRemove(id)
    await runSchedule(service, '2026-11-21T09:00:59.000Z')
    expect((await call('createGroup', { body: { id, title, parent_id: 'root' } })).body.error_code).toBe('DUPLICATE_ID')
    await runSchedule(service, '2026-11-21T09:01:00.000Z')
    await made(id)
    expect((await on('listGroupAssignments', id)).body.pagination.total_elements).toBe(0)
    expect((await assign(id, user)).status).toBe(201)
    expect((await call('updateUser', { path: { user_id: user }, body: { primary_user_group_id: id } })).status).toBe(
      200,
    )
    await audit(service)
  })

  it('gains no members from a call that comes when all is over, nor does the next of its id', async () => {
    const late = await newUser(`${id}-late`)
    // The schedule has another role.
    const outside = AsyncLocalStorage.snapshot()
    const everything = async () => {
      await archiveAndRemove(id)
      await runSchedule(service)
      expect(await work()).toEqual([])
    }
    expect(
      (
        await meanwhile(
          service,
          () => outside(everything),
          () => assign(id, late),
        )
      ).body.error_code,
    ).toBe('USER_GROUP_NOT_FOUND')
    await audit(service)
    await made(id)
    expect((await on('listGroupAssignments', id)).body.pagination.total_elements).toBe(0)
    expect((await assign(id, late)).status).toBe(201)
    await audit(service)
  })

  it('comes to exist again by an import, open or archived', async () => {
    for (const status of ['ACTIVE', 'ARCHIVED'] as const) {
      await archiveAndRemove(id)
      await runSchedule(service)
      service.setNow('2026-11-21T09:00:00.000Z')
      const user_groups = [{ id, title, type: 'CUSTOM', parent_id: 'root', status }]
      await importDirectory(contextOf(service), { user_groups } as Any)
      expect((await on('getGroup', id)).body.status).toBe(status)
      await audit(service)
      if (status === 'ACTIVE') expect((await assign(id, 'plain')).status).toBe(201)
    }
  })

  it('ends what people past their deadline hold', async () => {
    const child = await made(`${id}-child`, id)
    const user = await newUser(`${id}-late`, child)
    await call('deleteUser', { path: { user_id: user } })
    service.setNow('2026-12-21T09:00:00.000Z')
    expect((await archiveAndRemove(id)).status).toBe(204)
    await runSchedule(service, '2026-12-21T09:05:00.000Z')
    expect(await traces(child)).toEqual([])
    await audit(service)
  })

  it('takes more along than one transaction holds', async () => {
    const below = Array.from({ length: 26 }, (_, n) => ({
      ...groupRecord(`${id}-${n}`),
      // A chain, with a leaf at every link.
      parent_id: n < 2 ? id : `${id}-${n - (n % 2 === 0 ? 2 : 1)}`,
    }))
    await service.store.bulk(below.flatMap(groupItems).map((put) => ({ put })))
    const user = await newUser(`${id}-deep`, `${id}-25`)
    expect((await archiveAndRemove(id)).status).toBe(204)
    expect(await primaryOf(user)).toBe('all-users')
    expect((await work()).length).toBe(27)
    await runSchedule(service)
    expect(await work()).toEqual([])
    const known = (await dump(service)).filter(
      ({ pk, sk, closed }) => `${pk} ${sk}`.includes(`${id}-`) && !/^(USER|EVENTS)/.test(pk) && !closed,
    )
    expect(known).toEqual([])
    await audit(service)
  })
})

describe('deleting at the same time as others', () => {
  /** Lets somebody restore the group once the deletion has begun to read, before it looks at the tree. */
  const restoredFirst = async (group: string): Promise<Reply> => {
    let isDone = false
    service.client.middlewareStack.add(
      (next) => async (args) => {
        if (!isDone && JSON.stringify(args.input).includes('GROUP_TREE')) {
          isDone = true
          expect((await on('restoreGroup', group)).status).toBe(200)
        }
        return next(args)
      },
      { step: 'initialize', name: 'restoredFirst' },
    )
    return remove(group).finally(() => service.client.middlewareStack.remove('restoredFirst'))
  }

  it('spares a group that is restored before its tree is read', async () => {
    await on('archiveGroup', id)
    expect((await restoredFirst(id)).body).toMatchObject({
      error_code: 'USER_GROUP_NOT_ARCHIVED',
      property: 'group_id',
    })
    expect((await on('getGroup', id)).body.status).toBe('ACTIVE')
    expect(await work()).toEqual([])
    await audit(service)
  })

  it('spares all below a group that is restored before the first of many are removed', async () => {
    const below = Array.from({ length: 26 }, (_, n) => ({ ...groupRecord(`${id}-${n}`), parent_id: id }))
    await service.store.bulk(below.flatMap(groupItems).map((put) => ({ put })))
    await on('archiveGroup', id)
    const reply = await meanwhile(
      service,
      () => on('restoreGroup', id),
      () => remove(id),
    )
    expect(reply.body).toMatchObject({ error_code: 'USER_GROUP_NOT_ARCHIVED', property: 'group_id' })
    expect((await on('getGroup', id)).body.status).toBe('ACTIVE')
    expect((await on('getGroup', `${id}-25`)).status).toBe(200)
    expect(await work()).toEqual([])
    await audit(service)
  })

  it('leaves nothing of what is created, moved, assigned or attached at the same moment', async () => {
    for (let round = 0; round < 2; round++) {
      const [group, child, other] = [`${id}-r${round}`, `${id}-r${round}-child`, `${id}-r${round}-other`]
      await made(group)
      await made(child, group)
      await made(other)
      await on('archiveGroup', group)
      const user = await newUser(`${group}-user`)
      await call('createChannel', { body: { id: `${group}-news`, title } })
      const replies = await Promise.all([
        remove(group),
        assign(child, user),
        call('updateUser', { path: { user_id: user }, body: { primary_user_group_id: child } }),
        call('updateGroup', { path: { group_id: other }, body: { parent_id: child } }),
        call('createGroup', { body: { title, parent_id: child } }),
        call('createChannelGroup', { path: { channel_id: `${group}-news` }, body: { user_group_id: child } }),
        on('restoreGroup', group),
      ])
      for (const { status } of replies) expect(status).toBeLessThan(500)
      if (replies[0]?.status !== 204) expect(replies[6]?.status).toBe(200)
      await runSchedule(service)
      service.setNow('2026-11-21T09:00:00.000Z')
      await audit(service)
      expect(await work()).toEqual([])
    }
  })
})

describe('whatever the store does', () => {
  /** A group with one below it, people in both, and a channel. */
  const planted = async (group: string) => {
    await made(group, 'root', { external_id: `X-${group}` })
    await made(`${group}-child`, group)
    const users = [await newUser(`${group}-1`, `${group}-child`), await newUser(`${group}-2`)]
    await assign(group, users[1] as string)
    await newChannel(`${group}-news`, `${group}-child`)
    await on('archiveGroup', group)
    return users
  }

  it('a process that dies after any call leaves what the schedule finishes', async () => {
    const children: string[] = []
    for (let nth = 1; ; nth++) {
      service.setNow('2026-11-21T09:00:00.000Z')
      const group = `${id}-death-${nth}`
      const users = await planted(group)
      const { heal, isOver } = dieAfterWrite(service.client, nth)
      await remove(group).catch(() => undefined)
      heal()
      await runSchedule(service)
      const { status } = await on('getGroup', group)
      expect([status, (await on('getGroup', `${group}-child`)).status], `after write ${nth}`).toEqual([404, 404])
      expect(await primaryOf(users[0] as string)).toBe('all-users')
      children.push(`${group}-child`)
      expect(await work()).toEqual([])
      if (isOver()) break
    }
    expect(await traces(...children)).toEqual([])
    await audit(service)
  })

  it('so does one that dies between the parts of a large deletion, or in the scheduled run', async () => {
    const below = Array.from({ length: 26 }, (_, n) => ({ ...groupRecord(`${id}-${n}`), parent_id: id }))
    await service.store.bulk(below.flatMap(groupItems).map((put) => ({ put })))
    await on('archiveGroup', id)
    let writes = 0
    const isFirst = (_n: number, command: string) => command.startsWith('TransactWrite') && ++writes === 1
    const first = strike(service.client, (n, command) => (isFirst(n, command) ? 'death' : undefined))
    await remove(id).catch(() => undefined)
    first.heal()
    expect((await on('getGroup', id)).status).toBe(200)
    expect(await codeOf(on('restoreGroup', id))).toEqual(['USER_GROUP_NOT_FOUND', 'group_id'])
    const second = strike(service.client, (n) => (n === 12 ? 'death' : undefined))
    await runSchedule(service, '2026-11-21T09:02:00.000Z').catch(() => undefined)
    second.heal()
    for (const minute of ['04', '06']) await runSchedule(service, `2026-11-21T09:${minute}:00.000Z`)
    expect((await on('getGroup', id)).status).toBe(404)
    expect(await work()).toEqual([])
    await audit(service)
  })

  it('a deletion that runs out of time says that it goes on, and does', async () => {
    const below = Array.from({ length: 26 }, (_, n) => ({ ...groupRecord(`${id}-${n}`), parent_id: id }))
    await service.store.bulk(below.flatMap(groupItems).map((put) => ({ put })))
    await on('archiveGroup', id)
    const now = service.now().toISOString()
    const context = {
      ...service,
      now,
      clock: service.now,
      newId: () => 'token',
      actor: async () => undefined,
      timeLeft: () => 0,
      organisation: () => readOrganisation(service.store),
    }
    const refused = deleteGroup(context as Any, { path: { group_id: id }, query: {}, body: {} })
    await expect(refused).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' })
    await runSchedule(service)
    expect((await on('getGroup', id)).status).toBe(404)
    await runSchedule(service, '2026-11-21T09:07:00.000Z')
    expect(await work()).toEqual([])
    await audit(service)
  })

  it.each<StoreFault>(['conflict', 'throttle', 'lostAnswer'])('a %s changes nothing of the outcome', async (fault) => {
    const group = `${id}-${fault}`
    const [user] = await planted(group)
    const { heal } = strike(service.client, (n) => (n % 3 === 0 ? fault : undefined))
    const reply = await remove(group).finally(heal)
    expect(reply.status, JSON.stringify(reply.body)).toBe(204)
    await runSchedule(service)
    expect(await primaryOf(user as string)).toBe('all-users')
    expect(await work()).toEqual([])
    await audit(service)
  })
})
