import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { importDirectory } from '../../domain/import/importDirectory.ts'
import { attributeKey } from '../../domain/table/keys.ts'
import { audit } from '../harness/audit.ts'
import { type Any, call, type Reply } from '../harness/call.ts'
import { strike } from '../harness/faults.ts'
import { meanwhile } from '../harness/meanwhile.ts'
import { ordinary } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'
import { countWrites } from '../harness/writes.ts'
import { contextOf } from '../import/directory.ts'

let service: Service
let writes: () => number
beforeAll(async () => {
  service = await startService({ indexes: ['by_id'] })
  writes = countWrites(service)
})

/** Another service, for the rest of a test. */
const another = (extras: number): Promise<Service> => {
  onTestFinished(() => service.activate())
  return startService({ indexes: ['by_id'], extras })
}

const en = (text: string) => ({ language: 'en-GB', text })
const de = (text: string) => ({ language: 'de-DE', text })
const create = (body: unknown): Promise<Reply> => call('createAttributeDefinition', { body })
const read = (definition_id: string): Promise<Reply> => call('getAttributeDefinition', { path: { definition_id } })
const patch = (definition_id: string, body: unknown): Promise<Reply> =>
  call('updateAttributeDefinition', { path: { definition_id }, body })
const list = async (headers = {}): Promise<Any[]> =>
  (await call('listAttributeDefinitions', { headers })).body.attribute_definitions
const coded = ({ status, body }: Reply): unknown[] => [status, body?.error_code, body?.property]
const inUse = [409, 'ATTRIBUTE_DEFINITION_IN_USE', 'attribute_type']

let serial = 0
/** A text definition without values. */
const newDefinition = async (): Promise<string> => {
  const technical_name = `text_${++serial}`
  expect(await create({ technical_name, title: [en('T')], attribute_type: 'TEXT' })).toMatchObject({ status: 201 })
  return technical_name
}
const person = (name: string, value = 'x') => {
  const id = `u-${++serial}`
  return { id, username: id, first_name: 'U', last_name: 'U', attributes: [{ name, value }] }
}

describe('creating an attribute definition', () => {
  it('answers it with all its languages, under its technical name', async () => {
    const body = {
      technical_name: 'shoe_size',
      title: [en('Shoe size'), de('Schuhgröße')],
      attribute_type: 'TEXT',
      user_permission: 'EDIT',
    }
    const created = await create(body)
    expect([created.status, created.body]).toEqual([201, { id: 'shoe_size', ...body, predefined: false }])
    expect((await read('shoe_size')).body).toEqual(created.body)
    const plain = await create({ ...body, technical_name: 'Plain-1.x', user_permission: null })
    expect(plain.body).toMatchObject({ id: 'Plain-1.x', user_permission: 'VIEW' })
  })

  it.each<[string, object, unknown[]]>([
    ['no technical name', { technical_name: undefined }, [400, 'VALIDATION_ERROR', 'technical_name']],
    [
      'a technical name that a path cannot have',
      { technical_name: 'a b' },
      [400, 'VALIDATION_ERROR', 'technical_name'],
    ],
    ['no title', { title: null }, [400, 'VALIDATION_ERROR', 'title']],
    ['a title that is too long', { title: [en('x'.repeat(256))] }, [400, 'VALIDATION_ERROR', 'title.0.text']],
    ['another language', { title: [{ language: 'fr', text: 'x' }] }, [400, 'LANGUAGE_NOT_ENABLED', 'title.0.language']],
    ['a language twice', { title: [en('x'), en('y')] }, [400, 'VALIDATION_ERROR', 'title.1.language']],
    ['a type that there is not', { attribute_type: 'NUMBER' }, [400, 'VALIDATION_ERROR', 'attribute_type']],
    ['no type', { attribute_type: null }, [400, 'VALIDATION_ERROR', 'attribute_type']],
    ['an unknown field', { predefined: true }, [400, 'VALIDATION_ERROR', 'predefined']],
    ['a technical name that is taken', { technical_name: 'note' }, [409, 'DUPLICATE_TECHNICAL_NAME', 'technical_name']],
  ])('refuses %s', async (_what, parts, expected) => {
    const before = writes()
    const body = { technical_name: 'fresh', title: [en('x')], attribute_type: 'TEXT', ...parts }
    expect(coded(await create(body))).toEqual(expected)
    expect(writes()).toBe(before)
  })

  it('of one name at once happens once', async () => {
    const body = { technical_name: 'race', title: [en('x')], attribute_type: 'TEXT' }
    const replies = await Promise.all([1, 2, 3].map(() => create(body)))
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 409, 409])
    await audit(service)
  })
})

