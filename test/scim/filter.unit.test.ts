import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Filter, matches, parseFilter, parsePath } from '../../domain/scim/filter.ts'
import type { Resource } from '../../domain/scim/resource.ts'
import { ENTERPRISE_URN, GROUP_URN, groupSchema, ROLLCALL_URN, USER_URN, userSchema } from '../../domain/scim/schema.ts'
import { ScimError } from '../../domain/scim/scimError.ts'
import { anyCharacter } from '../harness/anyCharacter.ts'
import { runs } from '../harness/runs.ts'

const schema = userSchema(['shoe_size'])
const zoe = {
  schemas: [USER_URN, ENTERPRISE_URN],
  id: 'Zoe-1',
  externalId: 'E-1',
  userName: 'zoe@corp.example',
  name: { givenName: 'Zoë', familyName: 'Ferrán' },
  displayName: 'Zoë Ferrán',
  active: true,
  roles: [{ value: 'ADMIN' }],
  title: 'Fleet planner',
  emails: [
    { value: 'zoe@corp.example', type: 'work', primary: true },
    { value: 'zoe@home.example', type: 'home' },
  ],
  [ENTERPRISE_URN]: { department: 'Logistics', manager: { value: 'boss' } },
  [ROLLCALL_URN]: { shoe_size: '39', tags: ['Driver', 'Night'], locked: false },
  meta: { created: '2026-01-01T00:00:00.000Z', lastModified: '2026-03-01T00:00:00.000Z' },
}
const finds = (text: string): boolean => matches(parseFilter(text, schema), zoe)
/** The kind of fault that reading throws, and what it says. */
const faultOf = (read: () => unknown): [type?: string, detail?: string | undefined] => {
  try {
    read()
    return []
  } catch (error) {
    if (error instanceof ScimError) return [error.scimType, error.message]
    throw error
  }
}
const typeOf = (read: () => unknown): string | undefined => faultOf(read)[0]

describe('a filter finds a user', () => {
  it.each([
    'userName eq "zoe@corp.example"',
    'USERNAME EQ "ZOE@corp.example"',
    `${USER_URN}:userName eq "zoe@corp.example"`,
    'externalId eq E-1',
    'id eq Zoe-1',
    'displayName eq "ZOË ferrán"',
    'emails eq "zoe@home.example"',
    'emails.value sw "ZOE@home"',
    'emails[type eq "work"]',
    'emails[type eq "work"].value eq "zoe@corp.example"',
    'emails[type eq "work" and value co "@corp"]',
    'emails[not (type eq "work")]',
    '  emails[  type  eq  "work"  ]  and  (  title  pr  )  ',
    'emails[type eq "work"]. value eq "zoe@corp.example"',
    'emails.primary eq true',
    'emails[primary eq "True"]',
    'active eq True',
    'active eq "true"',
    'active ne false',
    'title pr',
    'title pr and not (userType pr)',
    'name.familyName ew "RÁN"',
    'not (title co "driver") and (id eq "x" or active eq true)',
    'id eq "x" and active eq true or title pr',
    'title eq "\\u0046leet planner"',
    'id eq "Zoe-1" and manager eq "boss"',
    `${ENTERPRISE_URN}:department eq "logistics"`,
    `${ENTERPRISE_URN}:manager.value eq "boss"`,
    `${ROLLCALL_URN}:shoe_size eq 39`,
    `${ROLLCALL_URN}:tags eq "night"`,
    `${ROLLCALL_URN}:locked eq false`,
    'meta.created lt "2026-01-01T01:00:00+00:30"',
    'meta.lastModified ge "2026-03-01T01:00:00+01:00"',
    'nickName eq null',
    'title ne null',
    'title gt "fleet p"',
    `schemas eq "${USER_URN}"`,
    'roles.value eq "ADMIN"',
  ])('%s', (text) => expect(finds(text)).toBe(true))

  it.each([
    'id eq "zoe-1"',
    'externalId eq e-1',
    'emails[type eq "work" and value co "@home"]',
    'emails[type eq "home"].value eq "zoe@corp.example"',
    'userName co "zoe" and title eq null',
    'not (active eq true)',
    'title le "fleet"',
    'password eq "secret"',
    `schemas eq "${GROUP_URN}"`,
    'roles.value eq "admin"',
    'meta.created gt "2026-01-01T00:00:00Z"',
  ])('but not by %s', (text) => expect(finds(text)).toBe(false))
})

