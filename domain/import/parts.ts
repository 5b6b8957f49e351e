import { asJudged, type Editions } from '../attributes/attributeRules.ts'
import { channelAssignmentItem } from '../channels/channelAssignment.ts'
import { groupAssignmentItem } from '../groups/groupAssignment.ts'
import type { Organisation } from '../organisation/organisation.ts'
import { isPredefinedRole } from '../roles/role.ts'
import { every, lacks } from '../table/expressions.ts'
import * as keys from '../table/keys.ts'
import { roleUseKey, useCount } from '../table/keys.ts'
import type { Action, Item, Key } from '../table/store.ts'
import { nameOf } from '../table/store.ts'
import { countAttribute, isCountedAdmin } from '../users/userCounts.ts'
import { creation } from '../users/userWrites.ts'
import type { NewUser } from './plan.ts'

/** Users that come to exist in one transaction, with what must lie there before and what is counted with them. */
export type UserPart = { users: NewUser[]; bulk: Item[]; actions: Action[]; counts: Counts }

/** What one transaction may hold: 100 actions and 4 MB; two actions are the entry of the part and the door. */
const MOST_ACTIONS = 98
const MOST_BYTES = 2_500_000

type Predefined = Organisation['predefined']
type Around = { now: string; predefined: Predefined; editions: Editions }

/** Cuts users into parts, as large as a transaction takes. */
export function* userParts(users: Iterable<NewUser>, around: Around): Generator<UserPart> {
  let part = newPart()
  let bytes = 0
  for (const fresh of users) {
    const piece = pieceOf(fresh, around)
    const size = piece.actions.reduce((sum, action) => sum + ('put' in action ? sizeOf(action.put) : 0), 0)
    const isFull = part.actions.length + piece.actions.length + part.counts.sizeWith(piece.adds) > MOST_ACTIONS
    if (part.users.length > 0 && (isFull || bytes + size > MOST_BYTES)) {
      yield part
      part = newPart()
      bytes = 0
    }
    bytes += size
    part.users.push(fresh)
    part.bulk.push(...piece.bulk)
    part.actions.push(...piece.actions)
    for (const add of piece.adds) part.counts.add(add)
  }
  if (part.users.length > 0) yield part
}

const newPart = (): UserPart => ({ users: [], bulk: [], actions: [], counts: countsOf() })

/** Conditions as they are told to an import: whatever does not hold has changed since the plan was made. */
export const orStale = (actions: readonly Action[]): Action[] =>
  actions.map(({ otherwise: _otherwise, ...action }) => action)

/** About what an item takes in the table. */
export const sizeOf = (item: Item): number => Buffer.byteLength(JSON.stringify(item))

/**
 * One more in a counter; `unless` names what the counter must not be: of an archived group, of a role that is gone;
 * `judged` says by which edition of which attribute definition a value was judged.
 */
export type Add = {
  key: (shard: number) => Key
  attribute: string
  unless?: 'closed'
  judged?: readonly [name: string, edition: number | undefined]
}
export type Counts = ReturnType<typeof countsOf>

/** Collects what is counted, so that a counter is written to once however many count. */
export function countsOf() {
  type Counter = Pick<Add, 'key' | 'unless'> & { by: Map<string, number>; judged: Map<string, number | undefined> }
  const counters = new Map<string, Counter>()
  const counterOf = ({ key }: Add): string => nameOf(key(0))
  return {
    add: (add: Add): void => {
      const counter: Counter = counters.get(counterOf(add)) ?? { key: add.key, by: new Map(), judged: new Map() }
      counter.by.set(add.attribute, (counter.by.get(add.attribute) ?? 0) + 1)
      if (add.unless) counter.unless = add.unless
      if (add.judged) counter.judged.set(...add.judged)
      counters.set(counterOf(add), counter)
    },
    /** How many counters there would be with these. */
    sizeWith: (adds: readonly Add[]): number => new Set([...counters.keys(), ...adds.map(counterOf)]).size,
    /** The updates of the counters' shard. */
    actions: (shard: number): Action[] =>
      [...counters.values()].map(({ key, unless, by, judged }) => {
        const isOpen = unless ? [lacks(unless)] : []
        return { update: key(shard), add: Object.fromEntries(by), if: every(...isOpen, asJudged([...judged])) }
      }),
  }
}

type Piece = { bulk: Item[]; actions: Action[]; adds: Add[] }

/** All that comes with a user: what nobody sees without his record in bulk, the rest in the transaction of the record. */
function pieceOf(fresh: NewUser, { now, predefined, editions }: Around): Piece {
  const { user, groups, channels } = fresh
  const memberRole = predefined.USER_GROUP_MEMBER ?? ''
  const made = creation(user, { now, memberRole, shard: 0 }, () => new Error('the id is taken')).filter(isPut)
  return {
    bulk: [
      ...made.filter((action) => !isWithRecord(fresh, action)).map(({ put }) => put),
      ...groups.map((one) => groupAssignmentItem(user, one)),
      ...channels.map(({ channel, role }) => channelAssignmentItem(user, channel, role)),
    ],
    actions: made.filter((action) => isWithRecord(fresh, action)),
    adds: addsOf(fresh, predefined, editions),
  }
}

type Put = Action & { put: Item }
const isPut = (action: Action): action is Put => 'put' in action

/** Deadlines count from the record on; names that somebody held are taken over only if they are still free then. */
const isWithRecord = ({ expired }: NewUser, { put: { pk, sk } }: Put): boolean =>
  sk === 'USER' || sk === 'GONE' || pk === 'PURGE' || expired.includes(pk)

function addsOf({ user, groups, channels }: NewUser, predefined: Predefined, editions: Editions): Add[] {
  const all: Add[] = [
    { ...groupAdd(user.primary_user_group_id, predefined.USER_GROUP_MEMBER ?? ''), unless: 'closed' },
    ...[...groups, ...channels].flatMap((one) => roleAdds(one, predefined)),
    ...user.attributes.map(({ name }) => attributeAdd(name, editions.get(name))),
  ]
  if (isCountedAdmin(user)) all.push({ key: () => keys.adminCountKey, attribute: 'count' })
  // Who is pending deletion is counted by his entry in the purge partition.
  if (!user.deletion_at) all.push({ key: keys.userCountKey, attribute: countAttribute(user.status, user.role) })
  return all
}

/** One more who holds a role in a group or on a channel, and one more use of the role. */
export const roleAdds = (
  one: { group: string; role: string } | { channel: string; role: string },
  predefined: Predefined,
): Add[] => [
  'group' in one ? groupAdd(one.group, one.role) : channelAdd(one.channel, one.role),
  ...(isPredefinedRole(predefined, one.role) ? [] : [useAdd(one.role)]),
]

const attributeAdd = (name: string, edition: number | undefined): Add => ({
  key: keys.userCountKey,
  attribute: useCount(name),
  judged: [name, edition],
})

const groupAdd = (group: string, role: string): Add => ({
  key: (shard) => keys.groupCountKey(group, shard),
  attribute: keys.roleCount(role),
})

const channelAdd = (channel: string, role: string): Add => ({
  key: () => keys.channelCountKey(channel, role),
  attribute: 'count',
})

const useAdd = (role: string): Add => ({
  key: (shard) => roleUseKey(role, shard),
  attribute: 'count',
  unless: 'closed',
})