describe('updating an attribute definition', () => {
  it('changes what it names', async () => {
    const name = await newDefinition()
    const { status, body } = await patch(name, {
      title: [de('Neu')],
      attribute_type: 'DATE',
      user_permission: 'HIDDEN',
    })
    expect([status, body]).toEqual([
      200,
      {
        id: name,
        technical_name: name,
        title: [de('Neu')],
        attribute_type: 'DATE',
        user_permission: 'HIDDEN',
        predefined: false,
      },
    ])
    expect((await patch(name, { user_permission: null })).body.user_permission).toBe('VIEW')
    expect((await read(name)).body).toEqual({ ...body, user_permission: 'VIEW' })
  })

  it.each(['department', 'joined_on'])('with the whole record of %s writes nothing', async (name) => {
    const { body } = await read(name)
    const before = writes()
    expect((await patch(name, body)).body).toEqual(body)
    expect((await patch(name, {})).body).toEqual(body)
    expect(writes()).toBe(before)
  })

  it.each<[string, string, object, unknown[]]>([
    ['one that there is not', 'nothing', {}, [404, 'ATTRIBUTE_DEFINITION_NOT_FOUND', 'definition_id']],
    ['a path that is no id', 'a b', {}, [400, 'VALIDATION_ERROR', 'definition_id']],
    ['another technical name', 'note', { technical_name: 'notes' }, [400, 'VALIDATION_ERROR', 'technical_name']],
    ['null for the title', 'note', { title: null }, [400, 'VALIDATION_ERROR', 'title']],
    [
      'another language',
      'note',
      { title: [{ language: 'fr', text: 'x' }] },
      [400, 'LANGUAGE_NOT_ENABLED', 'title.0.language'],
    ],
    ['an unknown field', 'note', { colour: 1 }, [400, 'VALIDATION_ERROR', 'colour']],
  ])('refuses %s', async (_what, name, body, expected) => {
    expect(coded(await patch(name, body))).toEqual(expected)
  })
})

describe('the type of a definition', () => {
  /** Every way to a first value. */
  const ways: [string, (name: string) => Promise<Reply | unknown>][] = [
    ['creating a user', (name) => call('createUser', { body: { ...ordinary, ...person(name) } })],
    [
      'updating a user',
      (name) => call('updateUser', { path: { user_id: 'plain' }, body: { attributes: [{ name, value: 'x' }] } }),
    ],
    [
      'a batch of updates',
      (name) => {
        const items = ['plain', 'admin-2'].map((id) => ({ id, body: { attributes: [{ name, value: 'x' }] } }))
        return call('updateUsers', { body: { items } })
      },
    ],
    ['an import', (name) => importDirectory(contextOf(service), { users: [person(name)] })],
  ]
  it.each(ways)('cannot change while somebody has a value by %s', async (_what, give) => {
    const name = await newDefinition()
    expect((await patch(name, { attribute_type: 'PHONE_NUMBER' })).status).toBe(200)
    await give(name)
    expect(coded(await patch(name, { attribute_type: 'DATE' }))).toEqual(inUse)
    expect((await patch(name, { attribute_type: 'PHONE_NUMBER', title: [en('Same')] })).status).toBe(200)
    await audit(service)
    const { users } = (await call('listUsers', { query: { attribute_technical_name: name, attribute_value: 'x' } }))
      .body
    expect(users.length).toBeGreaterThan(0)
    for (const { id } of users) await call('updateUser', { path: { user_id: id }, body: { attributes: null } })
    expect((await patch(name, { attribute_type: 'DATE' })).status).toBe(200)
    await audit(service)
  })

  it('that an import defines and gives values of is in use, too', async () => {
    const definition = { technical_name: 'badge', title: [en('Badge')], attribute_type: 'TEXT' }
    const file = { attribute_definitions: [definition], users: [person('badge')] }
    await importDirectory(contextOf(service), file)
    expect(coded(await patch('badge', { attribute_type: 'DATE' }))).toEqual(inUse)
    const before = writes()
    const summary = await importDirectory(contextOf(service), { attribute_definitions: [definition] })
    expect(summary.attribute_definitions).toMatchObject({ unchanged: 1, updated: 0 })
    expect(writes() - before).toBe(0)
    const titled = { ...definition, title: [en('Badge number')] }
    await importDirectory(contextOf(service), { attribute_definitions: [titled] })
    expect(coded(await patch('badge', { attribute_type: 'DATE' }))).toEqual(inUse)
    await audit(service)
  })

  it('can change as long as values were only refused', async () => {
    const name = await newDefinition()
    const body = { ...person(name), role: 'BOSS' }
    expect((await call('createUser', { body: { ...ordinary, ...body } })).status).toBe(400)
    expect(
      (await call('updateUser', { path: { user_id: 'nobody' }, body: { attributes: body.attributes } })).status,
    ).toBe(404)
    expect((await patch(name, { attribute_type: 'DATE' })).status).toBe(200)
  })

  it('changes meanwhile: the value is judged again', async () => {
    const name = await newDefinition()
    const toDate = () => patch(name, { attribute_type: 'DATE' })
    const created = await meanwhile(service, toDate, () =>
      call('createUser', { body: { ...ordinary, ...person(name, 'no date') } }),
    )
    expect(coded(created)).toEqual([400, 'INVALID_DATE_ATTRIBUTE_FORMAT', 'attributes.0.value'])
    const toText = () => patch(name, { attribute_type: 'TEXT' })
    const updated = await meanwhile(service, toText, () =>
      call('updateUser', { path: { user_id: 'plain' }, body: { attributes: [{ name, value: '2026-01-01' }] } }),
    )
    expect(updated.status).toBe(200)
    await audit(service)
  })

  it('is about to change while somebody is given a value: it does not', async () => {
    const name = await newDefinition()
    const changed = await meanwhile(
      service,
      () => call('createUser', { body: { ...ordinary, ...person(name) } }),
      () => patch(name, { attribute_type: 'DATE' }),
    )
    expect(coded(changed)).toEqual(inUse)
  })

  it('whatever dies meanwhile, no value is there that it does not fit', async () => {
    for (let last = 1; ; last++) {
      const name = await newDefinition()
      const body = person(name)
      const { calls, heal } = strike(service.client, (n) => (n === last ? 'death' : undefined))
      await call('createUser', { body: { ...ordinary, ...body } })
      heal()
      const changed = (await patch(name, { attribute_type: 'DATE' })).status === 200
      const isThere = (await call('getUser', { path: { user_id: body.id } })).status === 200
      expect(changed && isThere).toBe(false)
      await audit(service)
      if (calls.count < last) break
    }
  })
})

