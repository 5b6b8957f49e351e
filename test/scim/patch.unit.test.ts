import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  changeOf,
  creationOf,
  differences,
  namesFrom,
  replaced,
  resourceOf,
  userValuesOf,
} from '../../domain/scim/mapping.ts'
import { operationsIn, patched, stepsOf } from '../../domain/scim/patch.ts'
import { canonical, propertyOf, type Resource } from '../../domain/scim/resource.ts'
import { ENTERPRISE_URN, ROLLCALL_URN, USER_URN, userSchema } from '../../domain/scim/schema.ts'
import { ScimError } from '../../domain/scim/scimError.ts'
import { runs } from '../harness/runs.ts'
import { userRecord } from '../harness/seed.ts'

const PATCH_URN = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
const schema = userSchema(['shoe_size'])
const stored = userRecord(
  {
    id: 'zoe',
    external_id: 'E-1',
    first_name: 'Zoë',
    last_name: 'Ferrán',
    username: 'zoe@corp.example',
    email: 'zoe@corp.example',
    attributes: [
      { name: 'job_title', value: 'Planner' },
      { name: 'department', value: 'Logistics' },
      { name: 'location', value: 'Lisboa' },
      { name: 'manager_id', value: 'boss' },
      { name: 'shoe_size', value: '39' },
      { name: 'not.a.scim.name', value: 'kept' },
    ],
    tags: [{ name: 'driver' }],
  },
  '2026-01-01T00:00:00.000Z',
)
const shown = { location: 'https://scim.test/Users/zoe', version: 'W/"1"' }
const view = resourceOf(stored, shown)
const known = { languages: ['en-GB'], isDefined: (name: string) => name !== 'division' }

/** What PATCH with these operations changes. */
function change(...Operations: unknown[]) {
  const steps = operationsIn({ Operations }).flatMap((one) => stepsOf(one, schema))
  const before = canonical(view, schema)
  const values = differences(userValuesOf(before), userValuesOf(patched(before, steps, schema)))
  return changeOf(stored, values, known)
}
const bodyOf = (...operations: unknown[]) => change(...operations).body
const typeOf = (run: () => unknown): string | undefined => {
  try {
    run()
    return undefined
  } catch (error) {
    if (error instanceof ScimError) return error.scimType
    throw error
  }
}
/** The attributes after a change, without the one that SCIM cannot name. */
const attributesIn = ({ attributes = [] }: ReturnType<typeof bodyOf>) => {
  const all = Object.fromEntries(attributes.map(({ name, value }) => [name, value]))
  expect(all['not.a.scim.name']).toBe('kept')
  return all
}

