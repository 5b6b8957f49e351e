import fc from 'fast-check'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { importDirectory } from '../../domain/import/importDirectory.ts'
import { attributeKey, SHARDS, userCountKey, userKey } from '../../domain/table/keys.ts'
import { handler as purge } from '../../handlers/maintenance/purge.ts'
import { audit } from '../harness/audit.ts'
import { type Any, call, type Reply } from '../harness/call.ts'
import { strike } from '../harness/faults.ts'
import { meanwhile } from '../harness/meanwhile.ts'
import { runs } from '../harness/runs.ts'
import { type Service, startService } from '../harness/service.ts'
import { contextOf } from '../import/directory.ts'

let service: Service
beforeAll(async () => {
  service = await startService({ indexes: { only: ['by_id'] } })
})

const title = [{ language: 'en-GB', text: 'T' }]
const create = (technical_name: string, attribute_type = 'TEXT'): Promise<Reply> =>
  call('createAttributeDefinition', { body: { technical_name, title, attribute_type } })
const remove = (definition_id: string): Promise<Reply> => call('deleteAttributeDefinition', { path: { definition_id } })
const retype = (definition_id: string, attribute_type: string): Promise<Reply> =>
  call('updateAttributeDefinition', { path: { definition_id }, body: { attribute_type } })
const isDefined = async (definition_id: string): Promise<boolean> =>
  (await call('getAttributeDefinition', { path: { definition_id } })).status === 200
const give = (user_id: string, ...names: string[]): Promise<Reply> =>
  call('updateUser', { path: { user_id }, body: { attributes: names.map((name) => ({ name, value: 'x' })) } })
const person = (id: string, ...names: string[]) => ({
  id,
  username: id,
  first_name: 'U',
  last_name: 'U',
  role: 'USER',
  status: 'ACTIVE',
  attributes: names.map((name) => ({ name, value: 'x' })),
})
const coded = ({ status, body }: Reply): unknown[] => [status, body?.error_code, body?.property]
const inUse = [409, 'ATTRIBUTE_DEFINITION_IN_USE', 'definition_id']
const notDefined = [400, 'NO_USER_ATTRIBUTE_DEFINITION_FOR_NAME_FOUND', 'attributes.0.name']
const runPurge = () => purge({}, { getRemainingTimeInMillis: () => 60_000 } as Any)

let serial = 0
/** A definition without values. */
const newDefinition = async (): Promise<string> => {
  const name = `text_${++serial}`
  expect((await create(name)).status).toBe(201)
  return name
}
/** So many, one after the other: at the same time some might find the place that they want taken too often. */
async function newDefinitions(count: number): Promise<string[]> {
  const names: string[] = []
  while (names.length < count) names.push(await newDefinition())
  return names
}
const newId = () => `u-${++serial}`

