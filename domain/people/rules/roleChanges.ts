import { StaleRead } from '../../base/errors.ts'
import { keyOf } from '../../table/actions.ts'
import { isOpen } from '../../table/counters.ts'
import { atMost, either, every, lacks } from '../../table/expressions.ts'
import { isAt } from '../../table/items.ts'
import * as keys from '../../table/keys.ts'
import { all } from '../../table/reader.ts'
import type { Action, Cause, Item, Store } from '../../table/store.ts'
import { type GroupAssignmentId, groupAssignments } from '../records/groupAssignment.ts'
import type { Counting } from '../records/heldRoles.ts'
import type { UserRecord } from '../records/user.ts'
import { factsOf } from './matching.ts'
import { grantOf, isGranted, partsOfGrant, type RuleSet } from './ruleSet.ts'

// Which roles rules give to a user and take from them, and the actions that write it. rulesInUserChange.ts adds these to changes of a user;
// walkPage.ts and applyToUser.ts write them after a change of rules: see walkActions.ts.

/** A user's roles in groups, read after the user: the items of the assignments, by grant. */
export type HeldRoles = ReadonlyMap<string, Item>

/**
 * Rules give this grant, or take it: then `item` is the assignment that ends. `isHiddenByPrimary`: the user would be a member
 * anyway, as this is their primary group. Then the item stays, and ends when another group becomes the primary one.
 */
export type RoleChange = { grant: string; item: Item | undefined; isHiddenByPrimary?: true }

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
    return item && !stays ? lostRole(user, grant, item) : []
  })
}

/** The change that takes a role from a user who does not match any more; none if no rule gave it. */
function lostRole({ primary_was }: UserRecord, grant: string, item: Item): RoleChange[] {
  const source = groupAssignments.sourceOf(item)
  if (source === 'RULE') return [{ grant, item }]
  return source === 'PRIMARY' && primary_was === 'RULE' ? [{ grant, item, isHiddenByPrimary: true }] : []
}

/** Whether no rule of an active group names a grant. */
export const isUnnamed = ({ matchers, ended }: RuleSet, grant: string): boolean =>
  !matchers.has(grant) && !ended.has(grant)

const assignmentIdOf = (user: Pick<UserRecord, 'id'>, grant: string): GroupAssignmentId => {
  const { group, role } = partsOfGrant(grant)
  return { user_id: user.id, group_id: group, role_id: role }
}

/** The refusal of a write that old rules decided: forgets them, so the next attempt reads them again. */
export const staleRules = (rules: RuleSet) => (): Error => {
  rules.forget()
  return new StaleRead()
}

/**
 * The actions of a role change. They require that the group is active, as rules of archived groups have no effect. If no rule
 * names the grant any more, the role is taken in archived groups, too. Events name `cause`, by default that of the write.
 */
export function roleChangeActions(
  rules: RuleSet,
  user: UserRecord,
  { grant, item, isHiddenByPrimary }: RoleChange,
  counting: Counting,
  cause?: Cause,
): Action[] {
  const id = assignmentIdOf(user, grant)
  const actions = isHiddenByPrimary
    ? groupAssignments.endHiddenByPrimary(id, item as Item, 'RULE')
    : item
      ? groupAssignments.remove(id, item, counting)
      : groupAssignments.create(id, user, 'RULE', counting)
  const closable = keys.groupCountKey(id.group_id, counting.shard)
  return actions.map(({ property: _label, event: draft, ...action }): Action => {
    const event = draft && { ...draft, cause }
    const needed = isAt(closable)(keyOf(action)) && rules.matchers.has(grant) ? { if: isOpen } : {}
    return { ...action, event, ...needed, otherwise: staleRules(rules) }
  })
}

/** The condition that a shard requires no later edition than that of these rules. */
const areCurrent = ({ edition }: RuleSet) =>
  either(lacks(keys.REQUIRED_RULES_EDITION), atMost(keys.REQUIRED_RULES_EDITION, edition))

/**
 * Adds a condition to a transaction of a user: it is stale if its shard of the counter of users requires a later edition of the rules.
 * The condition costs nothing if the transaction writes this shard anyway.
 */
export function requireRules(rules: RuleSet, shard: number, actions: readonly Action[]): Action[] {
  const key = keys.userCountKey(shard)
  const isShard = (action: Action): boolean => isAt(key)(keyOf(action))
  const needed = { if: areCurrent(rules), otherwise: staleRules(rules) }
  if (!actions.some(isShard)) return [...actions, { check: key, ...needed }]
  return actions.map((action) =>
    isShard(action) ? { ...action, ...needed, if: action.if ? every(action.if, needed.if) : needed.if } : action,
  )
}