describe('what directories send in PATCH:', () => {
  it('active as boolean and as text in any letter case, with and without path', () => {
    for (const value of [false, 'False', 'false', 'FALSE']) {
      expect(change({ op: 'Replace', path: 'active', value }).active).toBe(false)
      expect(change({ op: 'replace', value: { active: value } }).active).toBe(false)
      expect(change({ op: 'Add', path: 'ACTIVE', value }).active).toBe(false)
    }
    expect(change({ op: 'replace', path: 'active', value: 'True' }).active).toBe(true)
    expect(typeOf(() => change({ op: 'replace', path: 'active', value: 'maybe' }))).toBe('invalidValue')
  })

  it('an e-mail address of type work that is there, or is not', () => {
    const path = 'emails[type eq "work"].value'
    expect(bodyOf({ op: 'Replace', path, value: 'new@corp.example' })).toEqual({ email: 'new@corp.example' })
    expect(bodyOf({ op: 'Remove', path })).toEqual({ email: null })
    const none = { op: 'remove', path: 'emails' }
    for (const op of ['Add', 'replace'])
      expect(bodyOf(none, { op, path, value: 'new@corp.example' })).toEqual({ email: 'new@corp.example' })
    expect(bodyOf({ op: 'add', path: 'emails[type eq "home"].value', value: 'zoe@home.example' })).toEqual({})
    expect(
      typeOf(() => bodyOf({ op: 'replace', path: 'emails[type ne "work" and value co "x"].value', value: 'y' })),
    ).toBe('noTarget')
  })

  it('e-mail addresses as a list: the primary one, else that for work, else the first is stored', () => {
    const value = [{ value: 'first@x.example' }, { type: 'Work', value: 'work@x.example' }]
    expect(bodyOf({ op: 'replace', path: 'emails', value })).toEqual({ email: 'work@x.example' })
    expect(bodyOf({ op: 'replace', path: 'emails', value: value.slice(0, 1) })).toEqual({ email: 'first@x.example' })
    const primary = [...value, { value: 'main@x.example', primary: 'True' }]
    expect(bodyOf({ op: 'replace', path: 'emails', value: primary })).toEqual({ email: 'main@x.example' })
    expect(bodyOf({ op: 'add', path: 'emails', value: [{ value: 'main@x.example', primary: true }] })).toEqual({
      email: 'main@x.example',
    })
    expect(bodyOf({ op: 'replace', path: 'emails', value: [] })).toEqual({ email: null })
  })

  it('an object with dotted names and URNs, without a path', () => {
    const body = bodyOf({
      op: 'replace',
      value: {
        'name.givenName': 'Zoe',
        displayName: 'is ignored',
        nickName: 'is not stored',
        whatever: 'is unknown',
        [`${ENTERPRISE_URN}:employeeNumber`]: 4711,
        [ENTERPRISE_URN]: { costCenter: 'C-1', division: 'is not defined' },
        [ROLLCALL_URN]: { SHOE_SIZE: '40', tags: ['driver', 'night'] },
        'emails[type eq "work"].value': 'new@corp.example',
        'emails[': 'is no name',
      },
    })
    expect(body).toMatchObject({
      first_name: 'Zoe',
      email: 'new@corp.example',
      tags: [{ name: 'driver' }, { name: 'night' }],
    })
    expect(Object.keys(body).sort()).toEqual(['attributes', 'email', 'first_name', 'tags'])
    expect(attributesIn(body)).toMatchObject({
      employee_number: '4711',
      cost_center: 'C-1',
      shoe_size: '40',
      department: 'Logistics',
    })
    expect(attributesIn(body)).not.toHaveProperty('division')
  })

  it('a manager as text, object, list of one, and by sub-attribute', () => {
    const path = `${ENTERPRISE_URN}:manager`
    for (const value of [
      'chief',
      { value: 'chief' },
      { $ref: null, value: 'chief' },
      [{ $ref: '../Users/chief', value: 'chief' }],
    ])
      expect(attributesIn(bodyOf({ op: 'Add', path, value }))).toMatchObject({ manager_id: 'chief' })
    expect(attributesIn(bodyOf({ op: 'add', path: `${path}.value`, value: 'chief' }))).toMatchObject({
      manager_id: 'chief',
    })
    for (const gone of [
      { op: 'remove', path },
      { op: 'replace', path, value: '' },
      { op: 'replace', path, value: { value: null } },
    ])
      expect(attributesIn(bodyOf(gone))).not.toHaveProperty('manager_id')
  })

  it('work phone and place of work, which are created where they are missing', () => {
    const body = bodyOf(
      { op: 'add', path: 'phoneNumbers[type eq "work"].value', value: '+41 1' },
      { op: 'add', path: 'phoneNumbers[type eq "mobile"].value', value: '+41 2' },
      { op: 'replace', path: 'addresses[type eq "work"].locality', value: 'Porto' },
      { op: 'replace', path: 'title', value: null },
    )
    expect(attributesIn(body)).toMatchObject({ phone_number: '+41 1', location: 'Porto' })
    expect(attributesIn(body)).not.toHaveProperty('job_title')
  })

  it('roles: an explicit USER or ADMIN counts, all else says nothing', () => {
    expect(bodyOf({ op: 'add', path: 'roles', value: [{ value: 'ADMIN' }] })).toEqual({ role: 'ADMIN' })
    expect(bodyOf({ op: 'replace', path: 'roles[primary eq "True"].value', value: 'ADMIN' })).toEqual({ role: 'ADMIN' })
    for (const value of [[], null, [{ value: 'Editor' }], [{ value: '{"id":"1"}' }]])
      expect(bodyOf({ op: 'replace', path: 'roles', value })).toEqual({})
  })

  it('removals: external id and attributes are cleared; what each user has cannot be removed', () => {
    expect(bodyOf({ op: 'remove', path: 'externalId' })).toEqual({ external_id: null })
    for (const path of ['displayName', 'name.formatted', 'name.middleName', 'roles.display', 'nickName'])
      expect(change({ op: 'remove', path }), path).toEqual({ body: {}, active: true })
    const lasting = ['userName', 'name', 'name.givenName', 'name.familyName', 'active', 'roles', 'roles.value']
    const chosen = ['roles[value eq "USER"]', 'roles[value eq "USER"].value']
    for (const path of [...lasting, ...chosen, `${ROLLCALL_URN}:primaryUserGroup`])
      expect(
        typeOf(() => change({ op: 'remove', path })),
        path,
      ).toBe('mutability')
    expect(typeOf(() => change({ op: 'remove', path: 'roles', value: [{ value: 'USER' }] }))).toBe('mutability')
    expect(attributesIn(bodyOf({ op: 'remove', path: `${ROLLCALL_URN}:shoe_size` }))).not.toHaveProperty('shoe_size')
    expect(bodyOf({ op: 'remove', path: `${ROLLCALL_URN}:tags`, value: ['driver'] })).toEqual({ tags: [] })
    expect(typeOf(() => bodyOf({ op: 'replace', path: 'userName', value: null }))).toBe('mutability')
    expect(typeOf(() => bodyOf({ op: 'replace', path: 'userName', value: '' }))).toBe('invalidValue')
    expect(typeOf(() => bodyOf({ op: 'add', value: { userName: '' } }))).toBe('invalidValue')
    expect(typeOf(() => bodyOf({ op: 'remove' }))).toBe('noTarget')
  })

  it('a removal is judged by what is left at the end', () => {
    const swap = [
      { op: 'remove', path: 'roles[value eq "USER"]' },
      { op: 'add', path: 'roles', value: [{ value: 'ADMIN' }] },
    ]
    expect(bodyOf(...swap)).toEqual({ role: 'ADMIN' })
    expect(bodyOf(...swap.toReversed())).toEqual({ role: 'ADMIN' })
    const name = { op: 'add', path: 'name', value: { givenName: 'Z', familyName: 'F' } }
    expect(bodyOf({ op: 'remove', path: 'name' }, name)).toEqual({ first_name: 'Z', last_name: 'F' })
  })

  it('add and replace without a value are refused; null clears', () => {
    const paths = ['title', 'emails', 'emails[type eq "work"]', 'emails[type eq "work"].value', 'userName', 'active']
    for (const path of [...paths, ENTERPRISE_URN, `${ROLLCALL_URN}:tags`, 'members', 'nickName', undefined])
      for (const op of ['add', 'Replace']) {
        expect(typeOf(() => bodyOf({ op, path }))).toBe('invalidValue')
        expect(typeOf(() => bodyOf({ op: 'replace', path: 'title', value: 'X' }, { op, path }))).toBe('invalidValue')
      }
    expect(attributesIn(bodyOf({ op: 'replace', path: 'title', value: null }))).not.toHaveProperty('job_title')
    expect(attributesIn(bodyOf({ op: 'add', path: 'title', value: null }))).not.toHaveProperty('job_title')
    expect(bodyOf({ op: 'replace', path: 'emails', value: null })).toEqual({ email: null })
    expect(bodyOf({ op: 'replace', value: { externalId: null } })).toEqual({ external_id: null })
  })

  it('read-only attributes are refused as a path, and ignored in a value', () => {
    const paths = ['id', 'ID', 'schemas', 'meta', 'meta.created', 'groups', 'groups.value', 'groups[value eq "x"]']
    for (const path of [...paths, `${USER_URN}:id`])
      for (const op of ['add', 'replace', 'remove'])
        expect(
          typeOf(() => bodyOf({ op, path, value: 'x' })),
          path,
        ).toBe('mutability')
    const value = { id: 'x', meta: { created: 'x' }, 'meta.created': 'x', schemas: ['x'], groups: [{ value: 'x' }] }
    expect(bodyOf({ op: 'replace', value })).toEqual({})
  })

  it('at most 1,000 operations, at least one, and the schema of PATCH if any', () => {
    const operations = (count: number) =>
      Array.from({ length: count }, () => ({ op: 'replace', path: 'title', value: 'x' }))
    expect(operationsIn({ Operations: operations(1000) })).toHaveLength(1000)
    expect(typeOf(() => operationsIn({ Operations: operations(1001) }))).toBe('tooMany')
    expect(typeOf(() => operationsIn({ Operations: [] }))).toBe('invalidSyntax')
    const of = (schemas: unknown) => () => operationsIn({ schemas, Operations: operations(1) })
    for (const schemas of [undefined, null, [], PATCH_URN, [PATCH_URN.toUpperCase()], ['urn:other', PATCH_URN]])
      expect(of(schemas)()).toHaveLength(1)
    for (const schemas of [['urn:other'], USER_URN, [USER_URN], 7, {}, [null], [{ toString: 1 }]])
      expect(typeOf(of(schemas))).toBe('invalidSyntax')
  })

  it('operations in any letter case, with an empty path or none', () => {
    expect(operationsIn({ operations: [{ OP: 'ADD', PATH: 'title', Value: 'x' }] })).toEqual([
      { op: 'add', path: 'title', value: 'x' },
    ])
    const pathless = [{ op: 'Remove' }, { op: 'remove', path: '' }, { op: 'remove', path: null }]
    expect(operationsIn({ Operations: pathless })).toEqual(pathless.map(() => ({ op: 'remove' })))
  })

  it('a name twice, in two spellings: the exact one counts', () => {
    expect(propertyOf({ VALUE: 1, value: 2 }, 'value')).toBe(2)
    expect(propertyOf({ VALUE: 1, Value: 2 }, 'value')).toBe(1)
    expect(propertyOf({ other: 1 }, 'value')).toBeUndefined()
  })

  it.each<[operation: unknown, type: string, detail: string]>([
    [1, 'invalidSyntax', 'Operations.0 must be an object'],
    [{ op: 'move', path: 'title' }, 'invalidSyntax', 'Operations.0.op must be add, replace or remove'],
    [{ op: 'add', path: 7 }, 'invalidSyntax', 'Operations.0.path must be a text'],
    [{ op: 'add', value: 'text' }, 'invalidSyntax', 'An operation without a path needs an object as value'],
    [
      { op: 'add', path: ENTERPRISE_URN, value: 'text' },
      'invalidSyntax',
      'An operation without a path needs an object as value',
    ],
    [{ op: 'remove' }, 'noTarget', 'remove needs a path'],
    [{ op: 'remove', path: ENTERPRISE_URN }, 'noTarget', 'remove needs the path of an attribute'],
    [{ op: 'add', path: 'shoeSize', value: 'x' }, 'invalidPath', '"shoeSize" names no attribute'],
    [{ op: 'add', path: 'title', value: { a: 1 } }, 'invalidValue', 'title must be a text'],
    [{ op: 'add', path: 'addresses[type eq "x"]', value: 'text' }, 'invalidValue', 'addresses must have objects'],
    ...['type ne "work"', 'type eq null', 'type co "x" and value eq "y"', 'not (value pr)'].map(
      (filter): [object, string, string] => [
        { op: 'add', path: `phoneNumbers[${filter}].value`, value: 'x' },
        ...(['noTarget', 'No element passes the filter of the path'] as [string, string]),
      ],
    ),
  ])('%j is refused', (operation, type, detail) => {
    expect(() => bodyOf(operation)).toThrow(expect.objectContaining({ scimType: type, message: detail }))
  })

  it('lists that grow without end are refused', () => {
    const addresses = (count: number) => Array.from({ length: count }, (_, n) => ({ value: `n${n}@x.example` }))
    const addMany = (count: number) => ({ op: 'add', path: 'emails', value: addresses(count) })
    expect(bodyOf(addMany(50), addMany(50))).toEqual({})
    const each = addresses(100).map(({ value }, n) => ({ op: 'add', path: `emails[type eq "t${n}"].value`, value }))
    const tooMany = { scimType: 'invalidValue', message: 'emails must have at most 100 elements' }
    for (const operations of [[addMany(100)], each])
      expect(() => bodyOf(...operations)).toThrow(expect.objectContaining(tooMany))
  })

  it('operations that are no list are refused', () => {
    for (const body of [{}, { Operations: {} }, { Operations: null }])
      expect(() => operationsIn(body)).toThrow(
        expect.objectContaining({ scimType: 'invalidSyntax', message: expect.stringContaining('must be a list') }),
      )
  })
})

