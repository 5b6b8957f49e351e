import { remembered } from '../../base/memory.ts'
import type { Context } from '../../request/context.ts'
import * as keys from '../../table/keys.ts'
import type { Store } from '../../table/store.ts'
import { treeRows } from '../records/group.ts'
import { type Facts, type Matcher, matcherOf } from './matching.ts'
import { type Rule, readRules, type StoredRules } from './rule.ts'

// Rules in the form that changes of users and walks need.

/** A role in a group, as one string. No id contains the separator. */
export const grantOf = (group: string, role: string): string => `${group}#${role}`
export function partsOfGrant(grant: string): { group: string; role: string } {
  const [group = '', role = ''] = grant.split('#')
  return { group, role }
}

/** The grant of a rule. */
export const grantOfRule = ({ user_group_id, role_id }: Pick<Rule, 'user_group_id' | 'role_id'>): string =>
  grantOf(user_group_id, role_id)

/** All rules, by their grants. */
export type RuleSet = {
  /** The rules include every change up to this edition. */
  edition: number
  /** For each grant of rules of active groups: the matchers of the enabled rules. */
  matchers: ReadonlyMap<string, readonly Matcher[]>
  /** The grants of rules of archived groups. These rules have no effect. */
  ofArchivedGroups: ReadonlySet<string>
  /** The grants named only by rules that are being deleted: nobody gets them any more, not even in archived groups. */
  ended: ReadonlySet<string>
  /** To be called when these rules turn out to be old: the next call reads them again. */
  forget: () => void
}

/** Whether an enabled rule gives a user this grant. */
export const isGranted = ({ matchers }: RuleSet, grant: string, facts: Facts): boolean =>
  matchers.get(grant)?.some((matches) => matches(facts) === true) ?? false

type Reader = Pick<Store, 'get' | 'query'>

/** Reads all rules as they are now, and then whether their groups are active. */
export const readRuleSet = async (store: Reader, forget?: () => void): Promise<RuleSet> =>
  ruleSetOf(store, await readRules(store), forget)

/** Makes a rule set of these rules: reads whether their groups are active. */
export async function ruleSetOf(
  store: Pick<Store, 'get'>,
  { edition, rules }: StoredRules,
  forget = () => {},
): Promise<RuleSet> {
  const [lasting, ending] = [rules.filter(({ deleting }) => !deleting), rules.filter(({ deleting }) => deleting)]
  const groups = [...new Set(lasting.map(({ user_group_id }) => user_group_id))]
  const rows = await Promise.all(groups.map((group) => store.get(keys.groupTreeKey(group))))
  const active = new Set(groups.filter((_, nth) => rows[nth] && treeRows.of(rows[nth]).status === 'ACTIVE'))
  const { ofActiveGroups = [], ofArchivedGroups = [] } = Object.groupBy(lasting, ({ user_group_id }) =>
    active.has(user_group_id) ? 'ofActiveGroups' : 'ofArchivedGroups',
  )
  const byGrant = Map.groupBy(ofActiveGroups, grantOfRule)
  const named = new Set(lasting.map(grantOfRule))
  return {
    edition,
    matchers: new Map([...byGrant].map(([grant, some]) => [grant, matchersOf(some)])),
    ofArchivedGroups: new Set(ofArchivedGroups.map(grantOfRule)),
    ended: new Set(ending.map(grantOfRule).filter((grant) => !named.has(grant))),
    forget,
  }
}

const matchersOf = (rules: readonly Rule[]): Matcher[] => rules.filter(({ enabled }) => enabled).map(matcherOf)

/** How long a process remembers rules. Old rules do no harm: a change of a user that they decide is refused. */
const REMEMBERED_MS = 600_000

const memory = remembered((store: Reader) => readRuleSet(store, () => memory.forget()), { ms: REMEMBERED_MS })

/** The rules for a call, remembered or read; undefined, without a read, if the organisation has none. */
export async function rulesFor({
  organisation,
  fromMemory,
}: Pick<Context, 'organisation' | 'fromMemory'>): Promise<RuleSet | undefined> {
  const { has_rules } = await organisation()
  return has_rules ? fromMemory(memory) : undefined
}