describe('invalidFilter is answered to', () => {
  const missing = (at: number) => `An attribute is missing at character ${at} of the filter`
  const noValue = (at: number) => `A value is missing at character ${at} of the filter`
  const unexpected = (at: number) => `Unexpected text at character ${at} of the filter`
  const unknown = (name: string) => `"${name}" names no attribute`
  const notEqual = (name: string) => `${name} can only be compared with eq and ne`
  const tooDeep = 'The filter has more than 20 levels'
  const nested = (levels: number) => `${'('.repeat(levels)}title pr${')'.repeat(levels)}`

  it.each<[text: string, detail: string]>([
    ['', missing(1)],
    [' and title pr', unknown('and')],
    ['userName', 'userName must be followed by an operator'],
    ['userName like "x"', 'userName must be followed by an operator'],
    ['userName eq', noValue(12)],
    ['userName eq "x', noValue(13)],
    ['userName eq "\\x"', noValue(13)],
    ['userName eq "\\u00"', noValue(13)],
    ['userName eq "a\nb"', noValue(13)],
    ['userName eq "x" and', missing(20)],
    ['userName eq "x" AND (', missing(22)],
    ['userName eq "x")', unexpected(16)],
    ['userName eq "x" userName eq "y"', unexpected(17)],
    ['title pr and1 title pr', unexpected(10)],
    ['title pr or-title pr', unexpected(10)],
    ['title pr android', unexpected(10)],
    ['(userName eq "x"', 'A parenthesis is not closed'],
    ['not (userName eq "x"', 'A parenthesis is not closed'],
    ['not title pr', unknown('not')],
    ['userName co x', 'A text must be in quotes'],
    ['title gt 4x', 'A text must be in quotes'],
    ['title gt x4', 'A text must be in quotes'],
    ['title gt 4.', 'A text must be in quotes'],
    ['title gt 4.x', 'A text must be in quotes'],
    ['shoeSize eq "x"', unknown('shoeSize')],
    [`${ROLLCALL_URN}:hat_size eq "x"`, unknown(`${ROLLCALL_URN}:hat_size`)],
    [`${ROLLCALL_URN} eq "x"`, unknown(ROLLCALL_URN)],
    ['urn:other:User:userName eq "x"', unknown('urn:other:User:userName')],
    ['eq "x"', unknown('eq')],
    ['emails[shape eq "x"]', unknown('shape')],
    ['name eq "x"', 'name cannot be compared: name one of its sub-attributes'],
    ['userName[type eq "x"]', 'userName is no list of values'],
    ['name[givenName eq "x"]', 'name is no list of values'],
    [`${ROLLCALL_URN}:tags[value eq "x"]`, 'tags is no list of values'],
    ['emails[type eq "x"', 'A bracket is not closed'],
    ['emails[type eq "x"].value', 'value must be followed by an operator'],
    ['active gt true', notEqual('active')],
    ['active co "true"', notEqual('active')],
    ['active eq "perhaps"', 'active is true or false'],
    ['active eq "null"', 'active is true or false'],
    ['title gt null', 'null can only be compared with eq and ne'],
    ['meta.created gt "yesterday"', 'created must be compared with a moment, such as 2026-01-31T09:00:00Z'],
    [nested(21), tooDeep],
    [`emails[${nested(20).replace('title', 'type')}]`, tooDeep],
    [`not ${nested(21)}`, tooDeep],
    [Array(101).fill('title pr').join(' or '), 'The filter has more than 100 clauses'],
    [`title co "${'x'.repeat(33_000)}"`, 'The filter has more than 32768 characters'],
  ])('%s', (text, detail) => expect(faultOf(() => parseFilter(text, schema))).toEqual(['invalidFilter', detail]))

  it('but not to what is just within the limits', () => {
    expect(finds(nested(20))).toBe(true)
    expect(finds(Array(100).fill('title pr').join(' and '))).toBe(true)
    expect(finds(`emails[${nested(19).replace('title', 'type')}]`)).toBe(true)
  })
})

