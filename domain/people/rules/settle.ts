import { StaleRead } from '../../base/errors.ts'
import type { Context } from '../../request/context.ts'
import { amendRecord } from '../../table/changes.ts'
import { isOpen } from '../../table/counters.ts'
import { atMost, either, every, is, lacks } from '../../table/expressions.ts'
import * as keys from '../../table/keys.ts'
import { all } from '../../table/reader.ts'
import { type Action, type Cause, type Item, isAt, keyOf, refusalOf, type Store } from '../../table/store.ts'
import { mergeCounts, roomBeside } from '../../table/transactions.ts'
import { noteOnce, workEntry } from '../../table/work.ts'
import { groupMembers } from '../records/group.ts'
import { type GroupAssignmentId, groupAssignments } from '../records/groupAssignment.ts'
import type { Counting } from '../records/heldRoles.ts'
import { bumpUserVersion } from '../records/heldRoles.ts'
import { type UserRecord, users } from '../records/user.ts'
import { countsMove } from '../records/userCounts.ts'
import type { OldMembership } from '../records/userRules.ts'
import { type Facts, factsOf, hasOtherFacts } from './matching.ts'
import { grantOf, isGranted, partsOfGrant, type RuleSet, rulesFor } from './ruleSet.ts'

// Which roles rules give to a user and take from them. Every change of a user that conditions can test settles these roles in
// the same transaction. docs/decisions/rules.md proves that this also holds while rules change.

/** A user's roles in groups, read after the user: the items of the assignments, by grant. */
export type HeldRoles = ReadonlyMap<string, Item>

/**
 * Rules give the user this grant or, if there is an `item`, take it: the item is deleted. If it is `behind` the primary group, it
 * stays, and ends when another group becomes the primary one.
 */
export type RoleChange = { grant: string; item: Item | undefined; behind?: true }

/** The items of a user's roles in groups, by grant. */
export const heldIn = (items: readonly Item[]): HeldRoles =>
  new Map(
    items.flatMap((item) => {
      if (keys.kindOfAssignment(item) !== 'GROUP') return []
      const { target, role } = keys.partsOfAssignment(item)
      return [[grantOf(target, role), item] as const]
    }),
  )

/** Reads a user's roles in groups. Must be called after the user was read. */
export const readHeld = async (store: Pick<Store, 'query'>, user: string): Promise<HeldRoles> =>
  heldIn(await all(store, keys.groupRolesOfUser(user)))

/** What rules give and take among these grants. Roles that are not held by rule stay. */
export function roleChangesOf(
  rules: RuleSet,
  user: UserRecord,
  held: HeldRoles,
  grants: Iterable<string>,
): RoleChange[] {
  const facts = factsOf(user)
  return [...grants].flatMap((grant): RoleChange[] => {
    const item = held.get(grant)
    if (isGranted(rules, grant, facts)) return item ? [] : [{ grant, item }]
    const stays = item && isUnnamed(rules, grant) && groupAssignments.isImported(item) === true
    return item && !stays ? taken(user, grant, item) : []
  })
}

/** What rules take from a user who does not match any more. */
function taken({ primary_was }: UserRecord, grant: string, item: Item): RoleChange[] {
  const source = groupAssignments.sourceOf(item)
  if (source === 'RULE') return [{ grant, item }]
  return source === 'PRIMARY' && primary_was === 'RULE' ? [{ grant, item, behind: true }] : []
}

/** Whether no rule of an active group names a grant. */
const isUnnamed = ({ matchers, ended }: RuleSet, grant: string): boolean => !matchers.has(grant) && !ended.has(grant)

/**
 * Writes the user whose roles change. Their version goes up, so that the write fails if the user was changed since they were read. If the
 * rule gave a membership in the primary group, `primary_was` is cleared: nothing is left of it when the primary group changes.
 */
export function settledUser(user: UserRecord, roleChanges: readonly RoleChange[]): Action {
  const forgets = roleChanges.some(({ behind }) => behind) ? { primary_was: null } : {}
  return amendRecord(users, user, { version: user.version + 1, ...forgets }, { expected: { version: user.version } })
}

const assignmentIdOf = (user: Pick<UserRecord, 'id'>, grant: string): GroupAssignmentId => {
  const { group, role } = partsOfGrant(grant)
  return { user_id: user.id, group_id: group, role_id: role }
}

/** The refusal of a write that old rules decided: forgets them, so the next attempt reads them again. */
export const stale = (rules: RuleSet) => (): Error => {
  rules.outdated()
  return new StaleRead()
}

/**
 * The actions of a role change. They require that the group is active, as rules of archived groups have no effect. If no rule
 * names the grant any more, the role is taken in archived groups, too. Events name `cause`, by default that of the write.
 */