describe('one operation on a resource:', () => {
  const work = { value: 'a', type: 'work', primary: true }
  const home = { value: 'b', type: 'home', display: 'B' }
  const tags = (...all: string[]) => ({ [ROLLCALL_URN]: { tags: all } })
  const start: Resource = {
    userName: 'zoe',
    title: 'Boss',
    name: { givenName: 'Zoë', familyName: 'Ferrán' },
    emails: [work, home],
    ...tags('x', 'y'),
  }
  const OURS = `${ROLLCALL_URN}:tags`
  const add = (path: string | undefined, value: unknown) => ({ op: 'add', path, value })
  const replace = (path: string | undefined, value: unknown) => ({ op: 'replace', path, value })
  const remove = (path: string, value?: unknown) => ({ op: 'remove', path, value })
  const familyOnly = { name: { familyName: 'Ferrán' } }
  const workOnly = { emails: [work] }
  const none = { emails: undefined }

  it.each<[operation: object, changes: Resource]>([
    [add('title', 'Captain'), { title: 'Captain' }],
    [replace('TITLE', 'Captain'), { title: 'Captain' }],
    [replace('title', ''), { title: undefined }],
    [remove('title'), { title: undefined }],
    [remove('title', 'Other'), { title: undefined }],
    [replace('active', 'False'), { active: false }],
    [add('name', { GIVENNAME: 'Z' }), { name: { givenName: 'Z', familyName: 'Ferrán' } }],
    [replace('name', { givenName: null }), familyOnly],
    [replace('name', { givenName: null, familyName: null }), { name: {} }],
    [replace('name', null), { name: undefined }],
    [remove('name', { givenName: 'Z' }), { name: undefined }],
    [remove('name.givenName'), familyOnly],
    [add('name.middleName', 'M'), { name: { givenName: 'Zoë', familyName: 'Ferrán', middleName: 'M' } }],
    [add(`${ENTERPRISE_URN}:manager.value`, 'boss'), { [ENTERPRISE_URN]: { manager: { value: 'boss' } } }],
    [add(`${ENTERPRISE_URN}:manager`, { value: 'boss' }), { [ENTERPRISE_URN]: { manager: { value: 'boss' } } }],
    [add(`${ENTERPRISE_URN}:manager`, 'boss'), { [ENTERPRISE_URN]: { manager: { value: 'boss' } } }],
    [remove(`${ENTERPRISE_URN}:manager.value`), {}],

    [add('emails', { value: 'c' }), { emails: [work, home, { value: 'c' }] }],
    [add('emails', [work, { value: 'c' }]), { emails: [work, home, { value: 'c' }] }],
    [
      add('emails', { value: 'c', primary: 'TRUE' }),
      { emails: [{ ...work, primary: false }, home, { value: 'c', primary: true }] },
    ],
    [add('emails', null), {}],
    [replace('emails', [home]), { emails: [home] }],
    [replace('emails', []), none],
    [remove('emails'), none],
    [remove('emails', []), none],
    [remove('emails', [{ value: 'b' }]), workOnly],
    [remove('emails', 'b'), workOnly],
    [remove('emails', ['a', 'b']), none],
    [remove('emails', { value: 'c' }), {}],
    [add('emails.type', 'other'), { emails: [work, home].map((one) => ({ ...one, type: 'other' })) }],
    [remove('emails.value'), none],
    [add('phoneNumbers.value', '+41'), { phoneNumbers: [{ value: '+41' }] }],
    [remove('phoneNumbers.value'), {}],

    [replace('emails[type eq "work"].value', 'c'), { emails: [{ ...work, value: 'c' }, home] }],
    [replace('emails[type eq "work"]', { value: 'c' }), { emails: [{ ...work, value: 'c' }, home] }],
    [replace('emails[type eq "work"]', 'c'), { emails: [{ ...work, value: 'c' }, home] }],
    [replace('emails[type eq "work"]', null), { emails: [work, home] }],
    [replace('emails[type pr].display', 'd'), { emails: [work, home].map((one) => ({ ...one, display: 'd' })) }],
    [replace('emails[type eq "home"].primary', 'true'), { emails: [work, { ...home, primary: true }] }],
    [replace('emails[type eq "home"].type', null), { emails: [work, { value: 'b', display: 'B' }] }],
    [remove('emails[type eq "work"]'), { emails: [home] }],
    [remove('emails[type eq "work"].value'), { emails: [home] }],
    [remove('emails[type eq "home"].value'), workOnly],
    [remove('emails[type pr]'), none],
    [remove('emails[type eq "other"]'), {}],
    [remove('emails[type eq "other"].value'), {}],
    [add('emails[type eq "other"].value', 'c'), { emails: [work, home, { type: 'other', value: 'c' }] }],
    [add('emails[type eq "other"]', { value: 'c' }), { emails: [work, home, { type: 'other', value: 'c' }] }],
    [
      add('emails[type eq "other" and primary eq true].value', 'c'),
      { emails: [work, home, { type: 'other', primary: true, value: 'c' }] },
    ],

    [add(OURS, ['y', 'z']), tags('x', 'y', 'z')],
    [add(OURS, 'z'), tags('x', 'y', 'z')],
    [replace(OURS, 'z'), tags('z')],
    [remove(OURS, 'x'), tags('y')],
    [remove(OURS), { [ROLLCALL_URN]: undefined }],

    [add(undefined, { title: 'Captain', active: true }), { title: 'Captain', active: true }],
    [add(undefined, { 'name.givenName': 'Z' }), { name: { givenName: 'Z', familyName: 'Ferrán' } }],
    [add(undefined, { 'emails[type eq "home"].value': 'c' }), { emails: [work, { ...home, value: 'c' }] }],
    [add(undefined, { unknown: 1, 'unknown[x': 1, 'name.unknown': 1, schemas: ['x'] }), {}],
    [add(undefined, { [ENTERPRISE_URN]: { department: 'D' } }), { [ENTERPRISE_URN]: { department: 'D' } }],
    [add(undefined, { [ENTERPRISE_URN]: null }), {}],
    [add(ENTERPRISE_URN, { department: 'D' }), { [ENTERPRISE_URN]: { department: 'D' } }],
  ])('%j', (operation, changes) => {
    const steps = operationsIn({ Operations: [operation] }).flatMap((one) => stepsOf(one, schema))
    const expected = Object.entries({ ...start, ...changes }).filter(([, value]) => value !== undefined)
    expect(patched(start, steps, { ...schema, lasting: new Map() })).toStrictEqual(Object.fromEntries(expected))
  })
})

