import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { groupAssignmentItem } from '../../domain/people/records/groupAssignment.ts'
import { groupItems } from '../../domain/people/records/groupTree.ts'
import { groupCountKey, roleCount } from '../../domain/table/keys.ts'
import { type Any, call } from '../harness/call.ts'
import { runs } from '../harness/runs.ts'
import { groupRecord, ordinary, userRecord } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'

// How many users a group contains: each once, groups below it included.

let service: Service
beforeAll(async () => {
  service = await startService()
})

const title = [{ language: 'en-GB', text: 'Some group' }]
const embed = 'NUMBER_OF_CONTAINED_USERS'
const made = (id: string, parent_id: string) =>
  call('createGroup', { body: { id, title, parent_id }, query: { embed } })
const numberOf = async (group_id: string) =>
  (await call('getGroup', { path: { group_id }, query: { embed } })).body.number_of_contained_users
const newUser = async (id: string, primary_user_group_id = 'all-users'): Promise<string> => {
  const body = { id, username: id, first_name: 'A', last_name: id, primary_user_group_id }
  expect((await call('createUser', { body: { ...ordinary, ...body } })).status).toBe(201)
  return id
}
const assign = (group_id: string, user_id: string, role_id: string) =>
  call('createGroupAssignment', { path: { group_id }, body: { user_id, role_id } })

describe('the number of contained users', () => {
  it('counts each user once, whatever roles and groups they have, until their deadline', async () => {
    expect((await made('top', 'root')).body.number_of_contained_users).toBe(0)
    await made('left', 'top')
    await made('right', 'top')
    const users = await Promise.all([1, 2, 3, 4, 5].map((n) => newUser(`u-${n}`, n < 4 ? 'left' : 'right')))
    for (const user of users.slice(0, 4)) await assign('right', user, 'coach')
    await assign('top', 'u-1', 'group-owner')
    await assign('top', 'plain', 'group-owner')
    expect(await Promise.all(['top', 'left', 'right'].map(numberOf))).toEqual([6, 3, 5])
    await call('lockUser', { path: { user_id: 'u-2' } })
    await call('deleteUser', { path: { user_id: 'u-1' } })
    expect(await numberOf('top')).toBe(6)
    service.setNow('2026-12-05T09:00:00.000Z')
    expect(await Promise.all(['top', 'left', 'right'].map(numberOf))).toEqual([5, 2, 4])
    const { body } = await call('listUsers', { query: { page_limit: 1 } })
    expect(await numberOf('root')).toBe(body.pagination.total_elements)
    service.setNow('2026-11-21T09:00:00.000Z')
  })

  it('is in every answer with groups', async () => {
    await made('counted', 'root')
    await newUser('teller', 'counted')
    const on = (name: string, body?: object) =>
      call(name, { path: { group_id: 'counted' }, query: { embed }, ...(body ? { body } : {}) }).then(
        (reply) => reply.body.number_of_contained_users,
      )
    expect(await on('updateGroup', { title })).toBe(1)
    // Whose primary group it is leaves it with the archiving.
    expect(await on('archiveGroup')).toBe(0)
    expect(await on('restoreGroup')).toBe(0)
  })

  it('is the same as counted by hand, in every tree', async () => {
    let trees = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(), { minLength: 1, maxLength: 6 }),
        fc.array(fc.tuple(fc.nat(5), fc.nat(30), fc.constantFrom('coach', 'group-owner', 'group-member')), {
          maxLength: 60,
        }),
        async (parents, given) => {
          const tree = `tree-${++trees}`
          const ids = parents.map((_, n) => `${tree}-${n}`)
          const above = parents.map((pick, n) => (n === 0 ? 'root' : (ids[pick % n] as string)))
          const held = new Map(
            given
              .filter(([n]) => n < ids.length)
              .map(([n, user, role]) => [`${n} ${user} ${role}`, { group: ids[n] as string, user: `x-${user}`, role }]),
          )
          await service.store.bulk(
            ids
              .flatMap((id, n) => groupItems({ ...groupRecord(id), parent_id: above[n] as string }))
              .map((put) => ({ put })),
          )
          for (const { group, user, role } of held.values())
            await service.store.write([
              { put: groupAssignmentItem(userRecord({ id: user }, ''), { group, role, source: 'MANUAL' }) },
              {
                update: groupCountKey(group, trees % 32),
                add: { [roleCount(role)]: 1 },
              },
            ])
          const isBelow = (id: string, top: string): boolean =>
            id === top || (ids.includes(id) && isBelow(above[ids.indexOf(id)] as string, top))
          const expected = ids.map((top) => {
            const inside = [...held.values()].filter(({ group }) => isBelow(group, top))
            return [top, new Set(inside.map(({ user }) => user)).size]
          })
          const { body } = await call('listGroups', {
            query: { embed, parent_id: [...new Set(above)].join(','), page_limit: 100 },
          })
          const answered = new Map(body.groups.map((group: Any) => [group.id, group.number_of_contained_users]))
          expect(ids.map((id) => [id, answered.get(id)])).toEqual(expected)
          expect(await numberOf(ids[0] as string)).toBe(expected[0]?.[1])
        },
      ),
      { numRuns: runs(10) },
    )
  })
})