describe('a filter is read as', () => {
  const title = { keys: ['title'], attribute: expect.objectContaining({ name: 'title' }) }
  const pr = { op: 'pr', ...title }
  it.each<[text: string, filter: object]>([
    ['title pr', pr],
    ['((title pr))', pr],
    ['not (title pr)', { op: 'not', filter: pr }],
    ['title pr and title pr and title pr', { op: 'and', filters: [pr, pr, pr] }],
    ['title pr or title pr and title pr', { op: 'or', filters: [pr, { op: 'and', filters: [pr, pr] }] }],
    ['(title pr or title pr) and title pr', { op: 'and', filters: [{ op: 'or', filters: [pr, pr] }, pr] }],
    ['title Eq "Boss"', { op: 'eq', ...title, value: 'Boss' }],
    ['title eq Boss', { op: 'eq', ...title, value: 'Boss' }],
    ['title eq TRUE', { op: 'eq', ...title, value: 'true' }],
    ['title ne NULL', { op: 'ne', ...title, value: null }],
    ['title gt -12.50', { op: 'gt', ...title, value: '-12.50' }],
    ['title le 7', { op: 'le', ...title, value: '7' }],
    ['meta.created eq "2026-01-01T01:00:00+01:00"', { op: 'eq', value: '2026-01-01T00:00:00.000Z' }],
    ['meta.created sw "2026-01"', { op: 'sw', keys: ['meta', 'created'], value: '2026-01' }],
    ['meta.created co "-01-"', { op: 'co', value: '-01-' }],
    ['meta.created ew "Z"', { op: 'ew', value: 'Z' }],
    ['emails eq "x"', { op: 'eq', keys: ['emails', 'value'], value: 'x' }],
    ['emails pr', { op: 'pr', keys: ['emails'] }],
    [`${ROLLCALL_URN}:tags eq "x"`, { op: 'eq', keys: [ROLLCALL_URN, 'tags'], value: 'x' }],
    ['active Ne "FALSE"', { op: 'ne', keys: ['active'], value: false }],
    ['emails[Type pr]', { op: 'any', keys: ['emails'], filter: { op: 'pr', keys: ['type'] } }],
    [
      'emails[type pr].display pr',
      {
        op: 'any',
        keys: ['emails'],
        filter: {
          op: 'and',
          filters: [
            { op: 'pr', keys: ['type'] },
            { op: 'pr', keys: ['display'] },
          ],
        },
      },
    ],
  ])('%s', (text, filter) => expect(parseFilter(text, schema)).toMatchObject(filter))
})

describe('texts are compared', () => {
  const all = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le']
  it.each<[value: string, holding: string[]]>([
    ['Fleet planner', ['eq', 'co', 'sw', 'ew', 'ge', 'le']],
    ['Fleet', ['ne', 'co', 'sw', 'gt', 'ge']],
    ['planner', ['ne', 'co', 'ew', 'lt', 'le']],
    ['et pl', ['ne', 'co', 'gt', 'ge']],
    ['zoo', ['ne', 'lt', 'le']],
  ])('with %s: %j', (value, holding) => {
    expect(all.filter((op) => finds(`title ${op} "${value}"`))).toEqual(holding)
  })
})

describe('a value is present', () => {
  const custom = userSchema(['toString'])
  it.each<[resource: object, text: string, isPresent: boolean]>([
    [{ title: 'x' }, 'title pr', true],
    [{ title: '' }, 'title pr', false],
    [{ title: null }, 'title pr', false],
    [{}, 'title pr', false],
    [{ name: { givenName: 'Zoë' } }, 'name pr', true],
    [{ name: {} }, 'name pr', false],
    [{ name: 'Zoë' }, 'name.givenName pr', false],
    [{ name: null }, 'name.givenName pr', false],
    [{ active: false }, 'active pr', true],
    [{ emails: [] }, 'emails pr', false],
    [{ emails: [{ type: 'work' }] }, 'emails pr', true],
    [{ emails: [{ type: 'work' }] }, 'emails.value pr', false],
    [{ emails: ['text'] }, 'emails[value pr]', false],
    [{ emails: [null, { value: 'x' }] }, 'emails[value pr]', true],
    [{ [ROLLCALL_URN]: { tags: ['x'] } }, `${ROLLCALL_URN}:tags pr`, true],
    [{ [ROLLCALL_URN]: {} }, `${ROLLCALL_URN}:toString pr`, false],
    [{ title: '' }, 'title eq null', true],
    [{ title: '' }, 'title ne null', false],
    [{ title: '' }, 'title eq ""', false],
  ])('of %j by %s: %s', (resource, text, isPresent) => {
    expect(matches(parseFilter(text, custom), resource as Resource)).toBe(isPresent)
  })
})

