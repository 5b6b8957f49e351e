import { StaleRead } from '../base/errors.ts'
import { groupMembers } from '../groups/group.ts'
import { type GroupAssignmentId, groupAssignments } from '../groups/groupAssignment.ts'
import type { Context } from '../request/context.ts'
import type { Counting } from '../roles/role.ts'
import { isOpen } from '../table/counters.ts'
import { countWithEvents } from '../table/events.ts'
import { atMost, either, every, lacks } from '../table/expressions.ts'
import * as keys from '../table/keys.ts'
import { type Action, all, type Cause, type Item, isAt, keyOf, type Store } from '../table/store.ts'
import { MOST_ACTIONS, mergeCounts } from '../table/transactions.ts'
import { noteAgain, workEntry } from '../table/work.ts'
import { bumpUserVersion, type UserRecord } from '../users/user.ts'
import type { Left } from '../users/userRules.ts'
import { type Facts, factsOf, hasOtherFacts } from './matching.ts'
import { isWanted, partsOfPlace, placeOf, type RuleSet, rulesFor } from './ruleSet.ts'

// What rules give to a user and take from them. Every change of a user that rules look at settles these roles in its own
// transaction. docs/decisions/rules.md says why this holds while rules change, too.

/** What a user holds in groups, read after the user: their items by place. */
export type Held = ReadonlyMap<string, Item>

/** What rules change of what a user holds: they give the role of a place, or take it from the one who holds `item`. */
export type Settlement = { place: string; item: Item | undefined }

/** The items of a user's roles in groups, by place. */
export const heldIn = (items: readonly Item[]): Held =>
  new Map(
    items.flatMap((item) => {
      if (keys.kindOfAssignment(item) !== 'GROUP') return []
      const { target, role } = keys.partsOfAssignment(item)
      return [[placeOf(target, role), item] as const]
    }),
  )

/** What a user holds in groups. Read it after the user: see `heldIn`. */
export const readHeld = async (store: Pick<Store, 'query'>, user: string): Promise<Held> =>
  heldIn(await all(store, keys.groupRolesOfUser(user)))

/** What rules change in these places, by default in all that they name. What a user holds otherwise stays as it is. */
export function settlementsOf(
  rules: RuleSet,
  facts: Facts,
  held: Held,
  places: Iterable<string> = rules.matchers.keys(),
): Settlement[] {
  const settlements: Settlement[] = []
  for (const place of places) {
    const item = held.get(place)
    const isGiven = item !== undefined && groupAssignments.sourceOf(item) === 'RULE'
    const wanted = isWanted(rules, place, facts)
    if (wanted ? !item : isGiven) settlements.push({ place, item })
  }
  return settlements
}

const idIn = (user: Pick<UserRecord, 'id'>, place: string): GroupAssignmentId => {
  const { group, role } = partsOfPlace(place)
  return { user_id: user.id, group_id: group, role_id: role }
}

/** What was read turned out to be old: the next attempt reads the rules again. */
export const stale = (rules: RuleSet) => (): Error => {
  rules.outdated()
  return new StaleRead()
}

/**
 * The actions of a settlement. They need the group to be active: rules of archived groups do nothing. Where no rule names
 * the place any more, what rules gave there ends in any group. Events name `cause`, by default what causes the write.
 */
export function settle(
  rules: RuleSet,
  user: UserRecord,
  { place, item }: Settlement,
  counting: Counting,
  cause?: Cause,
): Action[] {
  const id = idIn(user, place)
  const actions = item
    ? groupAssignments.remove(id, item, counting)
    : groupAssignments.create(id, user, 'RULE', counting)
  const closable = keys.groupCountKey(id.group_id, counting.shard)
  return actions.map(({ about: _label, event: draft, ...action }): Action => {
    const event = draft && { ...draft, cause }
    const needed = isAt(closable)(keyOf(action)) && rules.matchers.has(place) ? { if: isOpen } : {}
    return { ...action, event, ...needed, otherwise: stale(rules) }
  })
}

/** The mark of a shard is no later than these rules. */
const knows = ({ edition }: RuleSet) => either(lacks(keys.RULES_MARK), atMost(keys.RULES_MARK, edition))

/**
 * Adds to a transaction that it is stale unless these rules are those that changes of users must know. It costs nothing
 * where the transaction writes the shard of the counter of users anyway.
 */
export function requireRules(rules: RuleSet, shard: number, actions: readonly Action[]): Action[] {
  const key = keys.userCountKey(shard)
  const isShard = (action: Action): boolean => isAt(key)(keyOf(action))
  const needed = { if: knows(rules), otherwise: stale(rules) }
  if (!actions.some(isShard)) return [...actions, { check: key, ...needed }]
  return actions.map((action) =>
    isShard(action) ? { ...action, ...needed, if: action.if ? every(action.if, needed.if) : needed.if } : action,
  )
}

/** What a change of a user needs to know of rules. Without `held`, no rule says anything else of the user after it. */
export type Settling = { rules: RuleSet; held?: Held; predefined: Counting['predefined'] }

