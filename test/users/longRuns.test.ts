import { beforeAll, describe, expect, it } from 'vitest'
import { sortings } from '../../domain/request/sorting.ts'
import { userCountKey } from '../../domain/table/keys.ts'
import { type UserRecord, users as userRecords } from '../../domain/users/user.ts'
import { sortableOf, sortUsers, type UserSorting } from '../../domain/users/userLists.ts'
import { call } from '../harness/call.ts'
import { strike } from '../harness/faults.ts'
import { people } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'

/** Hardly anybody has a location, and nearly all belong to one department. */
const crowd = Array.from({ length: 1600 }, (_, n): UserRecord => {
  const attributes = [
    ...(n % 200 === 0 ? [{ name: 'location', value: `Town ${n % 3}` }] : []),
    ...(n % 50 === 0 ? [] : [{ name: 'department', value: 'Sales' }]),
  ]
  return {
    id: `u-${(n * 7919) % 1600}`,
    external_id: null,
    first_name: `F ${(n * 31) % 17}`,
    last_name: `L ${(n * 37) % 101}`,
    email: n % 3 === 0 ? `${n % 7}@example.com` : null,
    status: n % 4 === 0 ? 'LOCKED' : 'ACTIVE',
    username: `u-${n}`,
    role: n % 9 === 0 ? 'ADMIN' : 'USER',
    required_actions: [],
    primary_user_group_id: 'all-users',
    primary_was: null,
    attributes,
    profile_picture: null,
    tags: [],
    created_at: '2026-01-01T00:00:00.000Z',
    updated_at: `2026-01-01T00:00:0${n % 10}.000Z`,
    version: 1,
  }
})

let service: Service
let everybody: UserRecord[]
beforeAll(async () => {
  service = await startService({ indexes: 'all', users: people })
  for (let n = 0; n < crowd.length; n += 200)
    await service.store.bulk(crowd.slice(n, n + 200).map((user) => ({ put: userRecords.item(user) })))

  await service.store.write([
    {
      update: userCountKey(0),
      add: { LOCKED_USER: 400, ACTIVE_USER: 1200 },
    },
  ])
  const found = await Promise.all(people.map(({ id }) => service.store.get({ pk: `USER#${id}`, sk: 'USER' })))
  everybody = [...crowd, ...found.map((item) => item?.data as UserRecord)]
}, 120_000)

/** A page, and the number of records that were read for it. */
async function page(sort: string, page_number: number) {
  let records = 0
  const { heal } = strike(service.client, (_n, command, input) => {
    if (command.startsWith('BatchGet')) records += JSON.stringify(input).split('"sk":').length - 1
    return undefined
  })
  const { body } = await call('listUsers', { query: { sort, page_number, page_limit: 50 } }).finally(heal)
  return { ids: body.users.map(({ id }: { id: string }) => id), records }
}

describe('runs of equal values that are too long to be ordered by their records', () => {
  it.each([
    'LOCATION_ASC,LAST_NAME_ASC',
    'LOCATION_DESC,LAST_NAME_DESC',
    'DEPARTMENT_ASC,FIRST_NAME_DESC,LAST_NAME_ASC',
    'DEPARTMENT_DESC,EMAIL_ASC',
    'LOCATION_ASC,STATUS_DESC,ROLE_ASC,UPDATED_AT_DESC,USERNAME_ASC',
    'ROLE_ASC,CREATED_AT_DESC,LOCATION_ASC,EMAIL_DESC,LAST_NAME_ASC',
    'CREATED_AT_ASC,LOCATION_DESC,LOCATION_ASC,DEPARTMENT_ASC,USERNAME_DESC',
  ])('are in order, and cost few records: %s', async (sort) => {
    const expected = sortUsers(
      everybody.map(sortableOf),
      sortings(sort.split(',') as `${UserSorting['field']}_ASC`[]),
    ).map(({ id }) => id)
    for (const number of [1, 2, 9, 33]) {
      const { ids, records } = await page(sort, number)
      expect(ids, `page ${number}`).toEqual(expected.slice((number - 1) * 50, number * 50))
      expect(records, `page ${number}`).toBeLessThan(1000)
    }
  })
})
