import { type AppError, combineRefusals, refuse } from '../../base/errors.ts'
import { asRecord, isReference } from '../../base/values.ts'
import type { AlsoWrong, Context } from '../../request/context.ts'
import { createRecord, giveUpName, keepName, type Reservation, replaceRecord, takeName } from '../../table/changes.ts'
import { isClosed } from '../../table/counters.ts'
import { absent, exists } from '../../table/expressions.ts'
import * as keys from '../../table/keys.ts'
import { type Action, forProperty, type Item, keyOf, nameOf } from '../../table/store.ts'
import { checkedAttributes, type Editions } from '../records/attributeDefinition.ts'
import { deadlineItem } from '../records/deadlineItem.ts'
import { type Group, groupMembers, groups } from '../records/group.ts'
import { changeSource, groupAssignmentItem, groupAssignments } from '../records/groupAssignment.ts'
import { type CheckedLanguage, checkedLanguage } from '../records/preferredLanguage.ts'
import { itemsWithUser, readUser, type UserRecord, users } from '../records/user.ts'
import { countUser } from '../records/userCounts.ts'
import type { Move } from '../records/userRules.ts'
import { stale } from '../rules/roleChanges.ts'
import { grantOf } from '../rules/ruleSet.ts'
import { type RulesForUser, withRules } from '../rules/userChange.ts'

/** What writes of a user need besides the user. */
type WriteContext = {
  now: string
  /** The shard of the counters that this call writes to. */
  shard: number
  /** Id of the predefined role that members of the primary group have. */
  memberRole: string
  /** The rules and what the user holds, if rules have to be applied. */
  rulesForUser?: RulesForUser | undefined
  /** Roles in groups that rules must leave alone, as the caller writes them. */
  spared?: readonly string[]
  /** Editions of the attribute definitions by which new values were checked. */
  editions?: Editions | undefined
}

/** The context of a call's writes, and the id of the group of all users. */
export async function writeContext(context: Context): Promise<WriteContext & { allUsers: string }> {
  const { predefined } = await context.organisation()
  const { USER_GROUP_MEMBER: memberRole = '', ALL_USERS: allUsers = '' } = predefined
  return { now: context.now, shard: context.shard, memberRole, allUsers }
}

/**
 * All actions that create a user, in one transaction. An import may bring one who is pending deletion. Actions with a
 * condition have a `property`: refusals are for callers of the API, an import lists by it what is in conflict.
 */
export function creation(
  user: UserRecord,
  context: WriteContext,
  whenIdTaken?: (found: Item | undefined) => Error,
): Action[] {
  const { primary_user_group_id: group, deletion_at } = user
  const actions = [
    forProperty('id', createRecord(users, user, whenIdTaken)),
    forProperty('id', idNeverUsed(user)),
    ...itemsWithUser(user).map((item) => (isReservation(item) ? take(item, context.now) : { put: item })),
    // The one condition of these counts is the edition of the attribute definitions by which the values were checked.
    ...countUser(undefined, user, context).map((action) => forProperty('attributes', action)),
    { put: groupAssignmentItem(user, { group, role: context.memberRole, source: 'PRIMARY' }) },
    forProperty('primary_user_group_id', countMember(group, 1, context)),
    ...(deletion_at ? [deadlineItem(user, deletion_at)] : []),
  ]
  return withRolesOfRules(actions, user, context, [grantOf(group, context.memberRole)])
}

/**
 * All actions that change a user, in one transaction, with what rules give and take by the change; stale if the user has
 * changed since they were read.
 */
export const change = (before: UserRecord, after: UserRecord, context: WriteContext, move?: Move): Action[] =>
  withRolesOfRules(changeItself(before, after, context, move), after, context, grantsOfMove(move, context))

/** Adds what rules give and take. Rules leave the `primary` memberships alone. */
const withRolesOfRules = (
  actions: readonly Action[],
  user: UserRecord,
  { rulesForUser, now, shard, spared = [] }: WriteContext,
  primary: readonly string[],
): Action[] =>
  rulesForUser ? withRules(actions, user, rulesForUser, { now, shard, spared: [...primary, ...spared] }) : [...actions]

const grantsOfMove = (move: Move | undefined, { memberRole }: WriteContext): string[] =>
  move ? [grantOf(move.from, memberRole), grantOf(move.to, memberRole)] : []

const changeItself = (before: UserRecord, after: UserRecord, context: WriteContext, move?: Move): Action[] => [
  replaceRecord(users, before, after),
  ...changesWithUser(before, after, context.now),
  ...countUser(before, after, context),
  ...(move ? movePrimaryGroup(after, move, context) : []),
]

