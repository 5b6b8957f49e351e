import { domainToASCII } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import type { matchModes, operators } from '../../../schemas/rules.ts'
import { fold } from '../../base/words.ts'
import type { UserRecord } from '../records/user.ts'
import { profileOfHint } from '../records/userSearch.ts'

export type Operator = (typeof operators)[number]

/** `field` is `ATTRIBUTE:<technical name>`, EMAIL_DOMAIN, ROLE, TAG, PRIMARY_USER_GROUP, USERNAME, EXTERNAL_ID or PREFERRED_LANGUAGE. */
export type RuleCondition = { field: string; operator: Operator; values: readonly string[] }

/** The part of a rule that decides who matches. */
export type Matching = {
  match: (typeof matchModes)[number]
  conditions: readonly RuleCondition[]
  /** Users who never match. */
  except_user_ids: readonly string[]
}

const ATTRIBUTE = 'ATTRIBUTE:'

/** The attribute definition that a field names; undefined for all other fields. */
export const attributeIn = (field: string): string | undefined =>
  field.startsWith(ATTRIBUTE) ? field.slice(ATTRIBUTE.length) : undefined

/** The attribute definitions that conditions name, each once. */
export const attributesIn = (conditions: readonly Pick<RuleCondition, 'field'>[]): string[] => [
  ...new Set(conditions.flatMap(({ field }) => attributeIn(field) ?? [])),
]

/** A user as conditions see them. `textsOf`: the texts of a field in the form that is compared; none if the field is empty. */
export type Facts = { id: string; textsOf: (field: string) => readonly string[] }

/** Facts from a source that lacks some fields: `textsOf` is undefined for these. */
type SomeFacts = { id: string; textsOf: (field: string) => readonly string[] | undefined }

/** Whether a user matches; undefined if the facts do not decide it. */
export type Matcher = { (facts: Facts): boolean; (facts: SomeFacts): boolean | undefined }

/** The fields of a user that conditions can look at. */
const comparedFields = [
  'attributes',
  'email',
  'role',
  'tags',
  'primary_user_group_id',
  'username',
  'external_id',
  'preferred_language',
] as const
type Compared = Pick<UserRecord, 'id' | (typeof comparedFields)[number]>

/** Whether a change of a user can change which rules they match. */
export const hasOtherFacts = (before: Compared, after: Compared): boolean =>
  comparedFields.some((name) => !isDeepStrictEqual(before[name], after[name]))

/** The facts of a user's record. Each text is folded once, however many rules look at it. */
export function factsOf(user: Compared): Facts {
  const folded = new Map<string, readonly string[]>()
  const textsOf = (field: string): readonly string[] => {
    const before = folded.get(field)
    if (before) return before
    const texts = storedTexts(user, field).map(comparable(field)).filter(isText)
    folded.set(field, texts)
    return texts
  }
  return { id: user.id, textsOf }
}

/**
 * The facts in a row of a list of users. Its hint has some fields only. It has the e-mail address, but without accents, and the
 * host is compared with them.
 */
export function factsOfHint(id: string, hint: string, role: UserRecord['role']): SomeFacts {
  const { username, department, location } = profileOfHint(hint)
  const texts = new Map<string, readonly (string | undefined)[]>([
    ['ROLE', [role]],
    ['USERNAME', [username]],
    [`${ATTRIBUTE}department`, [department]],
    [`${ATTRIBUTE}location`, [location]],
  ])
  return { id, textsOf: (field) => texts.get(field)?.filter(isText) }
}

/** A text that is empty after folding counts as missing. */
const isText = (text: string | undefined): text is string => text !== undefined && text !== ''

function storedTexts(user: Compared, field: string): readonly string[] {
  const name = attributeIn(field)
  if (name !== undefined) return user.attributes.filter((one) => one.name === name).map(({ value }) => value)
  return textsIn[field]?.(user) ?? []
}

