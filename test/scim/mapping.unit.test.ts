import { describe, expect, it } from 'vitest'
import {
  attributesAt,
  changeOf,
  creationOf,
  differences,
  isActive,
  isCustom,
  mappedAttributes,
  replaced,
  resourceOf,
  type UserValues,
  userValuesOf,
} from '../../domain/scim/mapping.ts'
import { canonical, type Resource } from '../../domain/scim/resource.ts'
import { ENTERPRISE_URN, ROLLCALL_URN, USER_URN, userSchema } from '../../domain/scim/schema.ts'
import { ScimError } from '../../domain/scim/scimError.ts'
import { userRecord } from '../harness/seed.ts'

const schema = userSchema(['shoe_size'])
/** A value of each attribute, by the attribute that stores it. */
const values = {
  job_title: 'Planner',
  phone_number: '+41 1',
  location: 'Lisboa',
  employee_number: '4711',
  cost_center: 'C-1',
  organization: 'Corp',
  division: 'Ships',
  department: 'Logistics',
  manager_id: 'boss',
  shoe_size: '39',
}
const attributesOf = (all: Record<string, string>) => Object.entries(all).map(([name, value]) => ({ name, value }))
const zoe = userRecord(
  {
    id: 'zoe',
    external_id: 'E-1',
    first_name: 'Zoë',
    last_name: 'Ferrán',
    username: 'zoe.f',
    email: 'zoe@corp.example',
    role: 'ADMIN',
    attributes: attributesOf({ ...values, 'not.a.scim.name': 'hidden' }),
    tags: [{ name: 'driver' }, { name: 'night' }],
    preferred_language: 'de-DE',
    primary_user_group_id: 'team',
    updated_at: '2026-02-01T00:00:00.000Z',
  },
  '2026-01-01T00:00:00.000Z',
)
const shown = { location: 'https://scim.test/Users/zoe', version: 'W/"1"' }
const resource = {
  schemas: [USER_URN, ENTERPRISE_URN, ROLLCALL_URN],
  id: 'zoe',
  externalId: 'E-1',
  userName: 'zoe.f',
  name: { formatted: 'Zoë Ferrán', givenName: 'Zoë', familyName: 'Ferrán' },
  displayName: 'Zoë Ferrán',
  active: true,
  emails: [{ value: 'zoe@corp.example', type: 'work', primary: true }],
  title: 'Planner',
  phoneNumbers: [{ value: '+41 1', type: 'work' }],
  addresses: [{ locality: 'Lisboa', type: 'work' }],
  roles: [{ value: 'ADMIN' }],
  preferredLanguage: 'de-DE',
  [ENTERPRISE_URN]: {
    employeeNumber: '4711',
    costCenter: 'C-1',
    organization: 'Corp',
    division: 'Ships',
    department: 'Logistics',
    manager: { value: 'boss' },
  },
  [ROLLCALL_URN]: { shoe_size: '39', tags: ['driver', 'night'], primaryUserGroup: 'team', locked: false },
  meta: {
    resourceType: 'User',
    created: '2026-01-01T00:00:00.000Z',
    lastModified: '2026-02-01T00:00:00.000Z',
    ...shown,
  },
}
const whole: UserValues = {
  username: 'zoe.f',
  external_id: 'E-1',
  first_name: 'Zoë',
  last_name: 'Ferrán',
  displayName: 'Zoë Ferrán',
  email: 'zoe@corp.example',
  active: true,
  role: 'ADMIN',
  tags: ['driver', 'night'],
  preferred_language: 'de-DE',
  primary_user_group_id: 'team',
  attributes: new Map(Object.entries(values)),
}
const nothing: UserValues = { attributes: new Map() }

