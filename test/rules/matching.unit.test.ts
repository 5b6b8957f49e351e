import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fold } from '../../domain/base/words.ts'
import type { UserRecord } from '../../domain/people/records/user.ts'
import { hintOf, profileOf } from '../../domain/people/records/userSearch.ts'
import {
  asciiHost,
  attributesIn,
  factsOf,
  factsOfHint,
  hasOtherFacts,
  type Matching,
  matcherOf,
  type RuleCondition,
} from '../../domain/people/rules/matching.ts'
import { operators } from '../../schemas/rules.ts'
import { runs } from '../harness/runs.ts'
import { userRecord } from '../harness/seed.ts'

const now = '2026-11-21T09:00:00.000Z'
const someone = (parts: Partial<UserRecord> = {}): UserRecord => userRecord({ id: 'u', ...parts }, now)
const having = (name: string, value: string) => someone({ attributes: [{ name, value }] })
const tagged = (...names: string[]) => someone({ tags: names.map((name) => ({ name })) })

const isMatch = (user: UserRecord, condition: RuleCondition, also: Partial<Matching> = {}): boolean =>
  matcherOf({ match: 'ALL', conditions: [condition], except_user_ids: [], ...also })(factsOf(user))

const a = (operator: RuleCondition['operator'], ...values: string[]) => ({ field: 'ATTRIBUTE:team', operator, values })
const on =
  (field: string) =>
  (operator: RuleCondition['operator'], ...values: string[]) => ({ field, operator, values })
const tag = on('TAG')
const host = on('EMAIL_DOMAIN')
const mail = (email: string | null) => someone({ email })
const team = (value: string) => having('team', value)
const without = someone()

