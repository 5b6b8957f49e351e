import { expect } from 'vitest'
import { type Group, groupItems } from '../../domain/groups/group.ts'
import * as groupKeys from '../../domain/store/groupKeys.ts'
import type { Item } from '../../domain/store/store.ts'

/** Holds user groups against their places in tree and catalogue, and against what refers to them. */
export function auditGroups(items: readonly Item[]): void {
  const groups = items
    .filter(({ pk, sk }) => pk.startsWith('GROUP#') && sk === 'GROUP')
    .map((item) => item.data as Group)
  const byId = new Map(groups.map((group) => [group.id, group]))
  const records = items.filter(({ sk, pk }) => (pk.startsWith('GROUP#') && sk === 'GROUP') || pk === 'GROUPS')
  const expected = groups.flatMap(groupItems)
  expect(sorted(records.map(parsed)), 'records, tree and catalogue').toEqual(sorted(expected.map(parsed)))
  for (const { id, parent_id } of groups) {
    const above = new Set([id])
    for (let parent = parent_id; parent !== null; parent = byId.get(parent)?.parent_id ?? null) {
      expect(byId.has(parent), `${parent} lies above ${id}`).toBe(true)
      expect(above.has(parent), `${id} lies below itself`).toBe(false)
      above.add(parent)
    }
  }
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