describe('a user is shown', () => {
  it('with all that is stored', () => {
    expect(resourceOf(zoe, shown)).toEqual(resource)
    const groups = [{ value: 'team' }]
    expect(resourceOf(zoe, { ...shown, groups })).toEqual({ ...resource, groups })
  })

  it('without what is not stored', () => {
    const { created_at, updated_at } = zoe
    expect(resourceOf(userRecord({ id: 'zoe', status: 'LOCKED', updated_at }, created_at), shown)).toStrictEqual({
      schemas: [USER_URN, ROLLCALL_URN],
      id: 'zoe',
      userName: 'zoe',
      name: { formatted: 'Some One', givenName: 'Some', familyName: 'One' },
      displayName: 'Some One',
      active: true,
      roles: [{ value: 'USER' }],
      [ROLLCALL_URN]: { primaryUserGroup: 'all-users', locked: true },
      meta: resource.meta,
    })
  })

  it.each([
    ['ACTIVE', true],
    ['LOCKED', true],
    ['DEACTIVATED', false],
    ['PENDING_DELETION', false],
  ] as const)('%s as active: %s', (status, active) => {
    expect([isActive({ status }), resourceOf({ ...zoe, status }, shown)['active']]).toEqual([active, active])
  })
})

describe('a resource says', () => {
  it('the values that it was made of', () => {
    expect(userValuesOf(canonical(resource, schema))).toEqual(whole)
    expect(userValuesOf({})).toEqual(nothing)
  })

  const work = { type: 'Work', value: 'work' }
  const home = { type: 'home', value: 'home' }
  const primary = { value: 'primary', primary: true }
  const ours = (one: object) => ({ [ROLLCALL_URN]: one })
  const attribute = (name: string, value: string | null) => ({ attributes: new Map([[name, value]]) })
  it.each<[what: string, sent: Resource, said: Partial<UserValues>]>([
    ['the primary address', { emails: [home, work, primary] }, { email: 'primary' }],
    ['else the one for work', { emails: [home, work, { ...primary, primary: false }] }, { email: 'work' }],
    ['else the first', { emails: [home, { type: 'other', value: 'other' }] }, { email: 'home' }],
    ['a bare text as address', { emails: ['x'] }, { email: 'x' }],
    ['no address where there is no list', { emails: 'x' }, {}],
    ['empty texts as nothing', { userName: '', title: '', name: { givenName: '' } }, {}],
    ['null as nothing', { userName: null, active: undefined, title: null }, {}],
    ['numbers and booleans as texts', { userName: 7, externalId: false }, { username: '7', external_id: 'false' }],
    ['inactive', { active: false }, { active: false }],
    ['the last role of ours', { roles: [{ value: 'ADMIN' }, { value: 'USER' }, { value: 'X' }] }, { role: 'USER' }],
    ['the primary one of them', { roles: [{ value: 'ADMIN', primary: true }, 'USER'] }, { role: 'ADMIN' }],
    ['a bare text as role', { roles: ['ADMIN'] }, { role: 'ADMIN' }],
    ['no role, if it is none of ours', { roles: [{ value: 'Editor', primary: true }, null] }, {}],
    ['the phone for work', { phoneNumbers: [home, work] }, attribute('phone_number', 'work')],
    ['no phone that is not for work', { phoneNumbers: [home] }, {}],
    ['a phone that is no list', { phoneNumbers: '+41' }, attribute('phone_number', '+41')],
    ['a manager as text', { [ENTERPRISE_URN]: { manager: 'boss' } }, attribute('manager_id', 'boss')],
    ['nothing, if the extension is a text', { [ENTERPRISE_URN]: 'x' }, {}],
    ['each tag once', ours({ tags: ['a', 'b', 'a', '', null] }), { tags: ['a', 'b'] }],
    ['one tag that is no list', ours({ tags: 'a' }), { tags: ['a'] }],
    ['no tags any more', ours({ tags: null }), { tags: null }],
    ['no primary group any more', ours({ primaryUserGroup: null }), { primary_user_group_id: null }],
    ['that an attribute is cleared', ours({ shoe_size: null }), attribute('shoe_size', null)],
    ['the same by an empty text', ours({ shoe_size: '' }), attribute('shoe_size', null)],
    ['numbers of attributes as texts', ours({ shoe_size: 39 }), attribute('shoe_size', '39')],
    ['attributes of the core schema there only', ours({ department: 'x', locked: true }), {}],
  ])('%s', (_what, sent, said) => {
    expect(userValuesOf(sent)).toEqual({ ...nothing, ...said })
  })

  it.each<[sent: Resource, detail: string]>([
    [{ userName: {} }, 'userName must be a text'],
    [{ externalId: [] }, 'externalId must be a text'],
    [{ displayName: {} }, 'displayName must be a text'],
    [{ name: 'Zoë' }, 'name must be an object'],
    [{ name: { givenName: {} } }, 'name.givenName must be a text'],
    [{ name: { familyName: {} } }, 'name.familyName must be a text'],
    [{ emails: [{ value: {} }] }, 'emails must be a text'],
    [{ active: 'maybe' }, 'active must be true or false'],
    [{ title: {} }, 'title must be a text'],
    [{ [ENTERPRISE_URN]: { costCenter: {} } }, `${ENTERPRISE_URN}:costCenter must be a text`],
    [ours('x' as never), `${ROLLCALL_URN} must be an object`],
    [ours({ tags: [{}] }), `${ROLLCALL_URN}:tags must be a text`],
    [ours({ primaryUserGroup: {} }), `${ROLLCALL_URN}:primaryUserGroup must be a text`],
    [ours({ shoe_size: {} }), `${ROLLCALL_URN}:shoe_size must be a text`],
  ])('no value of another form: %j', (sent, detail) => {
    const refused = expect.objectContaining({ scimType: 'invalidValue', message: detail })
    expect(() => userValuesOf(sent)).toThrow(ScimError)
    expect(() => userValuesOf(sent)).toThrow(refused)
  })
})

