import { chunksOf } from '../../base/parallel.ts'
import * as keys from '../../table/keys.ts'
import { mostThatFit } from '../../table/pack.ts'
import { readEntry, readQueue } from '../../table/readWork.ts'
import type { Action, Item, Store } from '../../table/store.ts'
import { mergeCounts } from '../../table/transactions.ts'
import { endWork, recordProgress, workEntry } from '../../table/work.ts'
import type { Entry } from '../../table/workKinds.ts'
import { inWrittenSteps, type Work } from '../../work/steps.ts'
import { groups } from '../records/group.ts'
import { type GroupAssignmentId, groupAssignments } from '../records/groupAssignment.ts'
import type { Organisation } from '../records/organisation.ts'
import { readUser, type UserRecord } from '../records/user.ts'
import type { RuleSet } from '../rules/ruleSet.ts'
import { giveMembership, withdrawMembership } from './membership.ts'

// Changes of a group's members by SCIM: a few are made in the transaction of the request, many as noted work. The
// work of a group is done in the order of its requests, so that the last request decides who is a member.

/** Users who become members of a group, and users who no longer are. No user is in both lists. */
export type MemberChanges = { add: readonly string[]; remove: readonly string[] }

export type MembersEntry = Entry<'members'>
type MembersWork = Work & Pick<Organisation, 'predefined'> & { rules: () => Promise<RuleSet | undefined> }

/** Users of one entry: few enough that writing it anew costs little compared with the assignments of a step. */
const USERS_PER_ENTRY = 500
/** Users that one step looks at: each has up to two actions and an event, and all of them the counter of the group and the entry. */
const USERS_PER_STEP = mostThatFit({ each: 3, besides: 2, hasEvents: true })

/** A user whose membership changes: the item of the membership, if any, and whether they become a member or stop being one. */
export type MemberRead = { user: UserRecord; found: Item | undefined; isAdded: boolean }

/** Reads users and their memberships as they are now. Users who do not exist or are pending deletion are left out. */
export async function readMembers(
  { store, now }: { store: Store; now: string },
  group: string,
  role: string,
  { add, remove }: MemberChanges,
): Promise<MemberRead[]> {
  const read = async (id: string, isAdded: boolean): Promise<MemberRead[]> => {
    const [user, found] = await Promise.all([
      readUser(store, id, now),
      groupAssignments.read(store, { group_id: group, user_id: id, role_id: role }),
    ])
    return user && user.status !== 'PENDING_DELETION' ? [{ user, found, isAdded }] : []
  }
  const reading = [...add.map((id) => read(id, true)), ...remove.map((id) => read(id, false))]
  return (await Promise.all(reading)).flat()
}

type Changing = Pick<Organisation, 'predefined'> & {
  group: string
  role: string
  shard: number
  rules: RuleSet | undefined
}

/** The actions that change memberships; undefined if one transaction cannot make them. */
export function memberActions(
  members: readonly MemberRead[],
  { group, role, predefined, shard, rules }: Changing,
): Action[] | undefined {
  const all = members.flatMap(({ user, found, isAdded }) => {
    const id: GroupAssignmentId = { group_id: group, user_id: user.id, role_id: role }
    return (isAdded ? giveMembership : withdrawMembership)({ id, user, found, counting: { predefined, shard }, rules })
  })
  return mergeCounts(all)
}

/** Whether changes may fit into one transaction. Only then does the request read the users and write the changes itself. */
export const areFew = ({ add, remove }: MemberChanges): boolean => add.length + remove.length <= USERS_PER_STEP

/**
 * The entries of work that make these changes. A number in their keys puts them after the `waiting` ones: the clocks of functions
 * differ. `id` tells them from the entries of other requests.
 */
export function memberEntries(
  group: string,
  { add, remove }: MemberChanges,
  { now, id, waiting }: { now: string; id: string; waiting: readonly MembersEntry[] },
): MembersEntry[] {
  const order = numbered(1 + Math.max(-1, ...waiting.map((entry) => Number(keys.suffixOfWork(entry).slice(0, DIGITS)))))
  const all = [...add.map((user) => [user, true] as const), ...remove.map((user) => [user, false] as const)]
  return [...chunksOf(all, USERS_PER_ENTRY)].map((some, nth) => {
    const of = (isAdded: boolean) => some.filter(([, added]) => added === isAdded).map(([user]) => user)
    const payload = { add: of(true), remove: of(false), left: some.length }
    return workEntry('members', group, payload, now, { suffix: `${order}-${id}-${numbered(nth)}` })
  })
}

const DIGITS = 6
const numbered = (n: number): string => String(n).padStart(DIGITS, '0')

/** The entries of earlier requests about a group. Later requests must wait for them. */
export const readWaiting = async (store: Store, group: string): Promise<MembersEntry[]> =>
  (await readQueue(store, keys.queueOf(keys.workKey('members', group)))) as MembersEntry[]

/** Does an entry, and all earlier ones of its group before it, as far as there is time. */
export async function finishMembers(work: MembersWork, entry: MembersEntry): Promise<void> {
  const queue = (await readQueue(work.store, keys.queueOf(entry))) as MembersEntry[]
  for (const one of queue.filter(({ sk }) => sk <= entry.sk)) await finishEntry(work, one)
}

const finishEntry = (work: MembersWork, entry: MembersEntry): Promise<unknown> =>
  inWrittenSteps(work, entry, {
    write: (left) => writeStep(work, left),
    readAgain: () => readEntry(work.store, entry),
  })

/** Changes the next members of an entry, and removes them from it. Returns the rest of the entry; undefined after the last. */
async function writeStep(work: MembersWork, entry: MembersEntry): Promise<MembersEntry | undefined> {
  const { store, predefined } = work
  const [group, role] = [keys.idOfWork(entry), predefined.USER_GROUP_MEMBER ?? '']
  const add = entry.add.slice(0, USERS_PER_STEP)
  const remove = entry.remove.slice(0, USERS_PER_STEP - add.length)
  const [record, members] = await Promise.all([
    groups.read(store, group),
    readMembers({ store, now: work.clock().toISOString() }, group, role, { add, remove }),
  ])
  // An archived group gets no members. A deleted one loses all by its own work (clearGroup).
  const isOpen = record?.status === 'ACTIVE'
  const rules = await work.rules()
  const changed = { group, role, predefined, rules, shard: keys.randomShard() }
  const actions = isOpen ? memberActions(members, changed) : []
  if (!actions) throw new Error('A step has a user twice')
  const rest = { add: entry.add.slice(add.length), remove: entry.remove.slice(remove.length) }
  const left = isOpen ? rest.add.length + rest.remove.length : 0
  const expected = { left: entry.left }
  await store.write(
    [...actions, left === 0 ? endWork(entry, expected) : recordProgress(work, entry, { ...rest, left }, expected)],
    'housekeeping',
  )
  return left === 0 ? undefined : { ...entry, ...rest, left }
}
