import { beforeAll, describe, expect, it } from 'vitest'
import {
  ENTERPRISE_URN,
  GROUP_URN,
  groupSchema,
  ROLLCALL_URN,
  type ScimAttribute,
  USER_URN,
  userSchema,
} from '../../domain/scim/schema.ts'
import { type Any, call } from '../harness/call.ts'
import { startService } from '../harness/service.ts'
import { ADDRESS, expectAnswer, patchBody, scim } from './scim.ts'

// The documents that describe SCIM say exactly what is served.

let schemas: Any[]

beforeAll(async () => {
  await startService({ indexes: 'all' })
  for (const technical_name of ['manager_id', 'cost_center', 'phone_number', '9lives'])
    await call('createAttributeDefinition', {
      body: { technical_name, title: [{ language: 'en-GB', text: technical_name }], attribute_type: 'TEXT' },
    })
  schemas = (await scim('GET', '/Schemas')).body.Resources
})

const schemaOf = (id: string): Any => schemas.find((one) => one.id === id)
const namesIn = (id: string): string[] => schemaOf(id).attributes.map(({ name }: Any) => name)

describe('documents', () => {
  it('ServiceProviderConfig is open to all, the others are not', async () => {
    const config = await scim('GET', '/ServiceProviderConfig', { token: null })
    expectAnswer(config, 200)
    expect(config.body).toMatchObject({
      patch: { supported: true },
      bulk: { supported: false },
      changePassword: { supported: false },
      filter: { supported: true, maxResults: 100 },
      sort: { supported: true },
      etag: { supported: true },
      pagination: { cursor: true, index: true },
      meta: { resourceType: 'ServiceProviderConfig', location: `${ADDRESS}/ServiceProviderConfig` },
    })
    for (const path of ['/Schemas', '/ResourceTypes', '/Me', '/Nothing'])
      expectAnswer(await scim('GET', path, { token: null }), 401)
  })

  it('have the types and comparisons that filters and bodies have', () => {
    const { extensions, ...user } = userSchema(['note', 'joined_on'])
    const accepted = new Map([[USER_URN, user.core], [GROUP_URN, groupSchema.core], ...extensions])
    const compare = (described: Any[], attributes: readonly ScimAttribute[] = []) => {
      for (const { name, type, multiValued, caseExact, subAttributes } of described) {
        const own = attributes.find((one) => one.name === name)
        expect({ name, type, multiValued, caseExact }).toEqual({
          name,
          type: own?.type,
          multiValued: own?.multiValued ?? false,
          caseExact: own?.caseExact ?? false,
        })
        if (subAttributes) compare(subAttributes, own?.sub)
      }
    }
    for (const { id, attributes } of schemas) compare(attributes, accepted.get(id))
  })

  it('can be read by id, not filtered, not changed', async () => {
    for (const [path, ids] of [
      ['/Schemas', [USER_URN, ENTERPRISE_URN, ROLLCALL_URN, GROUP_URN]],
      ['/ResourceTypes', ['User', 'Group']],
    ] as const) {
      const all = await scim('GET', path)
      expect(all.body).toMatchObject({ totalResults: ids.length, itemsPerPage: ids.length, startIndex: 1 })
      expect(all.body.Resources.map(({ id }: Any) => id)).toEqual(ids)
      for (const one of all.body.Resources) {
        const reply = await scim('GET', `${path}/${one.id}`)
        expect(reply.body).toEqual(one)
        expect(one.meta.location).toBe(`${ADDRESS}${path}/${one.id}`)
      }
      for (const filter of ['filter', 'Filter'])
        expectAnswer(await scim('GET', path, { query: { [filter]: 'id eq "User"' } }), 403)
      expectAnswer(await scim('GET', `${path}/other`), 404)
      expectAnswer(await scim('POST', path, { body: {} }), 405)
    }
    for (const token of [null, undefined])
      expectAnswer(
        await scim('GET', '/ServiceProviderConfig', { ...(token === null ? { token } : {}), query: { filter: 'x' } }),
        403,
      )
    expectAnswer(await scim('GET', '/Me'), 501)
    expectAnswer(await scim('GET', '/Bulk'), 404)
    expectAnswer(await scim('GET', '/'), 404)
  })

  it('have the attributes that are defined, and no others', () => {
    expect(namesIn(USER_URN)).toEqual([
      ...['userName', 'name', 'displayName', 'active', 'emails', 'roles', 'preferredLanguage', 'groups'],
      ...['title', 'phoneNumbers', 'addresses'],
    ])
    expect(namesIn(ENTERPRISE_URN)).toEqual(['costCenter', 'department', 'manager'])
    expect(namesIn(ROLLCALL_URN)).toEqual(['note', 'joined_on', 'tags', 'primaryUserGroup', 'locked'])
  })
})