describe('PUT', () => {
  const put = (sent: Resource) => changeOf(stored, replaced(userValuesOf(canonical(sent, schema))), known)

  it('of what GET answers changes nothing', () => expect(put(view)).toEqual({ body: {}, active: true }))

  it('clears missing core and enterprise attributes, and keeps the rest', () => {
    const { body, active } = put({ userName: 'zoe@corp.example' })
    expect(active).toBeUndefined()
    expect(body).toEqual({
      email: null,
      attributes: [
        { name: 'shoe_size', value: '39' },
        { name: 'not.a.scim.name', value: 'kept' },
      ],
    })
  })

  it('changes our extension by what is sent: null clears', () => {
    const { body } = put({ ...view, [ROLLCALL_URN]: { shoe_size: null, tags: [] } })
    expect(body.tags).toEqual([])
    expect(attributesIn(body)).not.toHaveProperty('shoe_size')
  })
})

describe('names that are missing on creation', () => {
  it.each([
    [{ displayName: 'Ada Maria Lovelace' }, 'Ada', 'Maria Lovelace'],
    [{ displayName: 'Ada' }, 'Ada', 'Ada'],
    [{ userName: 'ada@corp.example' }, 'ada', 'ada'],
    [{ userName: '@corp' }, '@corp', '@corp'],
    [{ displayName: '  Ada \t Lovelace ' }, 'Ada', 'Lovelace'],
    [{}, '', ''],
    [{ name: { familyName: 'Byron' }, displayName: 'Ada Lovelace' }, 'Ada', 'Byron'],
    [{ name: { givenName: 'Ada' } }, 'Ada', 'Ada'],
    [{ displayName: 'é'.repeat(70) }, 'é'.repeat(64), 'é'.repeat(64)],
  ])('%j: %s, %s', (sent, first_name, last_name) => {
    expect(namesFrom(userValuesOf(canonical(sent, schema)))).toEqual({ first_name, last_name })
  })

  it('an attribute that is not defined is accepted and not stored', () => {
    const values = userValuesOf(
      canonical({ userName: 'ada', [ENTERPRISE_URN]: { division: 'D', department: 'R' } }, schema),
    )
    expect(creationOf(values, known)).toMatchObject({ attributes: [{ name: 'department', value: 'R' }] })
  })
})

