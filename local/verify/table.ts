import type { Organisation } from '../../domain/organisation/organisation.ts'
import { isPredefinedRole } from '../../domain/roles/role.ts'
import * as keys from '../../domain/table/keys.ts'
import { layouts } from '../../domain/table/layout.ts'
import type { Item } from '../../domain/table/store.ts'
import { besideUser, isGone, type UserRecord, users as userRecords } from '../../domain/users/user.ts'
import { countAttribute, isCountedAdmin } from '../../domain/users/userCounts.ts'
import { auditAttributes, purgeEntriesIn } from './attributes.ts'
import { auditEvents } from './events.ts'
import { type Expect, expectSame } from './findings.ts'
import { auditGroups } from './groups.ts'
import { auditTasks } from './tasks.ts'

/** Holds the whole table against its own rules: nothing lost, nothing orphaned, nothing counted wrongly. */
export function auditTable(all: readonly Item[], now: string, expect: Expect): void {
  const items = auditEvents(all, expect)
  const byKey = new Map(items.map((item) => [`${item.pk} ${item.sk}`, item]))
  const byHash = Map.groupBy(items, ({ pk }) => pk)
  const at = (key: { pk: string; sk: string }): Item | undefined => byKey.get(`${key.pk} ${key.sk}`)
  const layout = (at(keys.layoutKey)?.['data'] as { version?: number } | undefined)?.version ?? 1
  expect(layout >= layouts.oldest && layout <= layouts.newest, `layout ${layout}, which this version knows`).toBe(true)
  const users = items.filter(({ sk }) => sk === 'USER').map((item) => item['data'] as UserRecord)
  const living = users.filter((user) => !isGone(user, now))

  for (const user of users)
    expectSame(expect, at(keys.userKey(user.id)), { ...userRecords.item(user), data: user }, 'user item')
  for (const user of living) {
    const beside = besideUser(user)
    expectSame(expect, beside.map(at), beside, `what lies beside ${user.id}`)
    const own = byHash.get(keys.userKey(user.id).pk) ?? []
    const known = new Set(beside.map(({ sk }) => sk))
    const stale = own.filter(({ sk }) => /^[WA]#/.test(sk) && !known.has(sk))
    expect(stale, `what ${user.id} is no longer found by`).toEqual([])
    const primary = own.filter(({ sk, source }) => sk.startsWith('GA#') && source === 'PRIMARY')
    expect(primary.map(({ sk }) => sk.split('#')[1])).toEqual([user.primary_user_group_id])
    const entry = user.deletion_at && at(keys.purgeKey(user.deletion_at, user.id))
    expect(Boolean(entry), `${user.id} is due exactly while pending`).toBe(user.status === 'PENDING_DELETION')
    if (entry) expect(entry['role'], `the role by which ${user.id} is counted`).toBe(user.role)
  }
  const due = new Set(purgeEntriesIn(items).map(keys.userOfPurge))
  const known = new Set([...users.map(({ id }) => id), ...due])
  // Task assignments outlive their user.
  const mayRemain = (sk: string): boolean => sk === 'GONE' || sk.startsWith('TA#')
  const orphans = items.filter(({ pk, sk }) => pk.startsWith('USER#') && !mayRemain(sk) && !known.has(pk.slice(5)))
  expect(orphans, 'rows of nobody').toEqual([])
  auditTasks(items, users, due, expect)
  auditGroups(items, living, expect)
  const owners = items.filter(({ pk }) => pk.startsWith('USERNAME#') || pk.startsWith('EXTERNAL#'))
  const names = new Set(
    users.flatMap((user) => [
      keys.usernameKey(user.username).pk,
      ...(user.external_id === null ? [] : [keys.externalIdKey(user.external_id).pk]),
    ]),
  )
  const stray = owners.filter((item) => !names.has(item.pk) && !due.has(String(item['owner'])))
  expect(stray, 'names of nobody').toEqual([])
  checkCounts(items, users, expect)
  checkChannelCounts(items, expect)
  checkMemberCounts(items, expect)
  checkRoleUse(items, expect)
  auditAttributes(items, users, expect)
}

/** Every use of a custom role is counted, and of a role that exists. */
function checkRoleUse(items: readonly Item[], expect: Expect): void {
  const predefined = (items.find(({ pk }) => pk === 'ORGANISATION')?.['data'] as Organisation | undefined)?.predefined
  const uses = items.flatMap((item): string[] => {
    const data = item['data'] as { role_id?: string; default_role_id?: string } | undefined
    if (item.pk.startsWith('USER#') && /^[GC]A#/.test(item.sk)) return [keys.partsOfAssignment(item).role]
    if (item.pk.startsWith('CHANNEL#') && item.sk.startsWith('G#')) return [String(data?.role_id)]
    return item.sk === 'CHANNEL' ? [String(data?.default_role_id)] : []
  })
  const walked = new Map<string, number>()
  for (const role of uses.filter((one) => !isPredefinedRole(predefined ?? {}, one)))
    walked.set(role, (walked.get(role) ?? 0) + 1)
  const counted = new Map<string, number>()
  for (const { pk, count } of items.filter((item) => item.pk.startsWith('ROLE#') && item.sk.startsWith('N#')))
    counted.set(pk.slice(5), (counted.get(pk.slice(5)) ?? 0) + Number(count ?? 0))
  const used = [...counted].filter(([, count]) => count !== 0)
  expect(Object.fromEntries(used.sort()), 'uses of roles').toEqual(Object.fromEntries([...walked].sort()))
  const known = new Set(items.filter(({ sk }) => sk === 'ROLE').map(({ pk }) => pk.slice(5)))
  const closed = items.filter((item) => item['closed'] && known.has(item.pk.slice(5)))
  expect(closed, 'roles that are there and cannot be used').toEqual([])
  expect(
    [...walked.keys()].filter((role) => !known.has(role)),
    'roles that are used and not there',
  ).toEqual([])
}

function checkCounts(items: readonly Item[], users: readonly UserRecord[], expect: Expect): void {
  const shards = items.filter(({ pk, sk }) => pk === 'USERS' && sk.startsWith('N#'))
  const counted = (name: string): number => shards.reduce((sum, shard) => sum + Number(shard[name] ?? 0), 0)
  for (const role of ['USER', 'ADMIN'] as const) {
    for (const status of ['ACTIVE', 'LOCKED', 'DEACTIVATED'] as const)
      expect(counted(countAttribute(status, role)), `count of ${status} ${role}`).toBe(
        users.filter((user) => user.status === status && user.role === role).length,
      )
    // The record of a user past the deadline may be gone: the entry stands for them until they are counted off.
    expect(counted(countAttribute('PENDING_DELETION', role)), `count of PENDING_DELETION ${role}`).toBe(
      purgeEntriesIn(items).filter((entry) => entry.role === role).length,
    )
  }
  const admins = items.find(({ pk, sk }) => pk === 'USERS' && sk === 'ADMINS')
  expect(Number(admins?.['count'] ?? 0), 'administrators').toBe(users.filter(isCountedAdmin).length)
}

/** Who holds a role of a channel without a group is counted there. */
function checkChannelCounts(items: readonly Item[], expect: Expect): void {
  const onChannels = new Map<string, number>()
  for (const { pk, sk } of items.filter((item) => item.pk.startsWith('USER#') && item.sk.startsWith('CA#'))) {
    const [, channel, role] = sk.split('#')
    onChannels.set(`${channel} ${role}`, (onChannels.get(`${channel} ${role}`) ?? 0) + Number(pk !== ''))
  }
  const channelCounts = items.filter(({ pk, sk }) => pk.startsWith('CHANNEL#') && sk.startsWith('N#'))
  const keptThere = channelCounts.map(({ pk, sk, count }) => [`${pk.slice(8)} ${sk.slice(2)}`, Number(count)] as const)
  expect(Object.fromEntries(keptThere.filter(([, count]) => count !== 0).sort()), 'direct holders').toEqual(
    Object.fromEntries([...onChannels].sort()),
  )
}

/** Members of groups are counted by their roles. */
function checkMemberCounts(items: readonly Item[], expect: Expect): void {
  const held = new Map<string, number>()
  for (const { sk, pk } of items) {
    const [kind, group, role] = sk.split('#')
    if (pk.startsWith('USER#') && kind === 'GA') held.set(`${group} ${role}`, (held.get(`${group} ${role}`) ?? 0) + 1)
  }
  const kept = new Map<string, number>()
  for (const { pk, sk, ...counts } of items.filter((item) => item.pk.startsWith('GROUP#') && item.sk.startsWith('N#')))
    for (const [role, count] of Object.entries(counts).filter(([, value]) => typeof value === 'number'))
      kept.set(`${pk.slice(6)} ${role.slice(5)}`, (kept.get(`${pk.slice(6)} ${role.slice(5)}`) ?? 0) + Number(count))
  expect(Object.fromEntries([...kept].filter(([, count]) => count !== 0).sort()), 'members').toEqual(
    Object.fromEntries([...held].sort()),
  )
}