describe('deleting an attribute definition', () => {
  it('without values ends it; the name, its place and its type are free again', async () => {
    const name = await newDefinition()
    expect(await remove(name)).toMatchObject({ status: 204, body: undefined })
    expect(coded(await remove(name))).toEqual([404, 'ATTRIBUTE_DEFINITION_NOT_FOUND', 'definition_id'])
    expect(coded(await give('plain', name))).toEqual(notDefined)
    expect(coded(await call('createUser', { body: person(newId(), name) }))).toEqual(notDefined)
    const { body } = await call('listAttributeDefinitions', {})
    expect(body.attribute_definitions.map(({ definition }: Any) => definition.id)).not.toContain(name)
    for (let round = 0; round < 3; round++) {
      expect((await create(name, 'DATE')).status).toBe(201)
      expect(coded(await give('plain', name))).toEqual([400, 'INVALID_DATE_ATTRIBUTE_FORMAT', 'attributes.0.value'])
      const attributes = [{ name, value: '2026-02-28' }]
      const patched = await call('updateUser', { path: { user_id: 'plain' }, body: { attributes } })
      expect(patched).toMatchObject({ status: 200, body: { attributes } })
      expect(coded(await remove(name))).toEqual(inUse)
      await give('plain')
      await audit(service)
      expect((await remove(name)).status).toBe(204)
    }
    const query = { attribute_technical_name: name, attribute_value: '2026-02-28' }
    expect((await call('listUsers', { query })).body).toMatchObject({ users: [], pagination: { total_elements: 0 } })
    await audit(service)
  })

  it.each<[string, unknown[]]>([
    ['nothing', [404, 'ATTRIBUTE_DEFINITION_NOT_FOUND', 'definition_id']],
    ['a b', [400, 'VALIDATION_ERROR', 'definition_id']],
  ])('is refused for %s', async (name, expected) => {
    expect(coded(await remove(name))).toEqual(expected)
  })

  it('is refused for what every organisation has', async () => {
    const predefined = { ...attributeKey('job_title') }
    await service.store.write([{ update: predefined, set: { 'data/predefined': true } }])
    const refused = await remove('job_title')
    expect(coded(refused)).toEqual(inUse)
    expect(refused.body.detail).toBe('Every organisation has this attribute definition: it is never deleted')
  })

  /** Every way to a value, and the user who has it then. */
  const ways: [string, (name: string) => Promise<string>][] = [
    [
      'creating a user',
      async (name) => {
        const body = person(newId(), name)
        expect((await call('createUser', { body })).status).toBe(201)
        return body.id
      },
    ],
    [
      'updating a user',
      async (name) => {
        expect((await give('plain', name, 'note')).status).toBe(200)
        return 'plain'
      },
    ],
    [
      'a batch of updates',
      async (name) => {
        const items = [{ id: 'admin-2', body: { attributes: [{ name, value: 'x' }] } }]
        expect((await call('updateUsers', { body: { items } })).body.items[0].status).toBe(200)
        return 'admin-2'
      },
    ],
    [
      'an import',
      async (name) => {
        const user = person(newId(), name)
        await importDirectory(contextOf(service), { users: [user] })
        return user.id
      },
    ],
  ]
  it.each(ways)('is refused while somebody has a value by %s', async (_what, way) => {
    const name = await newDefinition()
    const user_id = await way(name)
    expect(coded(await remove(name))).toEqual(inUse)
    await call('updateUser', { path: { user_id }, body: { attributes: [{ name, value: 'another' }] } })
    expect(coded(await remove(name))).toEqual(inUse)
    await audit(service)
    await call('updateUser', { path: { user_id }, body: { attributes: null } })
    expect((await remove(name)).status).toBe(204)
    await audit(service)
  })

  it('waits for users on their way out until nothing of them is left', async () => {
    const start = service.now()
    const [restored, purged, expired] = [newId(), newId(), newId()]
    const name = await newDefinition()
    for (const id of [restored, purged, expired]) await call('createUser', { body: person(id, name) })
    const [leaving, overdue] = [newId(), newId()]
    const pending = { status: 'PENDING_DELETION', deletion_at: '2026-12-01T09:00:00.000Z' }
    const users = [leaving, overdue].map((id) => ({ ...person(id, name), ...pending }))
    await importDirectory(contextOf(service), { users })
    await call('deleteUsers', { body: { items: [restored, purged, expired].map((id) => ({ id })) } })
    await audit(service)
    await call('restoreUser', { path: { user_id: restored } })
    await audit(service)
    await give(restored)
    expect(coded(await remove(name))).toEqual(inUse)
    service.setNow(new Date(start.getTime() + 15 * 24 * 3_600_000))
    expect(coded(await remove(name))).toEqual(inUse)
    // TTL takes a record whenever it likes.
    await service.store.bulk([{ delete: userKey(expired) }])
    await Promise.all([runPurge(), runPurge()])
    await audit(service)
    expect((await remove(name)).status).toBe(204)
    await runPurge()
    await audit(service)
  })

  it('forgets names that are long gone, so that the counters do not grow', async () => {
    const name = await newDefinition()
    await remove(name)
    const marks = async () => {
      const items = await Promise.all(Array.from({ length: SHARDS }, (_, n) => service.store.get(userCountKey(n))))
      return items.filter((item) => item && `e:${name}` in item).length
    }
    expect(await marks()).toBe(SHARDS)
    await remove(await newDefinition())
    expect(await marks()).toBe(SHARDS)
    service.setNow(new Date(service.now().getTime() + 25 * 3_600_000))
    await remove(await newDefinition())
    expect(await marks()).toBe(0)
    expect(await service.store.get(attributeKey(name))).toBeUndefined()
    expect((await create(name)).status).toBe(201)
    expect((await give('plain', name)).status).toBe(200)
    await audit(service)
    await give('plain')
    await remove(name)
  })

  it('of fifty makes place for another one; a user may have values of all, and exchange them, in one transaction', async () => {
    const before = (await call('listAttributeDefinitions', {})).body.attribute_definitions.length
    const [first = '', ...others] = await newDefinitions(50 - before)
    expect((await create('one_more')).body.error_code).toBe('ATTRIBUTE_DEFINITIONS_LIMIT_EXCEEDED')
    expect((await remove(first)).status).toBe(204)
    expect((await create('one_more')).status).toBe(201)
    const names = ['one_more', ...others]
    const id = newId()
    expect((await call('createUser', { body: person(id, ...names) })).status).toBe(201)
    await audit(service)
    expect((await give(id, 'note')).status).toBe(200)
    expect((await give(id, ...names)).status).toBe(200)
    await audit(service)
    await give(id)
    for (const name of names) expect((await remove(name)).status).toBe(204)
    await audit(service)
  })
})

