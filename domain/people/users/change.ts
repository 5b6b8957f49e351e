import { keyOf } from '../../table/actions.ts'
import { giveUpName, keepName, replaceRecord } from '../../table/changes.ts'
import { isClosed } from '../../table/counters.ts'
import { absent, exists } from '../../table/expressions.ts'
import { textOfKey } from '../../table/items.ts'
import * as keys from '../../table/keys.ts'
import type { Action, Item } from '../../table/store.ts'
import { deadlineItem } from '../records/deadlineItem.ts'
import { groupMembers } from '../records/group.ts'
import { groupAssignmentItem, groupAssignments, setSourceWithoutEvent } from '../records/groupAssignment.ts'
import type { Move } from '../records/primaryGroupMove.ts'
import { itemsWithUser, type UserRecord, users } from '../records/user.ts'
import { countUser } from '../records/userCounters.ts'
import { staleRules } from '../rules/roleChanges.ts'
import { grantOf } from '../rules/ruleSet.ts'
import { countMember, groupClosed, isReservation, take, type WriteContext, withRolesOfRules } from './writeContext.ts'

/**
 * All actions that change a user, in one transaction, with what rules give and take by the change; stale if the user has
 * changed since they were read.
 */
export const change = (before: UserRecord, after: UserRecord, context: WriteContext, move?: Move): Action[] =>
  withRolesOfRules(changeItself(before, after, context, move), after, context, grantsOfMove(move, context))

const grantsOfMove = (move: Move | undefined, { memberRole }: WriteContext): string[] =>
  move ? [grantOf(move.from, memberRole), grantOf(move.to, memberRole)] : []

const changeItself = (before: UserRecord, after: UserRecord, context: WriteContext, move?: Move): Action[] => [
  replaceRecord(users, before, after),
  ...changesWithUser(before, after, context.now),
  ...countUser(before, after, context),
  ...(move ? movePrimaryGroup(after, move, context) : []),
]

/** Like `change`, for a deletion that begins or is taken back: names and deadline item get or lose the deadline. */
export function deletionChange(before: UserRecord, after: UserRecord, context: WriteContext, move?: Move): Action[] {
  const changes = changeItself(before, after, context, move)
  // Names that change in the same call are among the changes already.
  const written = new Set(changes.map((action) => textOfKey(keyOf(action))))
  const names = itemsWithUser(after).filter(isReservation)
  const actions: Action[] = [
    ...changes,
    ...names.filter((name) => !written.has(textOfKey(name))).map(keepName),
    ...(after.deletion_at
      ? [deadlineItem(after, after.deletion_at), { put: keys.tombstoneKey(after.id) }]
      : [{ delete: keys.deadlineItemKey(before.deletion_at ?? '', after.id), if: exists }]),
  ]
  return withRolesOfRules(actions, after, context, grantsOfMove(move, context))
}

/** The fields that decide which items are written with a user's record. */
const shaping = ['first_name', 'last_name', 'username', 'external_id', 'email', 'attributes'] as const

/** Changes the items written with a record. A new name must be free; an old one must still belong to the user. */
function changesWithUser(before: UserRecord, after: UserRecord, now: string): Action[] {
  if (shaping.every((field) => before[field] === after[field])) return []
  const byName = (user: UserRecord) => new Map(itemsWithUser(user).map((item) => [textOfKey(item), item]))
  const [had, has] = [byName(before), byName(after)]
  const put = (item: Item, old: Item | undefined): Action => {
    if (!isReservation(item)) return { put: item }
    return old ? keepName(item) : take(item, now)
  }
  const remove = (item: Item): Action =>
    isReservation(item) ? giveUpName(item, after.id) : { delete: { pk: item.pk, sk: item.sk } }
  return [
    ...[...has].filter(([name, item]) => !isSame(had.get(name), item)).map(([name, item]) => put(item, had.get(name))),
    ...[...had].filter(([name]) => !has.has(name)).map(([, item]) => remove(item)),
  ]
}

const isSame = (a: Item | undefined, b: Item): boolean =>
  a !== undefined && (['find', 'found', 'hint', 'list'] as const).every((attribute) => a[attribute] === b[attribute])

/** The assignments and counts that change with the primary group. */
function movePrimaryGroup(user: UserRecord, move: Move, context: WriteContext): Action[] {
  const { to: group, isMember } = move
  const { memberRole: role, shard } = context
  return [
    isMember
      ? setSourceWithoutEvent(user, { group, role, source: 'PRIMARY' })
      : { put: groupAssignmentItem(user, { group, role, source: 'PRIMARY' }), if: absent },
    isMember ? groupMembers(group).requireOpen(shard, groupClosed) : countMember(group, 1, context),
    ...leavePrimaryGroup(user, move, context),
  ]
}

function leavePrimaryGroup(
  user: UserRecord,
  { from: group, was, oldMembership, isFromArchived }: Move,
  context: WriteContext,
): Action[] {
  const { memberRole: role, shard } = context
  if (oldMembership?.byRule) {
    const id = { user_id: user.id, group_id: group, role_id: role }
    const closed = context.rulesForUser && staleRules(context.rulesForUser.rules)
    return [
      groupAssignments.keepByRule(id, oldMembership.byRule, 'RULE'),
      groupMembers(group).requireOpen(shard, closed),
    ]
  }
  if (oldMembership) {
    const kept = setSourceWithoutEvent(user, { group, role, source: oldMembership.source })
    return isFromArchived ? [kept, groupMembers(group).requireClosed(shard)] : [kept]
  }
  const count = { ...countMember(group, -1, context), ...(isFromArchived ? { if: isClosed } : {}) }
  const id = { user_id: user.id, group_id: group, role_id: role }
  const held = context.rulesForUser?.held?.get(grantOf(group, role))
  const deletion = held
    ? groupAssignments.removePrimary(id, held, was ?? 'MANUAL')
    : { delete: groupAssignments.key(id) }
  return [deletion, count]
}