describe('one condition', () => {
  const long = 'é'.repeat(255)
  const rows: [what: string, UserRecord, RuleCondition, boolean][] = [
    ['a language', someone({ preferred_language: 'de-DE' }), on('PREFERRED_LANGUAGE')('EQUALS', 'DE-de'), true],
    ['a part of a language', someone({ preferred_language: 'de-DE' }), on('PREFERRED_LANGUAGE')('EQUALS', 'de'), false],
    ['no language', without, on('PREFERRED_LANGUAGE')('IS_SET'), false],
    ['equal', team('Sales'), a('EQUALS', 'Sales'), true],
    ['one of several', team('Sales'), a('EQUALS', 'Legal', 'Sales'), true],
    ['without regard to case', team('SALES'), a('EQUALS', 'sales'), true],
    ['without regard to accents', team('Génie civil'), a('EQUALS', 'GENIE CIVIL'), true],
    ['accents in another normal form', team('Ge\u0301nie'), a('EQUALS', 'G\u00e9nie'), true],
    ['letters that have no accent mark', team('Straße Łódź'), a('EQUALS', 'strasse lodz'), true],
    ['dakuten tell words apart', team('か'), a('EQUALS', 'が'), false],
    ['emoji', team('Team 🚀'), a('EQUALS', 'team 🚀'), true],
    ['another emoji', team('Team 🚀'), a('EQUALS', 'team 🛸'), false],
    ['no half of an emoji', team('🚀'), a('STARTS_WITH', '🛸'), false],
    ['255 characters', team(long), a('EQUALS', 'E'.repeat(255)), true],
    ['254 of 255 characters', team(long), a('EQUALS', 'E'.repeat(254)), false],
    ['whole, no part of it', team('Sales Nord'), a('EQUALS', 'Sales'), false],
    ['outer space counts', team('Sales '), a('EQUALS', 'Sales'), false],
    ['space alone is a text', team(' '), a('EQUALS', ' '), true],
    ['the value of another attribute', having('other', 'Sales'), a('EQUALS', 'Sales'), false],
    ['no value', without, a('EQUALS', 'Sales'), false],
    ['not equal', team('Legal'), a('NOT_EQUALS', 'Sales'), true],
    ['not equal, but equal', team('sales'), a('NOT_EQUALS', 'Legal', 'Sales'), false],
    ['not equal and empty', without, a('NOT_EQUALS', 'Sales'), true],
    ['not equal and an empty text', team(''), a('NOT_EQUALS', 'Sales'), true],
    ['beginning', team('Sales Nord'), a('STARTS_WITH', 'SALES'), true],
    ['another beginning', team('Nord Sales'), a('STARTS_WITH', 'Sales'), false],
    ['one of several beginnings', team('Nord Sales'), a('STARTS_WITH', 'Sales', 'Nord'), true],
    ['part', team('Nord Sales West'), a('CONTAINS', 'sales'), true],
    ['no part', team('Nord'), a('CONTAINS', 'sales'), false],
    ['beginning of an empty field', without, a('STARTS_WITH', 'S'), false],
    ['a value of which folding leaves nothing', team('Sales'), a('STARTS_WITH', '\u0301'), false],
    ['nothing equals such a value', team('\u0301'), a('EQUALS', '\u0301'), false],
    ['set', team('x'), a('IS_SET'), true],
    ['not set', without, a('IS_SET'), false],
    ['an empty text is not set', team(''), a('IS_SET'), false],
    ['is not set', without, a('IS_NOT_SET'), true],
    ['is set', team('x'), a('IS_NOT_SET'), false],

    ['any tag', tagged('red', 'Blé'), tag('EQUALS', 'ble'), true],
    ['no tag', tagged('red', 'blue'), tag('EQUALS', 'green'), false],
    ['none of the tags', tagged('red', 'blue'), tag('NOT_EQUALS', 'green', 'white'), true],
    ['one of the tags', tagged('red', 'blue'), tag('NOT_EQUALS', 'green', 'Blue'), false],
    ['without tags', tagged(), tag('NOT_EQUALS', 'green'), true],
    ['beginning of a tag', tagged('red', 'dark blue'), tag('STARTS_WITH', 'dark'), true],
    ['part of a tag', tagged('red', 'dark blue'), tag('CONTAINS', 'k b'), true],
    ['tags set', tagged('red'), tag('IS_SET'), true],
    ['tags not set', tagged(), tag('IS_NOT_SET'), true],

    ['host', mail('zoe@example.com'), host('EQUALS', 'example.com'), true],
    ['host in another case', mail('zoe@Example.COM'), host('EQUALS', 'EXAMPLE.com'), true],
    ['host above', mail('zoe@mail.example.com'), host('EQUALS', 'example.com'), false],
    ['host that ends the same', mail('zoe@notexample.com'), host('EQUALS', 'example.com'), false],
    ['hosts below', mail('zoe@mail.example.com'), host('CONTAINS', '.example.com'), true],
    ['host of another script', mail('zoe@MÜNCHEN.de'), host('EQUALS', 'xn--mnchen-3ya.de'), true],
    ['A-label in the address', mail('zoe@XN--MNCHEN-3YA.de'), host('EQUALS', 'München.de'), true],
    ['accents tell hosts apart', mail('zoe@münchen.de'), host('EQUALS', 'munchen.de'), false],
    ['sharp s is a letter of hosts', mail('zoe@straße.de'), host('EQUALS', 'strasse.de'), false],
    ['other dots', mail('zoe@日本.jp'), host('EQUALS', '日本。jp'), true],
    ['beginning in whole labels', mail('zoe@münchen.example.de'), host('STARTS_WITH', 'münchen.'), true],
    ['no host', mail('zoe@example.com'), host('EQUALS', 'zoe@example.com'), false],
    ['a number is no address', mail('zoe@①.com'), host('EQUALS', '1.com'), true],
    ['no e-mail address', mail(null), host('EQUALS', 'example.com'), false],
    ['no e-mail address, not equal', mail(null), host('NOT_EQUALS', 'example.com'), true],
    ['no e-mail address, not set', mail(null), host('IS_NOT_SET'), true],

    ['role', someone({ role: 'ADMIN' }), on('ROLE')('EQUALS', 'ADMIN'), true],
    ['other role', someone(), on('ROLE')('NOT_EQUALS', 'ADMIN'), true],
    ['primary group', someone({ primary_user_group_id: 'Team' }), on('PRIMARY_USER_GROUP')('EQUALS', 'Team'), true],
    ['ids are exact', someone({ primary_user_group_id: 'Team' }), on('PRIMARY_USER_GROUP')('EQUALS', 'team'), false],
    ['username', someone({ username: 'Ext.Zoë' }), on('USERNAME')('STARTS_WITH', 'EXT.ZOE'), true],
    ['external id', someone({ external_id: 'hr-7' }), on('EXTERNAL_ID')('STARTS_WITH', 'HR-'), true],
    ['no external id', someone(), on('EXTERNAL_ID')('IS_NOT_SET'), true],
    ['a field that no user has', someone(), on('SHOE_SIZE')('IS_NOT_SET'), true],
  ]
  it.each(rows)('%s', (_what, user, condition, expected) => {
    expect(isMatch(user, condition)).toBe(expected)
  })
})

