import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Filter, matches, parseFilter, parsePath } from '../../domain/scim/filter.ts'
import { ENTERPRISE_URN, groupSchema, ROLLCALL_URN, USER_URN, userSchema } from '../../domain/scim/schema.ts'
import { ScimError } from '../../domain/scim/scimError.ts'
import { runs } from '../harness/runs.ts'

const schema = userSchema(['shoe_size'])
const zoe = {
  id: 'Zoe-1',
  externalId: 'E-1',
  userName: 'zoe@corp.example',
  name: { givenName: 'Zoë', familyName: 'Ferrán' },
  displayName: 'Zoë Ferrán',
  active: true,
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
const typeOf = (read: () => unknown): string | undefined => {
  try {
    read()
    return undefined
  } catch (error) {
    if (error instanceof ScimError) return error.scimType
    throw error
  }
}

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
    'meta.created gt "2026-01-01T00:00:00Z"',
  ])('but not by %s', (text) => expect(finds(text)).toBe(false))
})

describe('invalidFilter is answered to', () => {
  it.each([
    '',
    'userName',
    'userName eq',
    'userName like "x"',
    'userName eq "x',
    'userName eq "x" and',
    'userName co x',
    '(userName eq "x"',
    'userName eq "x")',
    'userName eq "x" userName eq "y"',
    'shoeSize eq "x"',
    `${ROLLCALL_URN}:hat_size eq "x"`,
    'urn:other:User:userName eq "x"',
    'name eq "x"',
    'userName[type eq "x"]',
    'emails[shape eq "x"]',
    'emails[type eq "x"',
    'active gt true',
    'active eq "perhaps"',
    'meta.created gt "yesterday"',
    'title gt null',
    'eq "x"',
    `${'('.repeat(30)}title pr${')'.repeat(30)}`,
    Array.from({ length: 101 }, () => 'title pr').join(' or '),
    'userName eq "\\x"',
  ])('%s', (text) => expect(typeOf(() => parseFilter(text, schema))).toBe('invalidFilter'))
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

  it.each([
    '',
    'shoeSize',
    'name.shoe',
    'name.givenName.first',
    'emails[type eq "work"',
    'emails[type eq "work"]]',
    'emails[type eq "work"].shape',
    'emails[shape eq "work"]',
    'emails[]',
    'userName[type eq "work"]',
    `${ROLLCALL_URN}:hat_size`,
    'urn:ietf:params:scim:schemas:core:2.0:Group:displayName',
    'emails[type eq "work"].value.x',
    '[type eq "work"]',
  ])('%s is refused', (text) => expect(typeOf(() => parsePath(text, schema))).toBe('invalidPath'))
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
    fc.string({ unit: 'binary' }),
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