it('dates are described as such', () => {
  const { type, description } = schemaOf(ROLLCALL_URN).attributes.find(({ name }: Any) => name === 'joined_on')
  expect([type, description]).toEqual(['string', expect.stringMatching(/a date, as YYYY-MM-DD$/)])
})

it('what the schemas say cannot be removed cannot be removed', async () => {
  const { id } = (
    await scim('POST', '/Users', { body: { userName: 'lasting', emails: [{ value: 'a@corp.example' }] } })
  ).body
  for (const urn of [USER_URN, ROLLCALL_URN])
    for (const { name, required, mutability, description, subAttributes = [] } of schemaOf(urn).attributes)
      for (const one of [
        { name, required, description },
        ...subAttributes.map((sub: Any) => ({ ...sub, name: `${name}.${sub.name}` })),
      ]) {
        const isLasting =
          one.required || /cannot be removed/.test(one.description) || (mutability === 'readOnly' && name === 'groups')
        const path = urn === USER_URN ? one.name : `${urn}:${one.name}`
        if (path.startsWith('roles.')) continue
        const reply = await scim('PATCH', `/Users/${id}`, { body: patchBody({ op: 'remove', path }) })
        expectAnswer(reply, isLasting ? 400 : 200, isLasting ? 'mutability' : undefined)
      }
})

it('HEAD answers like GET without a body, wherever GET does', async () => {
  const { id } = (await scim('POST', '/Groups', { body: { displayName: 'Head' } })).body
  const paths = ['/Users', '/Users/admin', '/Users/nobody', '/Users/.search', '/Groups', `/Groups/${id}`]
  const documents = [
    '/ServiceProviderConfig',
    '/Schemas',
    `/Schemas/${USER_URN}`,
    '/ResourceTypes',
    '/ResourceTypes/User',
  ]
  for (const path of [...paths, ...documents, '/Me', '/Nothing'])
    for (const token of [{}, { token: null }]) {
      const { headers: wanted, status, body } = await scim('GET', path, token)
      const head = await scim('HEAD', path, token)
      expect([path, head.status, head.body]).toEqual([path, status, undefined])
      expect(head.headers['content-length']).toBe(String(Buffer.byteLength(JSON.stringify(body))))
      for (const name of ['content-type', 'etag', 'allow', 'www-authenticate'])
        expect(head.headers[name], `${name} of ${path}`).toBe(wanted[name])
    }
  const { headers } = await scim('GET', '/Users/admin')
  const match = { headers: { 'if-none-match': headers['etag'] as string } }
  expect((await scim('HEAD', '/Users/admin', match)).status).toBe(304)
})

/** A value that is right for each attribute that can be written. */
const values: Record<string, unknown> = {
  userName: 'described',
  name: { givenName: 'Given', familyName: 'Family' },
  active: false,
  emails: [{ value: 'described@corp.example', type: 'work', primary: true }],
  roles: [{ value: 'ADMIN' }],
  preferredLanguage: 'en-GB',
  phoneNumbers: [{ value: '+41', type: 'work' }],
  addresses: [{ locality: 'Zug', type: 'work' }],
  manager: { value: 'admin' },
  tags: ['one'],
  primaryUserGroup: 'sales',
  joined_on: '2026-01-31',
}
const valueFor = ({ name }: Any): unknown => values[name] ?? 'text'