/**
 * What the membership in a primary group becomes when it is primary no more. MANUAL comes back as that; RULE if a rule
 * matches, or if it was RULE and no rule can take it.
 */
export function leftWith(
  { rules, held }: Settling,
  { before, after, memberRole }: { before: UserRecord; after: UserRecord; memberRole: string },
): Left {
  const { primary_was: was, primary_user_group_id: group } = before
  const place = placeOf(group, memberRole)
  if (was === 'MANUAL') return { source: was }
  if (isWanted(rules, place, factsOf(after))) return { source: 'RULE', byRule: held?.get(place) }
  return was === 'RULE' && !rules.matchers.has(place) ? { source: was } : undefined
}

/**
 * Adds to the actions of a change what rules give and take by it; `actions` write the user. What does not fit into the
 * transaction is noted in it as a whole: see `writeSettled`. `spared` places change with the primary group.
 */
export function withRules(
  actions: readonly Action[],
  user: UserRecord,
  { rules, held, predefined }: Settling,
  { now, shard, spared = [] }: { now: string; shard: number; spared?: readonly string[] },
): Action[] {
  const counting = { predefined, shard }
  const places = [...rules.matchers.keys()].filter((place) => !spared.includes(place))
  const settlements = held ? settlementsOf(rules, factsOf(user), held, places) : []
  const settled = mergeCounts([...actions, ...settlements.flatMap((one) => settle(rules, user, one, counting))])
  const whole = settled && requireRules(rules, shard, settled)
  if (whole && countWithEvents(whole) <= MOST_SETTLED) return whole
  const noted = [...actions, noteSettling(user.id, now)]
  // By the rules of today it may fit: there were more of them when they were read.
  const checked = requireRules(rules, shard, noted)
  return countWithEvents(checked) <= MOST_SETTLED ? checked : noted
}

/** A change of a name adds one action. */
const MOST_SETTLED = MOST_ACTIONS - 1

/** Notes that what a user holds by rules has to be settled. A worker does it within seconds. */
const noteSettling = (user: string, now: string): Action =>
  noteAgain(workEntry('settle', user, {}, now, { taker: 'STREAM' }))

/**
 * Writes a change of a user. The answer says so if what rules give and take did not fit into the transaction. An attempt that
 * turns out to be stale says nothing: the next one may fit.
 */
export async function writeSettled(
  { store, noteRulesPending }: Pick<Context, 'store' | 'noteRulesPending'>,
  actions: readonly Action[],
  user: string,
): Promise<void> {
  await store.write(actions)
  if (actions.some((action) => isAt(keys.workKey('settle', user))(keyOf(action)))) noteRulesPending()
}

/** An assignment by hand, and its user. */
type Withdrawn = { user: UserRecord; item: Item }

/**
 * Takes back a role that a user was given by hand. If a rule gives it, too, it becomes one by rule. Rules that look at this
 * place look at the user as they are now, so the user must not change meanwhile.
 */
export function withdraw(
  rules: RuleSet,
  id: GroupAssignmentId,
  { user, item }: Withdrawn,
  counting: Counting,
): Action[] {
  const place = placeOf(id.group_id, id.role_id)
  const { shard } = counting
  if (!rules.matchers.has(place)) return requireRules(rules, shard, groupAssignments.remove(id, item, counting))
  const isKept = user.status !== 'PENDING_DELETION' && isWanted(rules, place, factsOf(user))
  const actions = isKept
    ? [groupAssignments.changeSource(id, item, 'RULE'), groupMembers(id.group_id).requireOpen(shard, stale(rules))]
    : groupAssignments.remove(id, item, counting)
  return requireRules(rules, shard, [...actions, bumpUserVersion(user)])
}

type Reader = Pick<Context, 'store' | 'organisation' | 'recall'>

/** What the creation of a user needs to know of rules; undefined if there are none. */
export async function settlingOfNew(context: Reader): Promise<Settling | undefined> {
  const rules = await rulesFor(context)
  return rules && { rules, held: new Map(), predefined: (await context.organisation()).predefined }
}

type Changed = { before: UserRecord; after: UserRecord; held?: Held | undefined }

/**
 * Reads what a change of a stored user needs to know of rules; undefined if they look at nothing that it changes. `held`
 * is what the user holds, if that was read after them already.
 */
export async function settlingOf(context: Reader, { before, after, held }: Changed): Promise<Settling | undefined> {
  const isRestored = before.status === 'PENDING_DELETION'
  if (!isRestored && !hasOtherFacts(before, after)) return undefined
  const rules = await rulesFor(context)
  if (!rules) return undefined
  const { predefined } = await context.organisation()
  const isMoved = before.primary_user_group_id !== after.primary_user_group_id
  if (!isRestored && !isMoved && !saysOther(rules, factsOf(before), factsOf(after))) return { rules, predefined }
  return { rules, predefined, held: held ?? (await readHeld(context.store, after.id)) }
}

/** Whether rules give something else by other facts. */
const saysOther = (rules: RuleSet, before: Facts, after: Facts): boolean =>
  [...rules.matchers.keys()].some((place) => isWanted(rules, place, before) !== isWanted(rules, place, after))
