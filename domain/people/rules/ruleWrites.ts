import { isDeepStrictEqual } from 'node:util'
import { type AppError, refuse, StaleRead } from '../../base/errors.ts'
import type { Context } from '../../request/context.ts'
import { createRecord, endRecord, removeRecord, removeWithoutEvent, replaceRecord } from '../../table/changes.ts'
import { atLeast, atMost, type Condition, either, every, exists, is, lacks } from '../../table/expressions.ts'
import * as keys from '../../table/keys.ts'
import type { Action } from '../../table/store.ts'
import type { Editions } from '../records/attributes.ts'
import { requireActiveGroup } from '../records/group.ts'
import { type Counting, countRoleUse } from '../records/heldRoles.ts'
import { userCounts } from '../records/userCounters.ts'
import { attributesIn } from './matching.ts'
import { bytesOfRule, type Rule, ruleLimits, rules, type StoredRules } from './rule.ts'
import { type NotedBy, rulesNote } from './rulesWork.ts'

/**
 * A change of a rule: `before` is undefined for a creation, `after` for a removal. A deletion is two changes: the rule is `deleting`
 * until no user holds its role by it, then it is removed.
 */
type RuleChange = { before?: Rule | undefined; after?: Rule | undefined }

/** What a change of a rule needs to know. */
type Changing = Counting & {
  /** All rules, read before the change. */
  stored: StoredRules
  /** Editions of the attribute definitions that were found for the conditions. */
  editions?: Editions
  /**
   * Set if no user's roles change, so there is nothing to apply:
   * - GROUP_DELETED: the rule is deleted with its group, without an event.
   * - APPLIED: nobody holds its role by it any more, so the rule is deleted, without an event.
   * - USER_GONE: a purged user is removed from its exceptions.
   */
  noRoundBecause?: 'GROUP_DELETED' | 'APPLIED' | 'USER_GONE'
} & NotedBy

/** The same for a change that a call makes. */
export async function ruleChanging(
  { now, requestId, shard, organisation }: Context,
  stored: StoredRules,
  editions: Editions,
): Promise<Changing> {
  return { now, requestId, shard, predefined: (await organisation()).predefined, stored, editions }
}

/**
 * The actions of a change of a rule: the record with its event, the totals with their limits, the uses of its role and of
 * attribute definitions, and the noted work that applies it to all users. Throws RULES_LIMIT_EXCEEDED.
 */
export function ruleChange(change: RuleChange, changing: Changing): Action[] {
  const rule = ruleOf(change)
  const applies = !changing.noRoundBecause && changesMatches(change)
  checkLimits(change, totalIn(changing.stored))
  return [
    ...written(change, changing),
    totalsAfter(change, changing, applies),
    ...flagActions(change, changing),
    ...roleUses(change, changing),
    ...attributeUses(change, changing),
    ...(isStarted(change) ? [requireActiveGroup(rule.user_group_id)] : []),
    ...(applies ? [rulesNote([rule], changing, isFirst(change, changing))] : []),
  ]
}

/** The rule that a change is about. */
const ruleOf = ({ before, after }: RuleChange): Rule => (after ?? before) as Rule

/** Whether a change creates a rule or enables it: then its group must be active. */
const isStarted = ({ before, after }: RuleChange): boolean =>
  after !== undefined && (before === undefined || (after.enabled && !before.enabled))

/** A rule is a use of its role. */
const roleUses = (change: RuleChange, changing: Changing): Action[] => {
  const { count } = growthOf(change)
  return count === 0 ? [] : countRoleUse(ruleOf(change).role_id, count, changing)
}

function written({ before, after }: RuleChange, { noRoundBecause }: Changing): Action[] {
  if (before && after)
    return [isDeletion({ before, after }) ? endRecord(rules, before, after) : replaceRecord(rules, before, after)]
  if (after) return [createRecord(rules, after, { code: 'DUPLICATE_ID', property: 'id' })]
  return before ? [noRoundBecause ? removeWithoutEvent(rules, before) : removeRecord(rules, before)] : []
}

/**
 * Raises the edition without a change of a rule: when a group is restored, its rules have an effect again, and work that is noted again
 * gets another round.
 */
export const countRuleEdition: Action = { update: keys.ruleEditionKey, add: { edition: 1 } }

/** Whether a change begins the deletion of a rule. */
const isDeletion = ({ before, after }: RuleChange): boolean => after?.deleting === true && !before?.deleting

/** The rule while it is being deleted. */
export const ending = (rule: Rule): Rule => ({ ...rule, enabled: false, deleting: true, version: rule.version + 1 })

/** Whether other users may match after a change. If only the title changes, they do not. */
function changesMatches({ before, after }: RuleChange): boolean {
  if (!before || !after || after.deleting) return true
  const matching = ({ match, conditions, except_user_ids, enabled }: Rule) => ({
    match,
    conditions,
    except_user_ids,
    enabled,
  })
  return !isDeepStrictEqual(matching(before), matching(after))
}

const isFirst = ({ before }: RuleChange, { stored }: Changing): boolean => !before && stored.count === 0
const isLast = ({ after }: RuleChange, { stored }: Changing): boolean => !after && stored.count === 1

/** The name of the total that counts the rules of a group. */
const ofGroup = (group: string): string => `group:${group}`