it('never matches an excepted user', () => {
  expect(isMatch(team('x'), a('IS_SET'), { except_user_ids: ['v', 'u'] })).toBe(false)
  expect(isMatch(team('x'), a('IS_SET'), { except_user_ids: ['v'] })).toBe(true)
})

it('reads a field of a user once, however many conditions look at it', () => {
  let reads = 0
  const user = Object.defineProperty(someone(), 'tags', { get: () => [{ name: `tag ${++reads}` }] })
  const conditions = ['red', 'blue', 'tag 2'].map((name) => tag('EQUALS', name))
  expect(matcherOf({ match: 'ANY', conditions, except_user_ids: [] })(factsOf(user))).toBe(false)
  expect(reads).toBe(1)
})

it('knows some fields from a row of a list', () => {
  const attributes = ['department', 'location', 'team'].map((name) => ({ name, value: `My ${name}` }))
  const user = someone({ username: 'Zoë', role: 'ADMIN', email: 'zoe@x.de', tags: [{ name: 'red' }], attributes })
  const { id, textsOf } = factsOfHint('u', hintOf(profileOf(user)), user.role)
  expect(id).toBe('u')
  const known = ['ROLE', 'USERNAME', 'ATTRIBUTE:department', 'ATTRIBUTE:location'].map(textsOf)
  expect(known).toEqual([['ADMIN'], ['zoe'], ['my department'], ['my location']])
  const unknown = ['EMAIL_DOMAIN', 'TAG', 'ATTRIBUTE:team', 'PRIMARY_USER_GROUP', 'EXTERNAL_ID', 'department']
  expect(unknown.map(textsOf)).toEqual(unknown.map(() => undefined))
  const empty = factsOfHint('u', hintOf(profileOf(someone())), 'USER')
  expect(['ATTRIBUTE:department', 'ATTRIBUTE:location'].map(empty.textsOf)).toEqual([[], []])
})

it.each([
  ['MÜNCHEN.de', 'xn--mnchen-3ya.de'],
  ['日本', 'xn--wgv71a'],
  ['Example.COM', 'example.com'],
])('writes the host %s as %s', (host, ascii) => {
  expect(asciiHost(host)).toBe(ascii)
})

it('leaves what is no host as it is', () => {
  for (const text of ['Mün/chen', 'xn--ü', 'Ü Ü', 'Ü#x', 'a'.repeat(300)])
    expect(asciiHost(text)).toBe(text.toLowerCase())
})

const texts = ['', ' ', 'x', 'X', 'é', 'e', 'e\u0301', 'éx', '🚀', '🚀x', 'ß', 'ss', '\u0301', 'x é', 'ex.de', 'éx.de']
const text = fc.constantFrom(...texts)
const given = text.filter((one) => one !== '')
const fields = ['ATTRIBUTE:department', 'ATTRIBUTE:location', 'ATTRIBUTE:team', 'TAG', 'EMAIL_DOMAIN', 'USERNAME']
const condition: fc.Arbitrary<RuleCondition> = fc
  .record({
    field: fc.constantFrom(...fields, 'EXTERNAL_ID', 'ROLE'),
    operator: fc.constantFrom(...operators),
    values: fc.array(given, { minLength: 1, maxLength: 3 }),
  })
  .map((one) => (one.field === 'ROLE' ? { ...one, values: ['ADMIN'] } : one))
const matching: fc.Arbitrary<Matching> = fc.record({
  match: fc.constantFrom('ALL', 'ANY'),
  conditions: fc.array(condition, { minLength: 1, maxLength: 4 }),
  except_user_ids: fc.subarray(['u', 'v']),
})
const user = fc
  .record({
    department: fc.option(text),
    location: fc.option(text),
    team: fc.option(text),
    tags: fc.array(given, { maxLength: 3 }),
    host: fc.option(fc.constantFrom('ex.de', 'éx.de', 'EX.DE', 'x.ss')),
    username: given,
    external_id: fc.option(given),
    role: fc.constantFrom('USER', 'ADMIN'),
  })
  .map(({ department, location, team, tags, host, ...rest }) =>
    someone({
      ...rest,
      attributes: Object.entries({ department, location, team }).flatMap(([name, value]) =>
        value === null ? [] : [{ name, value }],
      ),
      tags: tags.map((name) => ({ name })),
      email: host === null ? null : `zoe@${host}`,
    }),
  )

