import { remembered } from '../base/memory.ts'
import { treeRows } from '../groups/group.ts'
import { readOrganisation } from '../organisation/organisation.ts'
import type { Context } from '../request/context.ts'
import * as keys from '../table/keys.ts'
import type { Store } from '../table/store.ts'
import type { Work } from '../table/work.ts'
import { type Facts, type Matcher, matcherOf } from './matching.ts'
import { type Rule, readRules, type StoredRules } from './rule.ts'

// Rules as changes of users need them.

/** A role in a group, as one string. No id has the separator. */
export const placeOf = (group: string, role: string): string => `${group}#${role}`
export function partsOfPlace(place: string): { group: string; role: string } {
  const [group = '', role = ''] = place.split('#')
  return { group, role }
}

/** All rules, by the places in which they give roles. */
export type RuleSet = {
  /** Every change of rules up to this one is among them. */
  edition: number
  /** For each place that rules of active groups name: the matchers of those that are enabled. */
  matchers: ReadonlyMap<string, readonly Matcher[]>
  /** The places that rules of archived groups name. These rules do nothing. */
  asleep: ReadonlySet<string>
  /** Called when these rules turn out to be old: the next call reads them again. */
  outdated: () => void
}

/** Whether a rule gives a user the role of a place. */
export const isWanted = ({ matchers }: RuleSet, place: string, facts: Facts): boolean =>
  matchers.get(place)?.some((matches) => matches(facts) === true) ?? false

type Reader = Pick<Store, 'get' | 'query'>

/** Reads all rules as they are now, and then the states of their groups. */
export const readRuleSet = async (store: Reader, outdated?: () => void): Promise<RuleSet> =>
  ruleSetOf(store, await readRules(store), outdated)

/** Reads the states of the groups of rules. */
export async function ruleSetOf(
  store: Pick<Store, 'get'>,
  { edition, rules }: StoredRules,
  outdated = () => {},
): Promise<RuleSet> {
  const groups = [...new Set(rules.map(({ user_group_id }) => user_group_id))]
  const rows = await Promise.all(groups.map((group) => store.get(keys.groupTreeKey(group))))
  const active = new Set(groups.filter((_, nth) => rows[nth] && treeRows.of(rows[nth]).status === 'ACTIVE'))
  const { awake = [], asleep = [] } = Object.groupBy(rules, ({ user_group_id }) =>
    active.has(user_group_id) ? 'awake' : 'asleep',
  )
  const byPlace = Map.groupBy(awake, ({ user_group_id, role_id }) => placeOf(user_group_id, role_id))
  return {
    edition,
    matchers: new Map([...byPlace].map(([place, some]) => [place, matchersOf(some)])),
    asleep: new Set(asleep.map(({ user_group_id, role_id }) => placeOf(user_group_id, role_id))),
    outdated,
  }
}

const matchersOf = (rules: readonly Rule[]): Matcher[] => rules.filter(({ enabled }) => enabled).map(matcherOf)

/** How long a process remembers rules. Old ones do no harm: changes of users that they decide are refused. */
const REMEMBERED_MS = 600_000

const memory = remembered((store: Reader) => readRuleSet(store, () => memory.forget()), { ms: REMEMBERED_MS })

/** The rules as a call knows them; undefined if there are none. Then it asks nothing. */
export async function rulesFor({
  organisation,
  recall,
}: Pick<Context, 'organisation' | 'recall'>): Promise<RuleSet | undefined> {
  const { has_rules } = await organisation()
  return has_rules ? recall(memory) : undefined
}

/** How long work goes by settings that it has read. */
const WORK_REMEMBERS_MS = 5_000

/** The rules as work knows them that may take longer than a call. */
export function rulesOfWork({ store, clock }: Pick<Work, 'store' | 'clock'>): () => Promise<RuleSet | undefined> {
  let known: { at: number; rules: RuleSet | undefined } | undefined
  return async () => {
    const at = clock().getTime()
    if (known && at - known.at < WORK_REMEMBERS_MS) return known.rules
    const { has_rules } = await readOrganisation(store)
    const outdated = (): void => {
      known = undefined
    }
    known = { at, rules: has_rules ? (known?.rules ?? (await readRuleSet(store, outdated))) : undefined }
    return known.rules
  }
}
