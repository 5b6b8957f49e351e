import { asJudged, type Editions } from '../attributes/attributeRules.ts'
import { ImportRunning, refuse } from '../base/errors.ts'
import { groupAssignmentItem } from '../groups/groupAssignment.ts'
import { absent, atLeast, atMost, either, every, is, lacks } from '../table/expressions.ts'
import * as keys from '../table/keys.ts'
import { type Action, type Item, nameOf, StaleRead } from '../table/store.ts'
import { groupCount, type Move, moved } from './primaryGroup.ts'
import { besideUser, userItem } from './userItems.ts'
import { administratorsGained, type UserRecord, type UserStatus } from './userRecord.ts'
import { attributeNames, usesChanged } from './userUses.ts'

/** What the writes need to know besides the user. */
export type Surroundings = {
  now: string
  shard: number
  /** Id of the predefined group-member role, which the primary group confers. */
  memberRole: string
  /** Of the definitions by which values that are given were judged. */
  editions?: Editions | undefined
}

/** All that comes to exist with a user, in one transaction; an import may bring one who is already on his way out. */
export function creation(
  user: UserRecord,
  around: Surroundings,
  whenIdTaken: (found: Item | undefined) => Error,
): Action[] {
  return [
    { put: userItem(user), if: absent, otherwise: whenIdTaken },
    idNeverUsed(user),
    ...besideUser(user).map((item) => (isReservation(item) ? taking(item, around.now) : { put: item })),
    ...counted(undefined, user, around),
    ...administrators(undefined, user),
    {
      put: groupAssignmentItem(user, {
        group: user.primary_user_group_id,
        role: around.memberRole,
        source: 'PRIMARY',
      }),
    },
    groupCount(user.primary_user_group_id, 1, around),
    ...(user.deletion_at ? [departure(user, user.deletion_at)] : []),
  ]
}

/** All that a change of a user changes, in one transaction; fails as stale where he has been changed meanwhile. */
export function change(before: UserRecord, after: UserRecord, around: Surroundings, move?: Move): Action[] {
  return [
    {
      put: userItem(after),
      if: is({ 'data/version': before.version }),
    },
    ...besideChanges(before, after, around.now),
    ...counted(before, after, around),
    ...administrators(before, after),
    ...(move ? moved(after, move, around) : []),
  ]
}

/** The change into and out of the deletion window: deadlines and expiries beside the record itself. */
export function windowChange(before: UserRecord, after: UserRecord, around: Surroundings): Action[] {
  return [
    ...change(before, after, around),
    ...besideUser(after)
      .filter(isReservation)
      .map((put) => ({ put, ...ifHeldBy(after) })),
    ...(after.deletion_at
      ? [departure(after, after.deletion_at), { put: keys.tombstoneKey(after.id) }]
      : [{ delete: keys.purgeKey(before.deletion_at ?? '', after.id) }]),
  ]
}

/** What brings a user's end about; the entry names what lies outside their own key, and what they are counted by. */
const departure = (user: UserRecord, deadline: string): Action => ({
  put: {
    ...keys.purgeKey(deadline, user.id),
    username: user.username,
    external_id: user.external_id,
    role: user.role,
    ...(user.attributes.length > 0 ? { attributes: attributeNames(user) } : {}),
  },
})

/** Nobody ever had the id. Whoever comes on his way out brings his own tombstone along. */
const idNeverUsed = (user: UserRecord): Action => ({
  ...(user.deletion_at ? { put: keys.tombstoneKey(user.id) } : { check: keys.tombstoneKey(user.id) }),
  if: absent,
  otherwise: { code: 'USER_ID_ALREADY_EXISTS', property: 'id' },
})

const isReservation = ({ owner }: Item): boolean => owner !== undefined

/** Takes a name that is free, expired or the user's own. */
const taking = (put: Item, now: string): Action => ({
  put,
  if: either(absent, atMost('expires_at', now), is({ owner: put['owner'] })),
  otherwise: put.sk === 'USERNAME' ? usernameTaken : externalIdTaken,
})

