import { isDeepStrictEqual } from 'node:util'
import { type Group, groupItems, groupMembers } from '../../domain/groups/group.ts'

import * as groupKeys from '../../domain/table/keys.ts'
import { idOfWork } from '../../domain/table/keys.ts'
import type { Item } from '../../domain/table/store.ts'
import type { UserRecord } from '../../domain/users/user.ts'
import { type Expect, expectSame } from './findings.ts'

/** Every group lies below groups that there are, and not below itself. */
function auditPlace({ id, parent_id }: Group, byId: ReadonlyMap<string, Group>, expect: Expect): void {
  const above = new Set([id])
  for (let parent = parent_id; parent !== null; parent = byId.get(parent)?.parent_id ?? null) {
    expect(byId.has(parent), `${parent} lies above ${id}`).toBe(true)
    expect(above.has(parent), `${id} lies below itself`).toBe(false)
    if (above.has(parent)) return
    above.add(parent)
  }
}

/** Holds user groups against their places in tree and catalogue, and against what refers to them. */
export function auditGroups(items: readonly Item[], users: readonly UserRecord[], expect: Expect): void {
  const groups = items
    .filter(({ pk, sk }) => pk.startsWith('GROUP#') && sk === 'GROUP')
    .map((item) => item.data as Group)
  const byKey = new Map(items.map((item) => [`${item.pk} ${item.sk}`, item]))
  const at = (key: string): Item | undefined => byKey.get(key)
  const byId = new Map(groups.map((group) => [group.id, group]))
  const records = items.filter(({ sk, pk }) => (pk.startsWith('GROUP#') && sk === 'GROUP') || pk === 'GROUPS')
  const expected = groups.flatMap(groupItems)
  expectSame(expect, sorted(records.map(parsed)), sorted(expected.map(parsed)), 'records, tree and catalogue')
  for (const group of groups) auditPlace(group, byId, expect)
  const leaving = new Set(items.filter(({ pk, kind }) => pk === 'WORK' && kind === 'group').map(idOfWork))
  for (const { id, primary_user_group_id: primary } of users.filter((user) => !leaving.has(user.primary_user_group_id)))
    expect(byId.get(primary)?.status, `the primary group of ${id}`).toBe('ACTIVE')
  for (const { id, status } of groups) {
    const marks = groupMembers(id).keys.map(({ pk, sk }) => at(`${pk} ${sk}`)?.closed === true)
    expect(new Set(marks), `counters of ${id}, which is ${status}`).toEqual(new Set([status === 'ARCHIVED']))
  }
  const known = new Set([...byId.keys(), ...leaving])
  const ofGroups = items.filter(({ pk, sk }) => pk.startsWith('GROUP#') && sk !== 'GROUP')
  // The counters of a deleted group stay closed, and count nothing.
  const isTombstone = ({ pk: _pk, sk, ...rest }: Item) =>
    sk.startsWith('N#') && isDeepStrictEqual(rest, { closed: true })
  const stray = ofGroups.filter((item) => !known.has(item.pk.slice('GROUP#'.length)) && !isTombstone(item))
  expect(stray, 'counters and attachments of no group').toEqual([])
  const assignments = items.filter(({ pk, sk }) => pk.startsWith('USER#') && sk.startsWith('GA#'))
  const attached = items.filter(({ pk, sk }) => pk.startsWith('CHANNEL#') && sk.startsWith('G#'))
  const orphans = [...assignments, ...attached].filter(({ sk }) => !known.has(sk.split('#')[1] ?? ''))
  expect(orphans, 'assignments and attachments of no group').toEqual([])
  for (const { pk, owner } of items.filter((item) => item.pk.startsWith('GROUP_EXTERNAL#'))) {
    const { external_id = null } = byId.get(String(owner)) ?? {}
    expect(external_id === null ? '' : groupKeys.groupExternalIdKey(external_id).pk, 'external id of its group').toBe(
      pk,
    )
  }
  for (const { pk, sk } of items.filter((item) => item.pk.startsWith('GROUP#') && item.sk.startsWith('C#')))
    expect(
      items.some((item) => item.pk === `CHANNEL#${sk.slice(2)}` && item.sk === `G#${pk.slice(6)}`),
      'both ends of an attachment',
    ).toBe(true)
}

/** The order of a stored record's fields is the store's. */
const parsed = (item: Item): Item => (item.hint ? { ...item, hint: JSON.parse(String(item.hint)) } : item)

const sorted = (items: readonly Item[]): Item[] =>
  [...items].sort((a, b) => (`${a.pk} ${a.sk}` < `${b.pk} ${b.sk}` ? -1 : 1))
