import { isDeepStrictEqual } from 'node:util'
import { type Group, groupMembers } from '../../domain/people/records/group.ts'
import { groupItems } from '../../domain/people/records/groupTree.ts'
import * as keys from '../../domain/table/keys.ts'
import type { Item } from '../../domain/table/store.ts'
import { type Expect, expectSame } from './findings.ts'
import type { Copy } from './tableCopy.ts'

/** Checks user groups: tree, catalogue, and everything that refers to them. */
export function auditGroups(copy: Copy, expect: Expect): void {
  const records = [...copy.sortedAt('GROUP')]
  const byId = new Map(records.map((item) => item.data as Group).map((group) => [group.id, group]))
  const stored = [...records, ...copy.partition('GROUPS')]
  const expected = [...byId.values()].flatMap(groupItems)
  expectSame(expect, sorted(stored.map(parsed)), sorted(expected.map(parsed)), 'records, tree and catalogue')
  for (const group of byId.values()) {
    auditPlace(group, byId, expect)
    const closed = groupMembers(group.id).keys.map((key) => copy.at(key)?.['closed'] === true)
    expect(new Set(closed), `counters of ${group.id}, which is ${group.status}`).toEqual(
      new Set([group.status === 'ARCHIVED']),
    )
  }
  const existing = new Set([...byId.keys(), ...leavingGroups(copy)])
  auditReferences(copy, existing, expect)
  for (const { pk, owner } of copy.below('GROUP_EXTERNAL#')) {
    const { external_id = null } = byId.get(String(owner)) ?? {}
    expect(external_id === null ? '' : keys.groupExternalIdKey(external_id).pk, 'external id of its group').toBe(pk)
  }
}

/** The groups whose archiving or deletion is still under way. */
export const leavingGroups = (copy: Copy): Set<string> =>
  new Set([...copy.within('WORK', '')].filter(({ kind }) => kind === 'group').map(keys.idOfWork))

/** Every group is below groups that exist, and not below itself. */
function auditPlace({ id, parent_id }: Group, byId: ReadonlyMap<string, Group>, expect: Expect): void {
  const above = new Set([id])
  for (let parent = parent_id; parent !== null; parent = byId.get(parent)?.parent_id ?? null) {
    expect(byId.has(parent), `${parent}, which is above ${id}, exists`).toBe(true)
    expect(above.has(parent), `${id} is below itself`).toBe(false)
    if (above.has(parent)) return
    above.add(parent)
  }
}

/** What belongs or refers to a group refers to one that exists. */
function auditReferences(copy: Copy, existing: ReadonlySet<string>, expect: Expect): void {
  const ofGroups = copy.below('GROUP#').filter(({ sk }) => sk !== 'GROUP')
  const stray = ofGroups.filter((item) => !existing.has(item.pk.slice('GROUP#'.length)) && !isTombstone(item))
  expect([...stray], 'counters and attachments of no group').toEqual([])
  for (const prefix of ['GA#', 'G#']) {
    const orphans = copy.keysSorted(prefix).filter(({ sk }) => !existing.has(sk.split('#')[1] ?? ''))
    expect([...orphans], 'assignments and attachments of no group').toEqual([])
  }
  for (const { pk, sk } of copy.keysBelow('GROUP#').filter((key) => key.sk.startsWith('C#'))) {
    const end = { pk: `CHANNEL#${sk.slice('C#'.length)}`, sk: `G#${pk.slice('GROUP#'.length)}` }
    expect(copy.has(end), 'both ends of an attachment').toBe(true)
  }
}

/** The counters of a deleted group stay closed, and count nothing. */
const isTombstone = ({ pk: _pk, sk, ...rest }: Item) => sk.startsWith('N#') && isDeepStrictEqual(rest, { closed: true })

/** A catalogue row holds the record as JSON, in which the order of fields may differ. */
const parsed = (item: Item): Item => (item.hint ? { ...item, hint: JSON.parse(String(item.hint)) } : item)

const sorted = (items: readonly Item[]): Item[] =>
  [...items].sort((a, b) => (`${a.pk} ${a.sk}` < `${b.pk} ${b.sk}` ? -1 : 1))