describe('a call that gives a value while another one deletes its definition', () => {
  it.each<[string, (name: string) => Promise<Reply>]>([
    ['creating a user', (name) => call('createUser', { body: person(newId(), name) })],
    ['updating one', (name) => give('plain', name)],
  ])('%s between the look and the write of the other: the definition stays', async (_what, way) => {
    const name = await newDefinition()
    const deleted = await meanwhile(
      service,
      () => way(name),
      () => remove(name),
    )
    expect(coded(deleted)).toEqual(inUse)
    await audit(service)
  })

  it.each<[string, (name: string) => Promise<Reply>]>([
    ['creating a user', (name) => call('createUser', { body: person(newId(), name) })],
    ['updating one', (name) => give('plain', name)],
  ])('%s with the deletion between look and write: it is not defined', async (_what, way) => {
    const name = await newDefinition()
    const given = await meanwhile(
      service,
      () => remove(name),
      () => way(name),
    )
    expect(coded(given)).toEqual(notDefined)
    await audit(service)
  })

  it('and defines it anew, with another type: the value is judged by that', async () => {
    const name = await newDefinition()
    const others = async () => {
      await remove(name)
      await create(name, 'DATE')
    }
    const given = await meanwhile(service, others, () => give('plain', name))
    expect(coded(given)).toEqual([400, 'INVALID_DATE_ATTRIBUTE_FORMAT', 'attributes.0.value'])
    await audit(service)
  })

  it('by an import: the user is in conflict, and comes when the definition is there', async () => {
    const name = await newDefinition()
    const file = { users: [person(newId(), name)] }
    const first = await meanwhile(
      service,
      () => remove(name),
      () => importDirectory(contextOf(service), file),
    )
    expect(first.conflicts).toEqual([{ section: 'users', index: 0, property: 'attributes' }])
    await audit(service)
    await expect(importDirectory(contextOf(service), file)).rejects.toThrow('must name an attribute definition')
    const attribute_definitions = [{ technical_name: name, title, attribute_type: 'TEXT' }]
    const summary = await importDirectory(contextOf(service), { ...file, attribute_definitions })
    expect(summary).toMatchObject({ attribute_definitions: { created: 1 }, users: { created: 1 } })
    expect(coded(await remove(name))).toEqual(inUse)
    await audit(service)
  })

  it('many at once: never has anybody a value of what is not defined', async () => {
    const id = newId()
    await call('createUser', { body: person(id) })
    for (let round = 0; round < 5; round++) {
      const name = await newDefinition()
      const [deleted, ...given] = await Promise.all([
        remove(name),
        give(id, name),
        give('plain', name, 'note'),
        call('createUser', { body: person(newId(), name) }),
        // That may come before the deletion.
        retype(name, 'DATE').then(() => ({ status: 0 })),
      ])
      const isThere = await isDefined(name)
      expect(deleted?.status === 204).toBe(!isThere)
      if (!isThere) expect(given.map(({ status }) => status)).toEqual([400, 400, 400, 0])
      await audit(service)
    }
  })

  it('when the process dies after any call, either all is done or nothing', async () => {
    for (let last = 1; ; last++) {
      const name = await newDefinition()
      const { calls, heal } = strike(service.client, (n) => (n === last ? 'death' : undefined))
      await remove(name)
      heal()
      await audit(service)
      expect((await give('plain', name)).status).toBe((await isDefined(name)) ? 200 : 400)
      await audit(service)
      if (calls.count < last) break
    }
  })
})