/** How many rules, and how many bytes of them, a change adds. */
const growthOf = ({ before, after }: RuleChange) => ({
  count: (after ? 1 : 0) - (before ? 1 : 0),
  bytes: (after ? bytesOfRule(after) : 0) - (before ? bytesOfRule(before) : 0),
})

/** A total: its name, what a change adds to it, its limit, and the text of the error. */
type Limited = { name: string; by: number; most: number; detail: string }

function limitedBy(change: RuleChange): Limited[] {
  const { count, bytes } = growthOf(change)
  // `deleting` takes a few bytes: there is always room for it.
  const mostBytes = change.after?.deleting ? Number.MAX_SAFE_INTEGER : ruleLimits.bytes
  const { user_group_id } = ruleOf(change)
  const { rules: most, rulesOfGroup } = ruleLimits
  return [
    { name: 'count', by: count, most, detail: `An organisation has at most ${most} rules` },
    {
      name: ofGroup(user_group_id),
      by: count,
      most: rulesOfGroup,
      detail: `A user group has at most ${rulesOfGroup} rules`,
    },
    {
      name: 'bytes',
      by: bytes,
      most: mostBytes,
      detail: `Together, rules take at most ${ruleLimits.bytes} bytes as JSON`,
    },
  ]
}

/** Refuses a change that exceeds a limit. `total` returns a total before the change. */
function checkLimits(change: RuleChange, total: (name: string) => number): void {
  const { after } = change
  if (after && !after.deleting && bytesOfRule(after) > ruleLimits.bytesOfRule)
    throw exceeded(`A rule takes at most ${ruleLimits.bytesOfRule} bytes as JSON`)
  const broken = limitedBy(change).find(({ name, by, most }) => by > 0 && total(name) + by > most)
  if (broken) throw exceeded(broken.detail)
}

const exceeded = (detail: string): AppError => refuse('RULES_LIMIT_EXCEEDED', undefined, detail)

const totalIn =
  ({ count, bytes, rules }: StoredRules) =>
  (name: string): number =>
    name === 'count'
      ? count
      : name === 'bytes'
        ? bytes
        : rules.filter(({ user_group_id }) => ofGroup(user_group_id) === name).length

/**
 * Counts a change of rules. Changes in parallel only add numbers, so they do not make each other stale. Conditions keep the
 * limits, and make sure that a change treats the first and the last rule as such.
 */
function totalsAfter(change: RuleChange, changing: Changing, applies: boolean): Action {
  const limited = limitedBy(change).filter(({ by }) => by !== 0)
  // A group without rules leaves no count.
  const group = ofGroup(ruleOf(change).user_group_id)
  const isEmptied = ({ name, by }: Limited): boolean => name === group && by < 0 && totalIn(changing.stored)(name) === 1
  const [emptied, counted] = [limited.filter(isEmptied), limited.filter((one) => !isEmptied(one))]
  const room = limited
    .filter(({ by }) => by > 0)
    .map(({ name, by, most }) => either(lacks(name), atMost(name, most - by)))
  return {
    update: keys.ruleEditionKey,
    add: { edition: applies ? 1 : 0, ...Object.fromEntries(counted.map(({ name, by }) => [name, by])) },
    ...(emptied.length > 0 ? { clear: emptied.map(({ name }) => name) } : {}),
    if: every(...room, ...firstAndLast(change, changing), ...emptied.map(({ name }) => is({ [name]: 1 }))),
    otherwise: (found) => {
      try {
        checkLimits(change, (name) => Number(found?.[name] ?? 0))
      } catch (error) {
        return error as AppError
      }
      return new StaleRead()
    },
  }
}

/** Conditions: the rule is the first or the last one exactly if the change was decided so. */
function firstAndLast(change: RuleChange, changing: Changing): Condition[] {
  const { count } = growthOf(change)
  if (isFirst(change, changing)) return [either(lacks('count'), is({ count: 0 }))]
  if (isLast(change, changing)) return [is({ count: 1 })]
  return count === 0 ? [] : [atLeast('count', count > 0 ? 1 : 2)]
}

/** The settings show whether there are rules: changes of users read rules only then. */
function flagActions(change: RuleChange, changing: Changing): Action[] {
  const flag = 'data/has_rules'
  const action = { update: keys.organisationKey, if: exists }
  if (isFirst(change, changing)) return [{ ...action, set: { [flag]: true } }]
  return isLast(change, changing) ? [{ ...action, clear: [flag] }] : []
}

/** Counts the uses of attribute definitions by conditions, as those by values of users: a definition in use cannot be deleted. */
function attributeUses({ before, after }: RuleChange, { shard, editions }: Changing): Action[] {
  const namedBy = (rule: Rule | undefined) => (rule && !rule.deleting ? attributesIn(rule.conditions) : [])
  const [had, has] = [namedBy(before), namedBy(after)]
  const more = has.filter((name) => !had.includes(name))
  const less = had.filter((name) => !has.includes(name))
  if (more.length + less.length === 0) return []
  const by = [...more.map((name) => [name, 1] as const), ...less.map((name) => [name, -1] as const)]
  return [
    userCounts.add(shard, Object.fromEntries(by.map(([name, by]) => [keys.useCount(name), by])), {
      if: is(Object.fromEntries(more.map((name) => [keys.requiredEdition(name), editions?.get(name)]))),
    }),
  ]
}