const textsIn: Readonly<Record<string, (user: Compared) => readonly string[]>> = {
  EMAIL_DOMAIN: ({ email }) => (email === null ? [] : [email.slice(email.lastIndexOf('@') + 1)]),
  ROLE: ({ role }) => [role],
  TAG: ({ tags }) => tags.map(({ name }) => name),
  PRIMARY_USER_GROUP: ({ primary_user_group_id }) => [primary_user_group_id],
  USERNAME: ({ username }) => [username],
  EXTERNAL_ID: ({ external_id }) => (external_id === null ? [] : [external_id]),
  PREFERRED_LANGUAGE: ({ preferred_language: language }) => (language === null ? [] : [language]),
}

const exact = (text: string): string => text

/** The form in which texts of a field are compared: of users and of conditions. */
function comparable(field: string): (text: string) => string {
  if (field === 'EMAIL_DOMAIN') return asciiHost
  // Ids and roles are compared exactly: `Team` and `team` are two groups.
  return field === 'ROLE' || field === 'PRIMARY_USER_GROUP' ? exact : fold
}

/** The dots that international host names may have. */
const dots = /[。．｡]/g
const beyondAscii = /[^\0-\x7f]/
/** Characters that end a host in a URL, or that no host may contain. */
const notInHosts = /[\s#%/:<>?@[\\\]^|]/
/** Appended while a host is parsed: a host that ends in a number would be read as an IPv4 address. */
const ending = '.host'

/**
 * A host, or a part of one, as lower-case A-labels (RFC 5890): `MÜNCHEN.de` is `xn--mnchen-3ya.de`. A text that cannot be a
 * host is only lower-cased.
 */
export function asciiHost(host: string): string {
  const lower = host.toLowerCase()
  if (!beyondAscii.test(host) || notInHosts.test(host)) return lower
  const ascii = domainToASCII(`${lower.replace(dots, '.')}${ending}`)
  return ascii === '' ? lower : ascii.slice(0, -ending.length)
}

/** Makes the matcher of a rule. It folds the values of conditions once, for all users. */
export function matcherOf({ match, conditions, except_user_ids }: Matching): Matcher {
  const tests = conditions.map(testOf)
  const excepted = new Set(except_user_ids)
  // One condition that fails decides ALL, and one that holds decides ANY, even if the others are undecided.
  const deciding = match === 'ANY'
  const matches = (facts: SomeFacts) => (excepted.has(facts.id) ? false : decided(tests, facts, deciding))
  return matches as Matcher
}

type Test = (facts: SomeFacts) => boolean | undefined

function decided(tests: readonly Test[], facts: SomeFacts, deciding: boolean): boolean | undefined {
  let isOpen = false
  for (const test of tests) {
    const holds = test(facts)
    if (holds === deciding) return deciding
    isOpen ||= holds === undefined
  }
  return isOpen ? undefined : !deciding
}

function testOf({ field, operator, values }: RuleCondition): Test {
  const holds = tests[operator](values.map(comparable(field)).filter(isText))
  return (facts) => {
    const texts = facts.textsOf(field)
    return texts && holds(texts)
  }
}

type Holds = (texts: readonly string[]) => boolean

const tests: Record<Operator, (wanted: readonly string[]) => Holds> = {
  EQUALS: (wanted) => {
    const among = new Set(wanted)
    return (texts) => texts.some((text) => among.has(text))
  },
  NOT_EQUALS: (wanted) => {
    const among = new Set(wanted)
    return (texts) => !texts.some((text) => among.has(text))
  },
  STARTS_WITH: (wanted) => (texts) => texts.some((text) => wanted.some((beginning) => text.startsWith(beginning))),
  CONTAINS: (wanted) => (texts) => texts.some((text) => wanted.some((part) => text.includes(part))),
  IS_SET: () => (texts) => texts.length > 0,
  IS_NOT_SET: () => (texts) => texts.length === 0,
}