describe('attributes', () => {
  const all = [...mappedAttributes.keys()]
  it.each<[keys: string[], names: string[]]>([
    [[], all],
    [['title'], ['job_title']],
    [['emails'], []],
    [['addresses', 'locality'], ['location']],
    [[ENTERPRISE_URN], all.slice(3)],
    [[ENTERPRISE_URN, 'manager', 'value'], ['manager_id']],
    [[ROLLCALL_URN], []],
    [[ROLLCALL_URN, 'shoe_size'], ['shoe_size']],
    [[ROLLCALL_URN, 'tags'], []],
    [[ROLLCALL_URN, 'department'], []],
    [[ENTERPRISE_URN, 'shoe_size'], []],
  ])('that %j stands for: %j', (keys, names) => {
    expect(attributesAt(keys)).toEqual(names)
  })

  it.each([
    ['shoe_size', true],
    ['department', false],
    ['tags', false],
    ['LOCKED', false],
    ['not.a.scim.name', false],
    ['9lives', false],
  ])('%s is shown by our extension: %s', (name, expected) => {
    expect(isCustom(name)).toBe(expected)
  })
})

describe('a change', () => {
  const known = { languages: ['en-GB', 'de-DE', 'fr'], isDefined: (name: string) => name !== 'division' }
  const change = (sent: Partial<Parameters<typeof changeOf>[1]>) => changeOf(zoe, { ...nothing, ...sent }, known)
  const changed = (sent: Partial<Parameters<typeof changeOf>[1]>) => change(sent).body
  const setting = (...entries: [string, string | null][]) => changed({ attributes: new Map(entries) })

  it('of what is stored, or of nothing, is none', () => {
    expect(change(whole)).toEqual({ body: {}, active: true })
    expect(change({})).toStrictEqual({ body: {}, active: undefined })
    expect([setting(['job_title', 'Planner']), setting(['unknown', null])]).toEqual([{}, {}])
  })

  it.each<[sent: Partial<Parameters<typeof changeOf>[1]>, body: object]>([
    [{ username: 'z' }, { username: 'z' }],
    [{ external_id: null }, { external_id: null }],
    [
      { first_name: 'A', last_name: 'B' },
      { first_name: 'A', last_name: 'B' },
    ],
    [
      { email: null, role: 'USER' },
      { email: null, role: 'USER' },
    ],
    [{ primary_user_group_id: null }, { primary_user_group_id: null }],
    [{ displayName: 'Other' }, {}],
    [{ tags: ['night', 'driver'] }, { tags: [{ name: 'night' }, { name: 'driver' }] }],
    [{ tags: null }, { tags: [] }],
  ])('%j: %j', (sent, body) => {
    expect(changed(sent)).toStrictEqual(body)
  })

  it('of attributes has all of them', () => {
    const { shoe_size: _shoeSize, ...others } = values
    const rest = { ...others, 'not.a.scim.name': 'hidden' }
    expect(setting(['shoe_size', null])).toEqual({ attributes: attributesOf(rest) })
    expect(setting(['job_title', 'Captain'])).toEqual({
      attributes: attributesOf({ ...values, 'not.a.scim.name': 'hidden', job_title: 'Captain' }),
    })
    expect(setting(['hat_size', '7'], ['division', 'Planes'])).toEqual({
      attributes: [...zoe.attributes, { name: 'hat_size', value: '7' }],
    })
  })

  it('by PUT clears what is not sent of the core and enterprise schemas', () => {
    const cleared = new Map<string, string | null>([...mappedAttributes.keys()].map((name) => [name, null]))
    expect(replaced(nothing)).toEqual({ email: null, preferred_language: null, attributes: cleared })
    const sent = { ...whole, attributes: new Map([['job_title', 'Captain']]) }
    expect(replaced(sent)).toEqual({ ...whole, attributes: new Map([...cleared, ['job_title', 'Captain']]) })
  })

  it('by PATCH clears what was taken away', () => {
    expect(differences(whole, whole)).toEqual(whole)
    const gone = { username: 'z', attributes: new Map([['job_title', 'Captain']]) }
    expect(differences(whole, gone)).toEqual({
      username: 'z',
      email: null,
      external_id: null,
      tags: null,
      primary_user_group_id: null,
      preferred_language: null,
      attributes: new Map<string, string | null>([
        ...Object.keys(values).map((name) => [name, null] as const),
        ['job_title', 'Captain'],
      ]),
    })
  })
})