const usernameTaken = { code: 'USERNAME_ALREADY_EXISTS', property: 'username' } as const
const externalIdTaken = { code: 'EXTERNAL_ID_ALREADY_EXISTS', property: 'external_id' } as const

const ifHeldBy = ({ id }: UserRecord) => ({
  if: either(absent, is({ owner: id })),
})

/** Users pending deletion are counted by their entries in the purge partition, so that deadlines pass without a write. */
const countName = (user: UserRecord | undefined): string | undefined =>
  user && user.status !== 'PENDING_DELETION' ? countAttribute(user.status, user.role) : undefined

/** The attribute of a counter shard that counts the users of this status and role. */
export const countAttribute = (status: UserStatus, role: UserRecord['role']): string => `${status}_${role}`

/**
 * Keeps the totals of users and of those who have an attribute. While an import has the directory closed, and after one that
 * died until what it has left is cleared away, a new name is refused: nobody inherits what an import has left.
 */
function counted(before: UserRecord | undefined, after: UserRecord, around: Surroundings): Action[] {
  const [from, to] = [countName(before), countName(after)]
  const isNaming = before?.username !== after.username || before.external_id !== after.external_id
  const moves = [[from, -1] as const, [to, 1] as const].flatMap(([name, by]) =>
    name === undefined || from === to ? [] : [[name, by] as const],
  )
  const uses = usesChanged(before, after, around.editions)
  const counter = keys.userCountKey(around.shard)
  const by = [...moves, ...uses.by]
  if (by.length === 0) return isNaming ? [{ check: counter, ...unlessImporting }] : []
  const update = { update: counter, add: Object.fromEntries(by) }
  const judged = asJudged(uses.judged)
  if (!isNaming) return [{ ...update, if: judged }]
  return [{ ...update, ...unlessImporting, if: every(unlessImporting.if, judged) }]
}

/** At any counter of users: refuses while an import has the directory closed; else something else there has changed. */
export const unlessImporting = {
  if: lacks('closed_until'),
  otherwise: (found: Item | undefined) => (found?.['closed_until'] ? new ImportRunning() : new StaleRead()),
}

function administrators(before: UserRecord | undefined, after: UserRecord): Action[] {
  const by = administratorsGained(before, after)
  if (by === 0) return []
  const update = { update: keys.adminCountKey, add: { count: by } }
  if (by > 0) return [update]
  return [
    {
      ...update,
      if: atLeast('count', 2),
      otherwise: () => refuse('USER_MODIFICATION_NOT_ALLOWED', undefined, 'The last active administrator must remain'),
    },
  ]
}

/** All that decides what lies beside a user's record. */
const shaping = ['first_name', 'last_name', 'username', 'external_id', 'email', 'attributes'] as const

/** What changes beside a record: a new name must be free, an old one is given up only if it is still ours. */
function besideChanges(before: UserRecord, after: UserRecord, now: string): Action[] {
  if (shaping.every((field) => before[field] === after[field])) return []
  const byName = (user: UserRecord) => new Map(besideUser(user).map((item) => [nameOf(item), item]))
  const [had, has] = [byName(before), byName(after)]
  const ifOurs = (item: Item) => (isReservation(item) ? ifHeldBy(after) : {})
  const put = (item: Item, old: Item | undefined): Action =>
    old || !isReservation(item) ? { put: item, ...ifOurs(item) } : taking(item, now)
  return [
    ...[...has].filter(([name, item]) => !isSame(had.get(name), item)).map(([name, item]) => put(item, had.get(name))),
    ...[...had]
      .filter(([name]) => !has.has(name))
      .map(([, item]) => ({ delete: { pk: item.pk, sk: item.sk }, ...ifOurs(item) })),
  ]
}

const isSame = (a: Item | undefined, b: Item): boolean =>
  a !== undefined &&
  (['find', 'found', 'hint', 'list', 'source'] as const).every((attribute) => a[attribute] === b[attribute])
