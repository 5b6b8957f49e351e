import { beforeAll, expect, it } from 'vitest'
import type { FieldChange, Item } from '../../domain/table/store.ts'
import { dump, findingsIn } from '../harness/audit.ts'
import { call } from '../harness/call.ts'
import { ordinary } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'

// The audit after other tests shows nothing if it cannot see: here it looks at events that do not fit their record.

let service: Service
const group_id = 'north'
const assignment = `${group_id}~zoe~coach`
beforeAll(async () => {
  service = await startService({ indexes: 'none' })
  const title = [{ language: 'en-GB', text: 'North' }]
  const done = [
    await call('createGroup', { body: { id: group_id, title, parent_id: 'root' } }),
    await call('createUser', { body: { ...ordinary, id: 'zoe', username: 'zoe', first_name: 'Zoe', last_name: 'Z' } }),
    await call('updateUser', { path: { user_id: 'zoe' }, body: { external_id: 'e-1', last_name: 'Y' } }),
    await call('createGroupAssignment', { path: { group_id }, body: { user_id: 'zoe', role_id: 'coach' } }),
  ]
  expect(done.map(({ status }) => status)).toEqual([201, 201, 200, 201])
  expect(await findingsIn(service)).toEqual([])
})

const event = ({ type, id }: Item, ofType: string, ofId: string): boolean => type === ofType && id === ofId

/** Changes what an event of a record says of a field. */
const retold = (type: string, id: string, field: string, change: Partial<Record<'before' | 'after', unknown>>) =>
  ({
    of: (item: Item) => event(item, type, id),
    as: (item: Item): Item => {
      const changes = (JSON.parse(String(item['changes'])) as FieldChange[]).map(([name, before, after]) => {
        const told = { before, after, ...(name === field ? change : {}) }
        return [name, told.before, told.after]
      })
      return { ...item, changes: JSON.stringify(changes) }
    },
  }) as const

it.each([
  [
    'a field that an event names first, and that was another before',
    'user zoe',
    'external_id',
    retold('user.updated', 'zoe', 'external_id', { before: 'e-0' }),
  ],
  [
    'a field that its creation names, and that was there before',
    `user_group_assignment ${assignment}`,
    'source',
    retold('user_group_assignment.created', assignment, 'source', { before: 'RULE' }),
  ],
  [
    'a field that was another after the event before',
    'user zoe',
    'last_name',
    retold('user.updated', 'zoe', 'last_name', { before: 'X' }),
  ],
  [
    'a field that is another than after the last event',
    'user zoe',
    'last_name',
    retold('user.updated', 'zoe', 'last_name', { after: 'X' }),
  ],
  [
    'an assignment of another source than its last event says',
    `user_group_assignment ${assignment}`,
    'source',
    {
      of: ({ pk, sk }: Item) => pk === 'USER#zoe' && sk === `GA#${group_id}#coach`,
      as: (item: Item): Item => ({ ...item, source: 'RULE' }),
    },
  ],
])('the audit finds %s', async (_what, record, field, { of, as }) => {
  const [whole, ...others] = (await dump(service)).filter(of)
  expect(others).toEqual([])
  await service.store.bulk([{ put: as(whole as Item) }])
  const found = await findingsIn(service)
  await service.store.bulk([{ put: whole as Item }])
  expect(found.filter(({ what }) => what.startsWith('fields of'))).toEqual([
    { what: `fields of ${record} that differ from its events`, found: [field], expected: [] },
  ])
})