describe('a creation', () => {
  const known = { languages: [], isDefined: () => true }

  it('has all that is sent, and the attributes that are defined', () => {
    const sent = { ...whole, attributes: new Map([...whole.attributes, ['hat_size', '7'], ['shoe_size', null]]) }
    expect(creationOf(sent, { languages: ['de-DE'], isDefined: (name) => name !== 'hat_size' })).toEqual({
      first_name: 'Zoë',
      last_name: 'Ferrán',
      username: 'zoe.f',
      external_id: 'E-1',
      email: 'zoe@corp.example',
      role: 'ADMIN',
      status: 'ACTIVE',
      attributes: zoe.attributes.filter(({ name }) => !['shoe_size', 'not.a.scim.name'].includes(name)),
      tags: zoe.tags,
      preferred_language: 'de-DE',
      primary_user_group_id: 'team',
    })
  })

  it('of a username makes an active user', () => {
    const names = { first_name: 'zoe', last_name: 'zoe', username: 'zoe@x' }
    const made = { ...names, role: 'USER', status: 'ACTIVE', attributes: [] }
    expect(creationOf({ ...nothing, username: 'zoe@x' }, known)).toEqual(made)
    expect(creationOf({ ...nothing, username: 'zoe@x', active: false }, known)).toEqual({
      ...made,
      status: 'DEACTIVATED',
    })
  })
})