describe('a path of PATCH', () => {
  it.each([
    ['userName', ['userName']],
    ['NAME.givenname', ['name', 'givenName']],
    ['emails', ['emails']],
    ['emails[type eq "work"].value', ['emails']],
    [ENTERPRISE_URN, [ENTERPRISE_URN]],
    [`${ENTERPRISE_URN}:manager.value`, [ENTERPRISE_URN, 'manager', 'value']],
    [`${ROLLCALL_URN.toUpperCase()}:shoe_size`, [ROLLCALL_URN, 'shoe_size']],
  ])('%s leads to %j', (text, keys) => expect(parsePath(text, schema).keys).toEqual(keys))

  it('of a group chooses members', () => {
    const { keys, filter } = parsePath('members[value eq "u-1"]', groupSchema)
    expect(keys).toEqual(['members'])
    expect(filter).toMatchObject({ op: 'eq', value: 'u-1' })
  })

  it.each(['emails[type eq "work"].value', ' Emails [ type EQ "work" ] ', 'emails[(type eq "work")].VALUE '])(
    '%s chooses elements of a list',
    (text) => {
      const { keys, attribute, filter, sub } = parsePath(text, schema)
      expect([keys, attribute?.name]).toEqual([['emails'], 'emails'])
      expect(filter).toMatchObject({ op: 'eq', keys: ['type'], value: 'work' })
      expect(sub?.name).toBe(/value/i.test(text) ? 'value' : undefined)
      expect(parsePath('members[value eq "u"].$ref', groupSchema).sub?.name).toBe('$ref')
    },
  )

  const unknown = (name: string) => `"${name}" names no attribute`
  const noList = (name: string) => `${name} is no list that a filter can choose from`
  const unended = 'The value filter of the path does not end with ]'
  it.each<[text: string, detail: string]>([
    ['', unknown('')],
    ['shoeSize', unknown('shoeSize')],
    ['name.shoe', unknown('name.shoe')],
    ['name.givenName.first', unknown('name.givenName.first')],
    [`${ROLLCALL_URN}:hat_size`, unknown(`${ROLLCALL_URN}:hat_size`)],
    ['urn:ietf:params:scim:schemas:core:2.0:Group:displayName', unknown(`${GROUP_URN}:displayName`)],
    ['[type eq "work"]', unknown('')],
    ['userName[type eq "work"]', noList('userName')],
    ['name[givenName eq "x"]', noList('name')],
    [`${ROLLCALL_URN}:tags[value eq "x"]`, noList(`${ROLLCALL_URN}:tags`)],
    [`${ENTERPRISE_URN}[department eq "x"]`, noList(ENTERPRISE_URN)],
    ['emails[type eq "work"', unended],
    ['emails[type eq "work"]]', unended],
    ['emails[type eq "work" x]', unended],
    ['emails[type eq "work"].value.x', unended],
    ['emails[type eq "work"].', unended],
    ['emails[type eq "work"].shape', 'emails has no shape'],
    ['emails[shape eq "work"]', unknown('shape')],
    ['emails[]', 'An attribute is missing at character 1 of the filter'],
  ])('%s is refused', (text, detail) => expect(faultOf(() => parsePath(text, schema))).toEqual(['invalidPath', detail]))
})

it('any text is a filter or a path, or refused as none', () => {
  const bits = fc.constantFrom(
    ...[
      'userName',
      'emails',
      '[',
      ']',
      '(',
      ')',
      'eq',
      'AND',
      'or',
      'not',
      'pr',
      '"x"',
      'x',
      '.',
      ' ',
      '\\',
      'active',
      'true',
    ],
  )
  const text = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.array(bits, { maxLength: 12 }).map((all) => all.join(' ')),
    fc.array(bits, { maxLength: 12 }).map((all) => all.join('')),
  )
  fc.assert(
    fc.property(text, (one) => {
      expect(['invalidFilter', undefined]).toContain(typeOf(() => parseFilter(one, schema)))
      expect(['invalidPath', undefined]).toContain(typeOf(() => parsePath(one, schema)))
    }),
    { numRuns: runs(600) },
  )
})