describe('the list of attribute definitions', () => {
  it('has all of them by technical name, each with the title that fits', async () => {
    await another(2)
    await create({ technical_name: 'aaa', title: [en('Zulu'), de('Zett')], attribute_type: 'DATE' })
    const german = await list({ 'accept-language': 'de-DE' })
    expect(german.map(({ definition }) => definition.technical_name)).toEqual([
      'aaa',
      'department',
      'extra_0',
      'extra_1',
      'job_title',
      'joined_on',
      'location',
      'note',
    ])
    expect(german[0]).toEqual({
      definition: {
        id: 'aaa',
        technical_name: 'aaa',
        title: de('Zett'),
        attribute_type: 'DATE',
        user_permission: 'VIEW',
        predefined: false,
      },
    })
    expect((await list())[0].definition.title).toEqual(en('Zulu'))
  })
})

describe('fifty definitions', () => {
  const fill = (from: number, count: number): Promise<Reply[]> =>
    Promise.all(
      Array.from({ length: count }, (_, n) =>
        create({ technical_name: `more_${from + n}`, title: [en('M')], attribute_type: 'TEXT' }),
      ),
    )

  it('are the most, however many are created at once', async () => {
    const full = await another(37)
    const replies = await fill(0, 14)
    expect(replies.map(({ status }) => status).sort()).toEqual([...new Array(8).fill(201), ...new Array(6).fill(409)])
    const refused = replies.filter(({ status }) => status === 409)
    expect(new Set(refused.map(({ body }) => body.error_code))).toEqual(
      new Set(['ATTRIBUTE_DEFINITIONS_LIMIT_EXCEEDED']),
    )
    expect(await list()).toHaveLength(50)
    expect(coded((await fill(50, 1))[0] as Reply)).toEqual([409, 'ATTRIBUTE_DEFINITIONS_LIMIT_EXCEEDED', undefined])
    expect(
      coded((await create({ technical_name: 'note', title: [en('N')], attribute_type: 'TEXT' })) as Reply)[1],
    ).toBe('DUPLICATE_TECHNICAL_NAME')
    await audit(full)
  })

  it('are the most for an import, too', async () => {
    const full = await another(45)
    const definition = { technical_name: 'over', title: [en('O')], attribute_type: 'TEXT' }
    await expect(importDirectory(contextOf(full), { attribute_definitions: [definition] })).rejects.toThrow(
      'would be 51, and 50 are allowed',
    )
    expect(await full.store.get(attributeKey('over'))).toBeUndefined()
  })
})