// The same operations on a model: a table of values, each written by its own path.
const paths = {
  external_id: 'externalId',
  first_name: 'name.givenName',
  email: 'emails[type eq "work"].value',
  job_title: 'title',
  department: `${ENTERPRISE_URN}:department`,
  location: 'addresses[type eq "work"].locality',
  phone_number: 'phoneNumbers[type eq "work"].value',
  manager_id: `${ENTERPRISE_URN}:manager.value`,
  shoe_size: `${ROLLCALL_URN}:shoe_size`,
} as const
type Slot = keyof typeof paths
const slots = Object.keys(paths) as Slot[]
const modelOf = (values: ReturnType<typeof userValuesOf>): Partial<Record<Slot, unknown>> =>
  Object.fromEntries(
    slots.map((slot) => [slot, (values as Partial<Record<Slot, unknown>>)[slot] ?? values.attributes.get(slot)]),
  )

it('random operations equal a small model', () => {
  const operation = fc.record({
    op: fc.constantFrom('add', 'Replace', 'remove'),
    slot: fc.constantFrom(...slots),
    value: fc.constantFrom('a', 'b', 'x@y.example', '', null),
    pathless: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(operation, { minLength: 1, maxLength: 8 }), (drawn) => {
      const before = canonical(view, schema)
      const model = modelOf(userValuesOf(before))
      const operations = drawn.map(({ op, slot, value, pathless }) => {
        model[slot] = op === 'remove' || !value ? undefined : value
        return pathless && op !== 'remove' ? { op, value: { [paths[slot]]: value } } : { op, path: paths[slot], value }
      })
      const steps = operationsIn({ Operations: operations }).flatMap((one) => stepsOf(one, schema))
      if (drawn.findLast(({ slot }) => slot === 'first_name')?.op === 'remove')
        expect(typeOf(() => patched(before, steps, schema))).toBe('mutability')
      else expect(modelOf(userValuesOf(patched(before, steps, schema))), JSON.stringify(operations)).toEqual(model)
    }),
    { numRuns: runs(400) },
  )
})

it('whatever is sent is understood or refused', () => {
  const value = fc.oneof(
    fc.jsonValue({ maxDepth: 3 }),
    fc.constantFrom('True', 'work', [{ value: 1 }], [null], { value: {} }),
  )
  const path = fc.constantFrom(
    undefined,
    ...Object.values(paths),
    'emails',
    'roles',
    'active',
    'members',
    'name',
    'id',
    'emails.value',
  )
  const resource = fc.dictionary(
    fc.constantFrom(
      'userName',
      'NAME',
      'emails',
      'roles',
      'active',
      'title',
      'addresses',
      ENTERPRISE_URN,
      ROLLCALL_URN,
      '__proto__',
    ),
    value,
  )
  fc.assert(
    fc.property(
      fc.array(fc.record({ op: fc.constantFrom('add', 'replace', 'remove'), path, value })),
      resource,
      (Operations, sent) => {
        typeOf(() => bodyOf(...Operations))
        typeOf(() => userValuesOf(canonical(sent, schema)))
        typeOf(() => operationsIn(sent).flatMap((one) => stepsOf(one, schema)))
      },
    ),
    { numRuns: runs(400) },
  )
})