/** Like `change`, for a deletion that begins or is taken back: names and deadline item get or lose the deadline. */
export function windowChange(before: UserRecord, after: UserRecord, context: WriteContext, move?: Move): Action[] {
  const changes = changeItself(before, after, context, move)
  // Names that change in the same call are among the changes already.
  const written = new Set(changes.map((action) => nameOf(keyOf(action))))
  const names = itemsWithUser(after).filter(isReservation)
  const actions: Action[] = [
    ...changes,
    ...names.filter((name) => !written.has(nameOf(name))).map(keepName),
    ...(after.deletion_at
      ? [deadlineItem(after, after.deletion_at), { put: keys.tombstoneKey(after.id) }]
      : [{ delete: keys.purgeKey(before.deletion_at ?? '', after.id), if: exists }]),
  ]
  return withRolesOfRules(actions, after, context, grantsOfMove(move, context))
}

/** Refuses an id that another user has ever had: then there is a tombstone. A user pending deletion gets one right away. */
const idNeverUsed = ({ id, deletion_at }: UserRecord): Action => ({
  ...(deletion_at ? { put: keys.tombstoneKey(id) } : { check: keys.tombstoneKey(id) }),
  if: absent,
  otherwise: { code: 'USER_ID_ALREADY_EXISTS', property: 'id' },
})

const isReservation = (item: Item): item is Reservation => item['owner'] !== undefined

function take(name: Reservation, now: string): Action {
  const taken = keys.isUsernameKey(name) ? usernameTaken : externalIdTaken
  return forProperty(taken.property, takeName(name, taken, now))
}

const usernameTaken = { code: 'USERNAME_ALREADY_EXISTS', property: 'username' } as const
const externalIdTaken = { code: 'EXTERNAL_ID_ALREADY_EXISTS', property: 'external_id' } as const

/** The fields that decide which items are written with a user's record. */
const shaping = ['first_name', 'last_name', 'username', 'external_id', 'email', 'attributes'] as const

/** Changes the items written with a record. A new name must be free; an old one must still belong to the user. */
function changesWithUser(before: UserRecord, after: UserRecord, now: string): Action[] {
  if (shaping.every((field) => before[field] === after[field])) return []
  const byName = (user: UserRecord) => new Map(itemsWithUser(user).map((item) => [nameOf(item), item]))
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

/** Counts a member who joins or leaves a group. A closed group can only be left. */
const countMember = (group: string, by: number, { shard, memberRole }: WriteContext): Action =>
  groupMembers(group).count(shard, keys.roleCount(memberRole), by, groupClosed)

const groupClosed = { code: 'UNKNOWN_USER_GROUP_ID', property: 'primary_user_group_id' } as const

/** The assignments and counts that change with the primary group. */
function movePrimaryGroup(user: UserRecord, move: Move, context: WriteContext): Action[] {
  const { to: group, isMember } = move
  const { memberRole: role, shard } = context
  return [
    isMember
      ? changeSource(user, { group, role, source: 'PRIMARY' })
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
    const closed = context.rulesForUser && stale(context.rulesForUser.rules)
    return [
      groupAssignments.keepByRule(id, oldMembership.byRule, 'RULE'),
      groupMembers(group).requireOpen(shard, closed),
    ]
  }
  if (oldMembership) {
    const kept = changeSource(user, { group, role, source: oldMembership.source })
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

type NamedGroup = { group?: Group | undefined; fault?: AppError | undefined }
/** The group and the language that a body names, and the editions of the definitions by which its attributes were checked. */
type References = NamedGroup & CheckedLanguage & { editions?: Editions | undefined }

/**
 * Reads the records that the body of a creation or patch refers to, and finds faults of these references. The body may
 * have other faults, and be of any form. `reading`: the user whom a patch changes.
 */
export async function readReferences(
  context: Context,
  body: unknown,
  reading?: Promise<UserRecord | undefined>,
): Promise<References> {
  const { primary_user_group_id: groupId, attributes } = asRecord(body) ?? {}
  const [{ group, fault }, checked, { language, fault: wrongLanguage }] = await Promise.all([
    usableGroup(context, groupId),
    checkedAttributes(context.store, attributes),
    checkedLanguage(context, body, reading),
  ])
  return { ...checked, group, language, fault: combineRefusals([checked.fault, fault, wrongLanguage]) }
}

/** The faults of references in a body that has other faults already. */
export const wrongReferences: AlsoWrong = async (context, body, { user_id: id }) => {
  const reading =
    isReference(id) && asRecord(body)?.['preferred_language'] ? readUser(context.store, id, context.now) : undefined
  return (await readReferences(context, body, reading)).fault
}

/** The primary group that a body names: it must exist and not be archived. */
async function usableGroup(context: Context, id: unknown): Promise<NamedGroup> {
  if (!isReference(id)) return {}
  const group = await groups.read(context.store, id)
  if (group && group.status !== 'ARCHIVED') return { group }
  return { fault: refuse('UNKNOWN_USER_GROUP_ID', 'primary_user_group_id') }
}
