import { groups } from '../../domain/people/records/group.ts'
import type { Organisation } from '../../domain/people/records/organisation.ts'
import { type UserRecord, users } from '../../domain/people/records/user.ts'
import { attributesIn, factsOf, type Matcher, matcherOf } from '../../domain/people/rules/matching.ts'
import { bytesOfRule, type Rule, rules as records, ruleTotals } from '../../domain/people/rules/rule.ts'
import { grantOf, grantOfRule } from '../../domain/people/rules/ruleSet.ts'
import { partsOfPending, rulesWorkKey } from '../../domain/people/rules/rulesWork.ts'
import * as keys from '../../domain/table/keys.ts'
import type { FieldChange, Item, Key } from '../../domain/table/store.ts'
import { difference, type Expect, sumsOf, tallyOf } from './findings.ts'
import { leavingGroups } from './groups.ts'
import type { EventItem } from './recordKeys.ts'
import { noRepairs, type Repairs } from './repair.ts'
import type { Copy } from './tableCopy.ts'

/** All rules of a table. */
export const rulesIn = (copy: Copy): Rule[] =>
  [...copy.within('RULES', 'RULE#')].flatMap((item) => records.of(item) ?? [])

/** The attribute definitions that rules name, once for each rule: they count as uses. */
export const attributesOfRules = (rules: readonly Rule[]): string[] =>
  rules.flatMap(({ conditions, deleting }) => (deleting ? [] : attributesIn(conditions)))

/** Checks the totals of rules, what rules refer to, and every user against every rule. */
export function auditRules(copy: Copy, rules: readonly Rule[], expect: Expect, repairs = noRepairs()): void {
  auditTotals(copy, rules, expect)
  const leaving = leavingGroups(copy)
  for (const { id, user_group_id } of rules)
    expect(copy.has(keys.groupKey(user_group_id)) || leaving.has(user_group_id), `the group of rule ${id}`).toBe(true)
  const applying = changesApplying(copy)
  auditExceptions(copy, rules, applying, expect)
  auditDeletions(copy, rules, applying, expect, repairs)
  const named = new Set([...rules.map(grantOfRule), ...applying.grants])
  const matchers = matchersByGrant(copy, rules, applying)
  for (const item of copy.sortedAt('USER')) {
    const user = users.of(item)
    if (!user) continue
    for (const grant of leftovers(copy, user, named)) {
      expect(grant, `what ${user.id} holds by no rule`).toBe('nothing')
      toRepair(repairs, user, grant)
    }
    // Users pending deletion keep their roles until a restore; rules are still to be applied to users with an entry.
    if (user.status !== 'PENDING_DELETION' && !copy.has(keys.workKey('settle', user.id)))
      auditHeld(copy, user, matchers, expect, repairs)
  }
}

function auditTotals(copy: Copy, rules: readonly Rule[], expect: Expect): void {
  const stored = copy.at(keys.ruleEditionKey)
  const { edition = 0, count = 0, bytes = 0, ...rest } = stored ? ruleTotals.of(stored) : {}
  expect([count, bytes], 'number and bytes of rules').toEqual([
    rules.length,
    rules.reduce((sum, rule) => sum + bytesOfRule(rule), 0),
  ])
  const counted = Object.entries(rest).filter(([name]) => name.startsWith(GROUP))
  difference(
    expect,
    sumsOf(counted.map(([name, number]) => [name.slice(GROUP.length), Number(number)] as const)),
    tallyOf(rules.map(({ user_group_id }) => user_group_id)),
    'rules of groups',
  )
  const organisation = copy.at(keys.organisationKey)?.['data'] as Organisation | undefined
  expect(organisation?.has_rules ?? false, 'has_rules in the settings').toBe(rules.length > 0)
  const late = [...copy.within('USERS', 'N#')].filter(
    (shard) => Number(shard[keys.REQUIRED_RULES_EDITION] ?? 0) > Number(edition),
  )
  expect(late, 'counters that require a later edition than that of the rules').toEqual([])
}

/** The prefix of the totals that count the rules of a group. */
const GROUP = 'group:'

/** The ids and grants of changed rules that are not applied yet. */
type Applying = { ids: ReadonlySet<string>; grants: ReadonlySet<string> }

function changesApplying(copy: Copy): Applying {
  const pending = copy.at(rulesWorkKey)?.['pending'] as ReadonlySet<string> | undefined
  const changes = [...(pending ?? [])].map(partsOfPending)
  return { ids: new Set(changes.map(({ id }) => id)), grants: new Set(changes.map(({ grant }) => grant)) }
}

/** No rule excepts a user whose purge has ended. A user without a tombstone is allowed: an import may have left them out. */
function auditExceptions(copy: Copy, rules: readonly Rule[], applying: Applying, expect: Expect): void {
  const leaving = new Set([...copy.within('USERS', 'P#')].map(keys.userOfDeadlineItem))
  const isPurged = (id: string): boolean =>
    copy.has(keys.tombstoneKey(id)) && !copy.has(keys.userKey(id)) && !leaving.has(id)
  for (const { id, except_user_ids } of rules)
    if (!applying.ids.has(id))
      expect(except_user_ids.filter(isPurged), `purged users whom rule ${id} excepts`).toEqual([])
}