export function settle(
  rules: RuleSet,
  user: UserRecord,
  { grant, item, behind }: RoleChange,
  counting: Counting,
  cause?: Cause,
): Action[] {
  const id = assignmentIdOf(user, grant)
  const actions = behind
    ? groupAssignments.endBehind(id, item as Item, 'RULE')
    : item
      ? groupAssignments.remove(id, item, counting)
      : groupAssignments.create(id, user, 'RULE', counting)
  const closable = keys.groupCountKey(id.group_id, counting.shard)
  return actions.map(({ about: _label, event: draft, ...action }): Action => {
    const event = draft && { ...draft, cause }
    const needed = isAt(closable)(keyOf(action)) && rules.matchers.has(grant) ? { if: isOpen } : {}
    return { ...action, event, ...needed, otherwise: stale(rules) }
  })
}

/** The condition that the mark of a shard is not later than these rules. */
const areCurrent = ({ edition }: RuleSet) => either(lacks(keys.RULES_MARK), atMost(keys.RULES_MARK, edition))

/**
 * Adds a condition to a transaction of a user: it is stale if these rules are older than the mark. The condition costs nothing
 * if the transaction writes the shard of the counter of users anyway.
 */
export function requireRules(rules: RuleSet, shard: number, actions: readonly Action[]): Action[] {
  const key = keys.userCountKey(shard)
  const isShard = (action: Action): boolean => isAt(key)(keyOf(action))
  const needed = { if: areCurrent(rules), otherwise: stale(rules) }
  if (!actions.some(isShard)) return [...actions, { check: key, ...needed }]
  return actions.map((action) =>
    isShard(action) ? { ...action, ...needed, if: action.if ? every(action.if, needed.if) : needed.if } : action,
  )
}

/**
 * Adds a condition to a transaction of a walk: no rule has changed since these rules were read. A newer rule may give the role that
 * the walk is about to take. Includes the condition of `requireRules`, as no mark is above the edition. Changes of users do not use it: all
 * of them would wait for one item.
 */
export const requirePresentRules = (rules: RuleSet, actions: readonly Action[]): Action[] => [
  ...actions,
  { check: keys.ruleEditionKey, if: is({ edition: rules.edition || undefined }), otherwise: stale(rules) },
]

/** What a change of a user needs to know of rules. Without `held`, the change does not change what rules give. */
export type Settling = { rules: RuleSet; held?: HeldRoles; predefined: Counting['predefined'] }

/**
 * What becomes of the membership in a primary group when another group becomes the primary one. The first that is true
 * decides:
 * - it was MANUAL before: it is so again;
 * - a rule matches: it is RULE;
 * - it was RULE before, and the group is archived, or an import brought it and no rule has named it: it stays RULE;
 * - otherwise it ends.
 */
export function oldMembershipOf(
  { rules, held }: Settling,
  { before, after, memberRole }: { before: UserRecord; after: UserRecord; memberRole: string },
): OldMembership {
  const { primary_was: was, primary_user_group_id: group } = before
  const grant = grantOf(group, memberRole)
  const item = held?.get(grant)
  if (was === 'MANUAL') return { source: was }
  // Its events already say RULE if it was that before.
  if (isGranted(rules, grant, factsOf(after))) return { source: 'RULE', ...(was === 'RULE' ? {} : { byRule: item }) }
  const isByRules = item !== undefined && groupAssignments.isImported(item) === false
  const isKept = rules.ofArchivedGroups.has(grant) || (isUnnamed(rules, grant) && !isByRules)
  return was === 'RULE' && isKept ? { source: was } : undefined
}

/**
 * Adds to the actions of a change what rules give and take by it; `actions` write the user. If this does not fit into the
 * transaction, it is noted there as work instead: see `writeSettled`. `spared` grants are left alone: other actions of the same
 * transaction write them.
 */
export function withRules(
  actions: readonly Action[],
  user: UserRecord,
  { rules, held, predefined }: Settling,
  { now, shard, spared = [] }: { now: string; shard: number; spared?: readonly string[] },
): Action[] {
  const counting = { predefined, shard }
  // What deleted rules gave is left to the walk, which knows all rules: another one may give it by now.
  const grants = [...rules.matchers.keys()].filter((grant) => !spared.includes(grant))
  // What waits behind the primary group is decided when that moves on.
  const roleChanges = held ? roleChangesOf(rules, user, held, grants).filter(({ behind }) => !behind) : []
  const settled = mergeCounts([...actions, ...roleChanges.flatMap((one) => settle(rules, user, one, counting))])
  const whole = settled && requireRules(rules, shard, settled)
  // A move may have to note one more entry: see `writeSettled`.
  const spare = SPARE + (actions.some(countsMove) ? 1 : 0)
  if (whole && roomBeside(whole) >= spare) return whole
  const noted = [...actions, noteSettling(user.id, now)]
  // If the rules are old, the change is decided again, and may fit by the present ones. The entry is right without this check,
  // too, so the check is left out if there is no room for it.
  const checked = requireRules(rules, shard, noted)
  return roomBeside(checked) >= SPARE ? checked : noted
}