// A model ------------------------------------------------------------------------------------------------------------

type Step = [
  kind: 'define' | 'delete' | 'retype' | 'give' | 'new' | 'end' | 'restore' | 'days',
  n: number,
  names: string[],
]
const names = ['p', 'q', 'r']
const step: fc.Arbitrary<Step> = fc.tuple(
  fc.constantFrom('define', 'define', 'delete', 'delete', 'retype', 'give', 'give', 'new', 'end', 'restore', 'days'),
  fc.integer({ min: 0, max: 3 }),
  fc.subarray(names),
)

describe('definitions, values and deletions in any order', () => {
  it('answer as a model of them does', async () => {
    onTestFinished(() => service.activate())
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
        const another = await startService()
        const types = new Map<string, string>()
        const users = new Map<string, { names: string[]; due?: number }>()
        let day = 0
        const [gone, holds] = [
          (id: string) => (users.get(id)?.due ?? Number.POSITIVE_INFINITY) <= day,
          (name: string) => [...users.values()].some((user) => user.names.includes(name)),
        ]
        for (const [kind, n, given] of steps) {
          const [id, name] = [`u-${n}`, names[n % 3] as string]
          const isFine = given.every((one) => types.get(one) === 'TEXT')
          const user = users.get(id)
          if (kind === 'define') {
            expect((await create(name)).status).toBe(types.has(name) ? 409 : 201)
            if (!types.has(name)) types.set(name, 'TEXT')
          } else if (kind === 'delete') {
            expect((await remove(name)).status).toBe(types.has(name) ? (holds(name) ? 409 : 204) : 404)
            if (!holds(name)) types.delete(name)
          } else if (kind === 'retype') {
            const type = types.get(name) === 'TEXT' ? 'DATE' : 'TEXT'
            expect((await retype(name, type)).status).toBe(types.has(name) ? (holds(name) ? 409 : 200) : 404)
            if (types.has(name) && !holds(name)) types.set(name, type)
          } else if (kind === 'give') {
            const { status } = await give(id, ...given)
            expect(status).toBe(isFine ? (!user || gone(id) ? 404 : user.due ? 403 : 200) : 400)
            if (status === 200 && user) user.names = given
          } else if (kind === 'new') {
            const { status } = await call('createUser', { body: person(id, ...given) })
            if (status === 201) users.set(id, { names: given })
            expect(status === 201 || user !== undefined || !isFine).toBe(true)
          } else if (kind === 'end') {
            if ((await call('deleteUser', { path: { user_id: id } })).status === 200 && user) user.due ??= day + 14
          } else if (kind === 'restore') {
            if ((await call('restoreUser', { path: { user_id: id } })).status === 200) delete user?.due
          } else {
            day += 5
            another.setNow(new Date(Date.parse('2026-11-21T09:00:00.000Z') + day * 24 * 3_600_000))
            await runPurge()
            for (const [one, known] of users) if (gone(one)) known.names = []
          }
        }
        await audit(another)
      }),
      { numRuns: runs(10) },
    )
  })
})
