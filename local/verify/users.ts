import { definitions } from '../../domain/people/records/attributeDefinition.ts'
import { type DeadlineItem, deadlineItems } from '../../domain/people/records/deadlineItem.ts'
import { attributeNames, itemsWithUser, type UserRecord, users } from '../../domain/people/records/user.ts'
import { countAttribute, isCountedAdmin } from '../../domain/people/records/userCounters.ts'
import { isGone } from '../../domain/people/records/userFields.ts'
import { hintOf, profileOf } from '../../domain/people/records/userSearch.ts'
import { itemOf } from '../../domain/table/changes.ts'
import * as keys from '../../domain/table/keys.ts'
import type { Item } from '../../domain/table/store.ts'
import { countOne, type Expect, expectSame, tallyOf } from './findings.ts'
import { leavingGroups } from './groups.ts'
import type { Copy } from './tableCopy.ts'

/** The deadline items of users pending deletion. */
const deadlineItemsIn = (copy: Copy) => [...copy.within('USERS', 'P#')].map(deadlineItems.of)

/** The expected counters of users: users by status and role, administrators, and values by attribute. */
export type UserTallies = {
  counts: Map<string, number>
  administrators: number
  attributes: Map<string, number>
}

/** Checks one user after the other with all of their items, and returns the expected counters. */
export function auditUsers(copy: Copy, now: string, expect: Expect, note: (checked: number) => void): UserTallies {
  const deadlines = new Map(deadlineItemsIn(copy).map((deadline) => [keys.userOfDeadlineItem(deadline), deadline]))
  const defined = new Set([...copy.sortedAt('ATTRIBUTE')].flatMap((item) => definitions.of(item)?.technical_name ?? []))
  const leaving = leavingGroups(copy)
  const tallies = pendingTallies(deadlines.values())
  let checked = 0
  for (const item of copy.sortedAt('USER')) {
    const user = users.of(item)
    if (!user) continue
    const deadline = deadlines.get(user.id)
    auditUser(copy, { item, user, deadline }, now, expect)
    auditAttributesOf(user, deadline, defined, expect)
    if (!isGone(user, now) && !leaving.has(user.primary_user_group_id)) auditPrimaryGroup(copy, user, expect)
    countUser(tallies, user)
    note(++checked)
  }
  auditRemains(copy, deadlines, expect)
  auditNames(copy, deadlines, expect)
  return tallies
}

/**
 * The counts of users pending deletion, by their deadline items: after the deadline, the record of a user may be deleted before
 * the counters change.
 */
function pendingTallies(deadlines: Iterable<DeadlineItem>): UserTallies {
  const all = [...deadlines]
  return {
    counts: tallyOf(all.map(({ role }) => countAttribute('PENDING_DELETION', role))),
    administrators: 0,
    attributes: tallyOf(all.flatMap(({ attributes = [] }) => attributes)),
  }
}

function countUser(tallies: UserTallies, user: UserRecord): void {
  if (isCountedAdmin(user)) tallies.administrators++
  if (user.deletion_at) return
  countOne(tallies.counts, countAttribute(user.status, user.role))
  for (const name of attributeNames(user)) countOne(tallies.attributes, name)
}

type Stored = { item: Item; user: UserRecord; deadline: DeadlineItem | undefined }

function auditUser(copy: Copy, { item, user, deadline }: Stored, now: string, expect: Expect): void {
  // Items that releases before 0.5.0 have written say nothing of the external id.
  const isEarlier = item.hint === hintOf(profileOf(user))
  expectSame(expect, item, { ...itemOf(users, user), ...(isEarlier ? { hint: item.hint } : {}) }, 'user item')
  if (isGone(user, now)) return
  const belonging = itemsWithUser(user)
  expectSame(expect, belonging.map(copy.at), belonging, `the items of ${user.id}`)
  const own = copy.partition(item.pk)
  const expected = new Set(belonging.map(({ sk }) => sk))
  const stale = own.filter(({ sk }) => /^[WA]#/.test(sk) && !expected.has(sk))
  expect(stale, `what ${user.id} is no longer found by`).toEqual([])
  const primary = own.filter(({ sk, source }) => sk.startsWith('GA#') && source === 'PRIMARY')
  expect(
    primary.map(({ sk }) => sk.split('#')[1]),
    `the primary assignment of ${user.id}`,
  ).toEqual([user.primary_user_group_id])
  const isDue =
    user.deletion_at !== undefined && deadline !== undefined && keys.momentOfDeadlineItem(deadline) === user.deletion_at
  expect(isDue, `${user.id} is due exactly while pending`).toBe(user.status === 'PENDING_DELETION')
  if (isDue) expect(deadline['role'], `the role by which ${user.id} is counted`).toBe(user.role)
}

/** A user has only defined attributes; the deadline item of a user pending deletion names those to subtract from the counters. */
function auditAttributesOf(
  user: UserRecord,
  deadline: DeadlineItem | undefined,
  defined: ReadonlySet<string>,
  expect: Expect,
): void {
  const names = attributeNames(user)
  const undefinedNames = names.filter((name) => !defined.has(name))
  expectSame(expect, undefinedNames, [], `attributes of ${user.id} that are not defined`)
  if (user.deletion_at) expectSame(expect, deadline?.attributes ?? [], names, `what is to be counted off of ${user.id}`)
}

function auditPrimaryGroup(copy: Copy, { id, primary_user_group_id }: UserRecord, expect: Expect): void {
  const group = copy.at(keys.groupKey(primary_user_group_id))?.['data'] as { status?: string } | undefined
  expect(group?.status, `the primary group of ${id}`).toBe('ACTIVE')
}

/** The items of a user whose record is gone: the tombstone, and task assignments. Changes of plans are looked at with the plans. */
function auditRemains(copy: Copy, deadlines: ReadonlyMap<string, DeadlineItem>, expect: Expect): void {
  const mayRemain = (sk: string): boolean =>
    ['USER', 'GONE'].includes(sk) || sk.startsWith('TA#') || sk.startsWith('Z#')
  const exists = (id: string): boolean => deadlines.has(id) || copy.has(keys.userKey(id))
  const rows = copy.keysBelow('USER#').filter(({ sk }) => !mayRemain(sk))
  expect([...rows.filter(({ pk }) => !exists(pk.slice('USER#'.length)))], 'rows without a user').toEqual([])
}

/** Each reserved name is a name of its owner. */
function auditNames(copy: Copy, deadlines: ReadonlyMap<string, DeadlineItem>, expect: Expect): void {
  for (const prefix of ['USERNAME#', 'EXTERNAL#']) {
    const stray = copy.below(prefix).filter(({ pk, owner }) => {
      const user = users.of(copy.at(keys.userKey(String(owner))))
      return !deadlines.has(String(owner)) && !(user && namesOf(user).includes(pk))
    })
    expect([...stray], 'names without a user').toEqual([])
  }
}

const namesOf = ({ username, external_id }: UserRecord): string[] =>
  [keys.usernameKey(username), ...(external_id === null ? [] : [keys.externalIdKey(external_id)])].map(({ pk }) => pk)
