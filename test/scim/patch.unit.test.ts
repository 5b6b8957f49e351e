import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  changeOf,
  creationOf,
  differences,
  namesFrom,
  replaced,
  resourceOf,
  valuesOf,
} from '../../domain/scim/mapping.ts'
import { operationsIn, patched, stepsOf } from '../../domain/scim/patch.ts'
import { canonical, type Resource } from '../../domain/scim/resource.ts'
import { ENTERPRISE_URN, ROLLCALL_URN, userSchema } from '../../domain/scim/schema.ts'
import { ScimError } from '../../domain/scim/scimError.ts'
import { runs } from '../harness/runs.ts'
import { userRecord } from '../harness/seed.ts'

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
const isDefined = (name: string) => name !== 'division'

/** What PATCH with these operations changes. */
function change(...Operations: unknown[]) {
  const steps = operationsIn({ Operations }).flatMap((one) => stepsOf(one, schema))
  const before = canonical(view, schema)
  const values = differences(valuesOf(before), valuesOf(patched(before, steps)))
  return changeOf(stored, values, isDefined)
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
/** The attributes after a change, but for the one that SCIM cannot name. */
const attributesIn = ({ attributes = [] }: ReturnType<typeof bodyOf>) => {
  const all = Object.fromEntries((attributes ?? []).map(({ name, value }) => [name, value]))
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

  it('removals: external id and attributes are cleared, names and active stay, the username must stay', () => {
    expect(bodyOf({ op: 'remove', path: 'externalId' })).toEqual({ external_id: null })
    for (const path of ['name', 'name.givenName', 'active', 'displayName', 'roles', 'id', 'groups', 'meta.created'])
      expect(change({ op: 'remove', path })).toEqual({ body: {}, active: path === 'active' ? undefined : true })
    expect(attributesIn(bodyOf({ op: 'remove', path: `${ROLLCALL_URN}:shoe_size` }))).not.toHaveProperty('shoe_size')
    expect(bodyOf({ op: 'remove', path: `${ROLLCALL_URN}:tags`, value: ['driver'] })).toEqual({ tags: [] })
    expect(typeOf(() => bodyOf({ op: 'remove', path: 'userName' }))).toBe('mutability')
    expect(typeOf(() => bodyOf({ op: 'replace', path: 'userName', value: '' }))).toBe('mutability')
    expect(typeOf(() => bodyOf({ op: 'remove' }))).toBe('noTarget')
  })

  it('operations of another form are refused', () => {
    for (const body of [{}, { Operations: {} }, { Operations: [1] }, { Operations: [{ op: 'move', path: 'title' }] }])
      expect(typeOf(() => operationsIn(body))).toBe('invalidSyntax')
    expect(typeOf(() => bodyOf({ op: 'add', value: 'text' }))).toBe('invalidSyntax')
    expect(typeOf(() => bodyOf({ op: 'add', path: 'title', value: { a: 1 } }))).toBe('invalidValue')
    expect(operationsIn({ operations: [{ OP: 'ADD', PATH: 'title', Value: 'x' }] })).toEqual([
      { op: 'add', path: 'title', value: 'x' },
    ])
  })
})

describe('PUT', () => {
  const put = (sent: Resource) => changeOf(stored, replaced(valuesOf(canonical(sent, schema))), isDefined)

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
    [{ name: { familyName: 'Byron' }, displayName: 'Ada Lovelace' }, 'Ada', 'Byron'],
    [{ name: { givenName: 'Ada' } }, 'Ada', 'Ada'],
    [{ displayName: 'é'.repeat(70) }, 'é'.repeat(64), 'é'.repeat(64)],
  ])('%j: %s, %s', (sent, first_name, last_name) => {
    expect(namesFrom(valuesOf(canonical(sent, schema)))).toEqual({ first_name, last_name })
  })

  it('an attribute that is not defined is accepted and not stored', () => {
    const values = valuesOf(
      canonical({ userName: 'ada', [ENTERPRISE_URN]: { division: 'D', department: 'R' } }, schema),
    )
    expect(creationOf(values, isDefined)).toMatchObject({ attributes: [{ name: 'department', value: 'R' }] })
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
const modelOf = (values: ReturnType<typeof valuesOf>): Partial<Record<Slot, unknown>> =>
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
    fc.property(fc.array(operation, { maxLength: 8 }), (drawn) => {
      const before = canonical(view, schema)
      const model = modelOf(valuesOf(before))
      const operations = drawn.map(({ op, slot, value, pathless }) => {
        model[slot] = op === 'remove' || !value ? undefined : value
        return pathless && op !== 'remove' ? { op, value: { [paths[slot]]: value } } : { op, path: paths[slot], value }
      })
      const steps = operationsIn({ Operations: operations }).flatMap((one) => stepsOf(one, schema))
      expect(modelOf(valuesOf(patched(before, steps))), JSON.stringify(operations)).toEqual(model)
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
        typeOf(() => valuesOf(canonical(sent, schema)))
        typeOf(() => operationsIn(sent).flatMap((one) => stepsOf(one, schema)))
      },
    ),
    { numRuns: runs(400) },
  )
})