// A second reading of the RFC: what a filter means, by what the test drew, without parsing.
type Drawn = { text: string; holds: (user: Drawing) => boolean }
type Drawing = {
  userName: string
  title?: string | undefined
  active: boolean
  emails: { type: string; value: string }[]
}
const letters = fc.string({ unit: fc.constantFrom('a', 'B', 'b', ' ', '"', '\\', 'é'), maxLength: 3 })
const same = (a: string, b: string) => a.toLowerCase() === b.toLowerCase()
const relations: Record<string, (a: string, b: string) => boolean> = {
  eq: same,
  co: (a, b) => a.toLowerCase().includes(b.toLowerCase()),
  SW: (a, b) => a.toLowerCase().startsWith(b.toLowerCase()),
  ew: (a, b) => a.toLowerCase().endsWith(b.toLowerCase()),
  Gt: (a, b) => a.toLowerCase() > b.toLowerCase(),
  le: (a, b) => a.toLowerCase() <= b.toLowerCase(),
}
const relation = fc.constantFrom(...Object.keys(relations))
const compared = (path: string, valuesOf: (user: Drawing) => string[]): fc.Arbitrary<Drawn> =>
  fc.tuple(relation, letters).map(([op, value]) => ({
    text: `${path} ${op} ${JSON.stringify(value)}`,
    holds: (user) => valuesOf(user).some((one) => one !== '' && relations[op]?.(one, value)),
  }))
const leaf = fc.oneof(
  compared('userName', ({ userName }) => [userName]),
  compared('TITLE', ({ title }) => (title === undefined ? [] : [title])),
  compared('emails.value', ({ emails }) => emails.map(({ value }) => value)),
  fc.boolean().map((value): Drawn => ({ text: `active eq ${value}`, holds: ({ active }) => active === value })),
  fc.constant<Drawn>({ text: 'title pr', holds: ({ title }) => Boolean(title) }),
  fc.tuple(fc.constantFrom('work', 'home'), letters).map(
    ([type, value]): Drawn => ({
      text: `emails[type eq "${type}" and value co ${JSON.stringify(value)}]`,
      holds: ({ emails }) =>
        emails.some((one) => one.type === type && one.value !== '' && relations['co']?.(one.value, value)),
    }),
  ),
)
const { filter: drawnFilter } = fc.letrec<{ filter: Drawn }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 3 },
    leaf,
    tie('filter').map(({ text, holds }): Drawn => ({ text: `not (${text})`, holds: (user) => !holds(user) })),
    fc.tuple(tie('filter'), tie('filter')).map(
      ([a, b]): Drawn => ({
        text: `(${a.text}) AND (${b.text})`,
        holds: (user) => a.holds(user) && b.holds(user),
      }),
    ),
    fc.tuple(tie('filter'), tie('filter'), leaf).map(
      ([a, b, c]): Drawn => ({
        text: `(${a.text}) or (${b.text}) and ${c.text}`,
        holds: (user) => a.holds(user) || (b.holds(user) && c.holds(user)),
      }),
    ),
  ),
}))
const drawnUser: fc.Arbitrary<Drawing> = fc.record({
  userName: letters,
  title: fc.option(letters, { nil: undefined }),
  active: fc.boolean(),
  emails: fc.array(fc.record({ type: fc.constantFrom('work', 'home'), value: letters }), { maxLength: 2 }),
})

it('a filter means what the reference filter means', () => {
  fc.assert(
    fc.property(drawnFilter, fc.array(drawnUser, { minLength: 1, maxLength: 4 }), ({ text, holds }, users) => {
      const filter: Filter = parseFilter(text, schema)
      for (const user of users) expect(matches(filter, user), `${text} of ${JSON.stringify(user)}`).toBe(holds(user))
    }),
    { numRuns: runs(600) },
  )
})