/** The matchers of enabled rules by grant: of active groups, and without grants whose rules are not applied yet. */
function matchersByGrant(copy: Copy, rules: readonly Rule[], { grants: applying }: Applying): Map<string, Matcher[]> {
  const matchers = new Map<string, Matcher[]>()
  for (const rule of rules) {
    const grant = grantOf(rule.user_group_id, rule.role_id)
    const group = groups.of(copy.at(keys.groupKey(rule.user_group_id)))
    if (group?.status !== 'ACTIVE' || applying.has(grant)) continue
    matchers.set(grant, [...(matchers.get(grant) ?? []), ...(rule.enabled ? [matcherOf(rule)] : [])])
  }
  return matchers
}

/** Rules that are being deleted have work, and a walk that is over is named in no counter. */
function auditDeletions(
  copy: Copy,
  rules: readonly Rule[],
  applying: Applying,
  expect: Expect,
  repairs: Repairs,
): void {
  const forgotten = rules.filter(({ id, deleting }) => deleting && !applying.ids.has(id)).map(({ id }) => id)
  expect(forgotten, 'rules that are being deleted, without work').toEqual([])
  repairs.hasStopped = forgotten.length > 0
  if (copy.has(rulesWorkKey)) return
  const naming = [...copy.within('USERS', 'N#').filter((shard) => shard[keys.RULES_ROUND] !== undefined)]
  expect(naming, 'counters that name a walk that is over').toEqual([])
  repairs.hasStopped ||= naming.length > 0
}

/**
 * The grants that a user holds by rule, now or once the primary group moves on, though no rule names them and no import has brought
 * them. Where a row is older than the field `imported`, its events say what gave it.
 */
function* leftovers(copy: Copy, user: UserRecord, named: ReadonlySet<string>): Generator<string> {
  for (const item of copy.within(keys.userKey(user.id).pk, 'GA#')) {
    const { target, role } = keys.partsOfAssignment(item)
    const isByRule = item['source'] === 'RULE' || (item['source'] === 'PRIMARY' && user.primary_was === 'RULE')
    if (!isByRule || named.has(grantOf(target, role)) || item['imported'] === true) continue
    if (item['imported'] === false || wasGivenByRule(copy, user, item)) yield grantOf(target, role)
  }
}

/**
 * Whether the last event that made an assignment one by rule was of a change of rules or of the user, and not of an import. An
 * import has left an event, too: it may have expired, but not before that of the user's creation. An import leaves no event
 * for a membership that it brings behind the first primary group of a user.
 */
function wasGivenByRule(copy: Copy, user: UserRecord, item: Item): boolean {
  const eventsAbout = ({ pk, sk }: Key) => copy.eventsAbout(`${pk} ${sk}`) as EventItem[]
  const giving = eventsAbout(item).findLast(({ changes = '' }) => changes.includes('"RULE"]'))
  if (giving) return !isOfImport(giving)
  const creation = eventsAbout(keys.userKey(user.id)).findLast(({ type }) => type === 'user.created')
  return creation !== undefined && !(isOfImport(creation) && isFirstMembership(copy, creation, item))
}

/** What rules and calls do has an actor: that of the call, or of the change of rules. An import has none. */
const isOfImport = ({ actor }: EventItem): boolean => actor === null

/** Whether an assignment is the membership in the primary group that a user was created with. */
function isFirstMembership(copy: Copy, { changes = '[]' }: EventItem, item: Item): boolean {
  const { target, role } = keys.partsOfAssignment(item)
  const { predefined } = (copy.at(keys.organisationKey)?.['data'] ?? {}) as Partial<Organisation>
  const created: FieldChange[] = JSON.parse(changes)
  const isFirst = created.some(([field, , value]) => field === 'primary_user_group_id' && value === target)
  return isFirst && role === predefined?.USER_GROUP_MEMBER
}

const toRepair = ({ users }: Repairs, { id }: UserRecord, grant: string): void =>
  void users.set(id, new Set(users.get(id)).add(grant))

/** A user who matches a rule holds its grant; a user who holds a grant by rule matches one. */
function auditHeld(
  copy: Copy,
  user: UserRecord,
  matchers: ReadonlyMap<string, readonly Matcher[]>,
  expect: Expect,
  repairs: Repairs,
): void {
  const facts = factsOf(user)
  const sources = new Map(
    copy.within(keys.userKey(user.id).pk, 'GA#').map((item) => {
      const { target, role } = keys.partsOfAssignment(item)
      return [grantOf(target, role), String(item['source'])] as const
    }),
  )
  for (const [grant, some] of matchers) {
    const source = sources.get(grant)
    const isMatch = some.some((matches) => matches(facts))
    const isRight = isMatch ? source !== undefined : source !== 'RULE'
    if (isRight) continue
    expect(source ?? 'nothing', `what ${user.id} holds by rules in ${grant}`).toBe(isMatch ? 'RULE' : 'nothing')
    toRepair(repairs, user, grant)
  }
}