/** What a condition means, said without preparation, laziness or unknown facts. */
function holds(user: UserRecord, { field, operator, values }: RuleCondition): boolean {
  const [kind, name] = field.split(':')
  const stored: Record<string, (string | null)[]> = {
    ATTRIBUTE: user.attributes.filter((one) => one.name === name).map(({ value }) => value),
    TAG: user.tags.map((one) => one.name),
    EMAIL_DOMAIN: [user.email?.split('@')[1] ?? null],
    USERNAME: [user.username],
    EXTERNAL_ID: [user.external_id],
    ROLE: [user.role],
  }
  const asciiOf = (host: string): string => (host === 'éx.de' ? 'xn--x-9fa.de' : host.toLowerCase())
  const compared = (one: string): string =>
    field === 'ROLE' ? one : field === 'EMAIL_DOMAIN' ? asciiHostOr(one, asciiOf) : fold(one)
  const has = (stored[String(kind)] ?? []).flatMap((one) =>
    one === null || compared(one) === '' ? [] : [compared(one)],
  )
  const wanted = values.map(compared).filter((one) => one !== '')
  const any = (fits: (one: string, value: string) => boolean) =>
    has.some((one) => wanted.some((value) => fits(one, value)))
  switch (operator) {
    case 'EQUALS':
      return any((one, value) => one === value)
    case 'NOT_EQUALS':
      return !any((one, value) => one === value)
    case 'STARTS_WITH':
      return any((one, value) => one.startsWith(value))
    case 'CONTAINS':
      return any((one, value) => one.includes(value))
    case 'IS_SET':
      return has.length > 0
    case 'IS_NOT_SET':
      return has.length === 0
  }
}

/** Only hosts are spelled in another way here: other values are compared as the service has them. */
const asciiHostOr = (text: string, asciiOf: (host: string) => string): string =>
  /^[\w.é]+$/i.test(text) && text.includes('.') ? asciiOf(text) : asciiHost(text)

it('matches as each condition by itself says', () => {
  fc.assert(
    fc.property(user, matching, (one, { match, conditions, except_user_ids }) => {
      const each = conditions.map((condition) => holds(one, condition))
      const expected =
        !except_user_ids.includes(one.id) && (match === 'ALL' ? !each.includes(false) : each.includes(true))
      expect(matcherOf({ match, conditions, except_user_ids })(factsOf(one))).toBe(expected)
    }),
    { numRuns: runs(2000) },
  )
})

it('says of a row of a list what the record says, or that it does not know', () => {
  const seen = new Set<boolean | undefined>()
  fc.assert(
    fc.property(user, matching, (one, asked) => {
      const matcher = matcherOf(asked)
      const verdict = matcher(factsOfHint(one.id, hintOf(profileOf(one)), one.role))
      seen.add(verdict)
      if (verdict !== undefined) expect(verdict).toBe(matcher(factsOf(one)))
    }),
    { numRuns: runs(2000) },
  )
  expect(seen).toEqual(new Set([true, false, undefined]))
})

it('knows which changes of a user matter', () => {
  const user = someone({ attributes: [{ name: 'team', value: 'x' }], tags: [{ name: 'red' }] })
  const others: Partial<UserRecord>[] = [
    { attributes: [{ name: 'team', value: 'y' }] },
    { email: 'zoe@example.com' },
    { role: 'ADMIN' },
    { tags: [] },
    { primary_user_group_id: 'sales' },
    { username: 'zoe' },
    { external_id: 'x' },
  ]
  for (const other of others) expect(hasOtherFacts(user, { ...user, ...other })).toBe(true)
  const attributes = [{ name: 'team', value: 'x' }]
  const same = someone({ ...user, attributes, last_name: 'Other', status: 'LOCKED', version: 7 })
  expect(hasOtherFacts(user, same)).toBe(false)
})

it('names each attribute definition once', () => {
  const conditions = [a('IS_SET'), tag('IS_SET'), on('ATTRIBUTE:location')('IS_SET'), a('EQUALS', 'x')]
  expect(attributesIn(conditions)).toEqual(['team', 'location'])
})