describe('what the schema of users says is what happens:', () => {
  const attributes = (): { attribute: Any; urn: string; path: string }[] =>
    [USER_URN, ENTERPRISE_URN, ROLLCALL_URN].flatMap((urn) =>
      schemaOf(urn).attributes.map((attribute: Any) => ({
        attribute,
        urn,
        path: urn === USER_URN ? attribute.name : `${urn}:${attribute.name}`,
      })),
    )
  const valueIn = (user: Any, urn: string, name: string) => (urn === USER_URN ? user[name] : user[urn]?.[name])

  it('readWrite attributes are stored by POST and PATCH, readOnly ones are ignored', async () => {
    const writable = attributes().filter(({ attribute }) => attribute.mutability === 'readWrite')
    const body: Any = { userName: 'described', [ENTERPRISE_URN]: {}, [ROLLCALL_URN]: {} }
    for (const { attribute, urn } of writable)
      Object.assign(urn === USER_URN ? body : body[urn], { [attribute.name]: valueFor(attribute) })
    const created = await scim('POST', '/Users', { body })
    expectAnswer(created, 201)
    const patched = await scim('POST', '/Users', { body: { userName: 'described-2' } })
    for (const { attribute, urn, path } of writable) {
      expect(valueIn(created.body, urn, attribute.name), path).toEqual(
        attribute.name === 'name' ? expect.objectContaining(values['name']) : valueFor(attribute),
      )
      if (attribute.name === 'userName') continue
      const operation = { op: 'replace', path, value: valueFor(attribute) }
      const reply = await scim('PATCH', `/Users/${patched.body.id}`, { body: patchBody(operation) })
      expect(valueIn(reply.body, urn, attribute.name), path).toEqual(valueIn(created.body, urn, attribute.name))
    }
    for (const { path, attribute, urn } of attributes().filter(
      ({ attribute }) => attribute.mutability === 'readOnly',
    )) {
      const operation = { op: 'replace', path, value: attribute.type === 'boolean' ? true : 'changed' }
      const reply = await scim('PATCH', `/Users/${created.body.id}`, { body: patchBody(operation) })
      if (path === 'groups') expectAnswer(reply, 400, 'mutability')
      else expect(valueIn(reply.body, urn, attribute.name), path).toEqual(valueIn(created.body, urn, attribute.name))
    }
  })

  it('what an answer has is in the schemas, sub-attributes included', async () => {
    const { body } = await scim('GET', '/Users', { query: { filter: 'userName eq "described"' } })
    const [listed] = body.Resources
    const { body: user } = await scim('GET', `/Users/${listed.id}`)
    expect(user.groups).toHaveLength(1)
    const known = (urn: string, resource: Any) => {
      for (const [name, value] of Object.entries<Any>(resource)) {
        const attribute = schemaOf(urn).attributes.find((one: Any) => one.name === name)
        expect(attribute, `${urn}:${name}`).toBeDefined()
        expect(Array.isArray(value), name).toBe(attribute.multiValued)
        for (const element of [value].flat())
          if (attribute.type === 'complex')
            for (const sub of Object.keys(element))
              expect(
                attribute.subAttributes.map((one: Any) => one.name),
                name,
              ).toContain(sub)
          else expect(typeof element, name).toBe(attribute.type)
      }
    }
    const { schemas: urns, id: _id, meta: _meta, [ENTERPRISE_URN]: enterprise, [ROLLCALL_URN]: ours, ...core } = user
    expect(urns).toEqual([USER_URN, ENTERPRISE_URN, ROLLCALL_URN])
    known(USER_URN, core)
    known(ENTERPRISE_URN, enterprise)
    known(ROLLCALL_URN, ours)
  })

  it('all of them can be asked for, and filtered, but groups', async () => {
    for (const { path, attribute } of attributes()) {
      const filter = `${path}${attribute.name === 'name' ? '.givenName' : ''} pr`
      const reply = await scim('GET', '/Users', { query: { filter, attributes: path } })
      expectAnswer(
        reply,
        attribute.name === 'groups' ? 400 : 200,
        attribute.name === 'groups' ? 'invalidFilter' : undefined,
      )
    }
  })

  it('required and unique are the username alone', async () => {
    const marked = attributes().filter(({ attribute }) => attribute.required || attribute.uniqueness !== 'none')
    expect(marked.map(({ path }) => path)).toEqual(['userName'])
    expectAnswer(await scim('POST', '/Users', { body: {} }), 400, 'invalidValue')
  })
})

it('what the schema of groups says is what happens', async () => {
  const { body: group } = await scim('POST', '/Groups', {
    body: { displayName: 'Described', externalId: 'd', members: [{ value: 'admin', type: 'User' }] },
  })
  const common = ['schemas', 'id', 'externalId', 'meta']
  expect(
    Object.keys(group)
      .filter((name) => !common.includes(name))
      .sort(),
  ).toEqual(namesIn(GROUP_URN).sort())
  const [displayName, members] = schemaOf(GROUP_URN).attributes
  expect(Object.keys(group.members[0]).sort()).toEqual(members.subAttributes.map(({ name }: Any) => name).sort())
  for (const [value, matches] of [
    ['DESCRIBED', !displayName.caseExact],
    ['described ', false],
  ] as const) {
    const reply = await scim('GET', '/Groups', { query: { filter: `displayName eq "${value}"` } })
    expect(reply.body.totalResults, value).toBe(Number(matches))
  }
  // A member comes and goes, and cannot be changed.
  for (const { name, mutability } of members.subAttributes)
    if (mutability === 'immutable') {
      const change = patchBody({ op: 'replace', path: `members[value eq "admin"].${name}`, value: 'User' })
      expectAnswer(await scim('PATCH', `/Groups/${group.id}`, { body: change }), 400, 'mutability')
    }
  // Required and unique on the server.
  expectAnswer(await scim('POST', '/Groups', { body: { members: [] } }), 400, 'invalidValue')
  expectAnswer(await scim('POST', '/Groups', { body: { displayName: 'described' } }), 409, 'uniqueness')
  const renamed = patchBody({ op: 'replace', path: 'displayName', value: 'Renamed' })
  const reply = await scim('PATCH', `/Groups/${group.id}`, { body: renamed, query: { attributes: 'displayName' } })
  expect(reply.body.displayName).toBe('Renamed')
})