/**
 * Places that are kept free: a change of a name adds an entry, a creation the Idempotency-Key, and a plan the outcome of its change
 * and the check of a group.
 */
const SPARE = 3

/** Notes that a user must be settled. A worker does it within seconds. */
const noteSettling = (user: string, now: string): Action =>
  noteOnce(workEntry('settle', user, {}, now, { taker: 'STREAM' }))

/**
 * Writes a change of a user. If the changes of roles did not fit into the transaction, the answer gets the header `x-rules-pending`.
 * It is only set after the write: if this attempt is stale, those of the next one may fit. A user who moves to another list
 * while a walk applies rules may be missed by it: then it is noted, too, that the user must be settled.
 */
export async function writeSettled(
  { store, now, noteRulesPending }: Pick<Context, 'store' | 'now' | 'noteRulesPending'>,
  actions: readonly Action[],
  user: string,
): Promise<void> {
  const isNoted = actions.some((action) => isAt(keys.workKey('settle', user))(keyOf(action)))
  const written = await store.write(isNoted ? actions : actions.map(unlessWalked)).then(
    () => isNoted,
    async (error: unknown) => {
      if (!(error instanceof WalkUnderWay)) throw error
      await store.write([...actions, noteSettling(user, now)])
      return true
    },
  )
  if (written) noteRulesPending()
}

/** A walk is applying rules to all users, and may have passed the list that a user moves to. */
class WalkUnderWay extends StaleRead {
  override name = 'WalkUnderWay'
}

/** Adds a condition to an action that counts a move: no walk is under way. It costs nothing, as the shard is written anyway. */
const unlessWalked = (action: Action): Action =>
  countsMove(action)
    ? {
        ...action,
        if: action.if ? every(action.if, lacks(keys.RULES_ROUND)) : lacks(keys.RULES_ROUND),
        otherwise: (found) =>
          found?.[keys.RULES_ROUND] === undefined ? refusalOf(action.otherwise, found) : new WalkUnderWay(),
      }
    : action

/** A MANUAL assignment, and its user. */
type Withdrawn = { user: UserRecord; item: Item }

/**
 * Takes back a MANUAL role. If a rule gives this role, too, it stays with the source RULE. If rules name the grant, the user must
 * not have changed since they were read, as their facts decide.
 */
export function withdraw(
  rules: RuleSet,
  id: GroupAssignmentId,
  { user, item }: Withdrawn,
  counting: Counting,
): Action[] {
  const grant = grantOf(id.group_id, id.role_id)
  const { shard } = counting
  if (!rules.matchers.has(grant)) return requireRules(rules, shard, groupAssignments.remove(id, item, counting))
  const isKept = user.status !== 'PENDING_DELETION' && isGranted(rules, grant, factsOf(user))
  const actions = isKept
    ? [groupAssignments.changeSource(id, item, 'RULE'), groupMembers(id.group_id).requireOpen(shard, stale(rules))]
    : groupAssignments.remove(id, item, counting)
  return requireRules(rules, shard, [...actions, bumpUserVersion(user)])
}

type Reader = Pick<Context, 'store' | 'organisation' | 'recall'>

/** What the creation of a user needs to know of rules; undefined if the organisation has none. */
export async function settlingOfNew(context: Reader): Promise<Settling | undefined> {
  const rules = await rulesFor(context)
  return rules && { rules, held: new Map(), predefined: (await context.organisation()).predefined }
}

type Changed = { before: UserRecord; after: UserRecord; held?: HeldRoles | undefined }

/**
 * Reads what a change of a stored user needs to know of rules; undefined if no condition can test what it changes. `held`: the
 * user's roles in groups, if they were read already, after the user.
 */
export async function settlingOf(context: Reader, { before, after, held }: Changed): Promise<Settling | undefined> {
  const isRestored = before.status === 'PENDING_DELETION'
  if (!isRestored && !hasOtherFacts(before, after)) return undefined
  const rules = await rulesFor(context)
  if (!rules) return undefined
  const { predefined } = await context.organisation()
  const hasOtherGroup = before.primary_user_group_id !== after.primary_user_group_id
  if (!isRestored && !hasOtherGroup && !givesOther(rules, factsOf(before), factsOf(after))) return { rules, predefined }
  return { rules, predefined, held: held ?? (await readHeld(context.store, after.id)) }
}

/** Whether rules give other grants by the facts after a change than by those before it. */
const givesOther = (rules: RuleSet, before: Facts, after: Facts): boolean =>
  [...rules.matchers.keys()].some((grant) => isGranted(rules, grant, before) !== isGranted(rules, grant, after))
