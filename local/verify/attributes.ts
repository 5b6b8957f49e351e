import {
  type AttributeDefinition,
  type DeletedDefinition,
  definitions,
} from '../../domain/attributes/attributeDefinition.ts'
import { SHARDS } from '../../domain/table/counters.ts'
import * as keys from '../../domain/table/keys.ts'
import type { Item } from '../../domain/table/store.ts'
import { attributeNames, type UserRecord } from '../../domain/users/user.ts'
import { purgeEntries } from '../../domain/users/userCounts.ts'
import type { Expect } from './findings.ts'

const shards = Array.from({ length: SHARDS }, (_, shard) => keys.userCountKey(shard).sk)

/** The entries of users pending deletion. */
export const purgeEntriesIn = (items: readonly Item[]) =>
  items
    .filter(({ pk }) => pk === 'USERS')
    .filter(keys.isPurge)
    .map(purgeEntries.of)

/** Each definition has a place of its own, who has a value is counted exactly, and what has a value is defined. */
export function auditAttributes(items: readonly Item[], users: readonly UserRecord[], expect: Expect): void {
  const stored = items.filter(({ sk }) => sk === 'ATTRIBUTE')
  const living = stored.flatMap((item) => definitions.of(item) ?? [])
  const placed = items.filter(({ pk }) => pk === 'ATTRIBUTES').map((item) => String(item['name']))
  expect(placed.sort(), 'attribute definitions').toEqual(living.map((one) => one.technical_name).sort())
  auditUses(items, users, living, expect)
  auditEditions(items, stored, expect)
}

function auditUses(
  items: readonly Item[],
  users: readonly UserRecord[],
  definitions: AttributeDefinition[],
  expect: Expect,
): void {
  const known = new Map(definitions.map((one) => [one.technical_name, one]))
  const walked = new Map<string, number>()
  const entries = purgeEntriesIn(items)
  const entryOf = new Map(entries.map((entry) => [keys.userOfPurge(entry), entry]))
  const use = (name: string) => walked.set(name, (walked.get(name) ?? 0) + 1)
  for (const user of users) {
    const { id, deletion_at } = user
    const names = attributeNames(user)
    expect(
      names.filter((name) => !known.has(name)),
      `attributes of ${id} that are not defined`,
    ).toEqual([])
    // The entry of a user pending deletion tells what is to be counted off.
    if (!deletion_at) names.forEach(use)
    else expect(entryOf.get(id)?.attributes ?? [], `what is to be counted off of ${id}`).toEqual(names)
  }
  for (const { attributes = [] } of entries) attributes.forEach(use)
  const counts = new Map<string, number>()
  for (const counter of counters(items))
    for (const [attribute, count] of Object.entries(counter).filter(([name]) => name.startsWith('a:')))
      counts.set(attribute.slice(2), (counts.get(attribute.slice(2)) ?? 0) + Number(count))
  const counted = [...counts].filter(([, count]) => count !== 0)
  expect(Object.fromEntries(counted.sort()), 'uses of attributes').toEqual(Object.fromEntries([...walked].sort()))
}

/** All counters know the edition of each definition, and of those that were deleted not long ago; and no others. */
function auditEditions(items: readonly Item[], stored: readonly Item[], expect: Expect): void {
  const editions = stored.flatMap((item): [string, number][] => {
    const { edition } = item['data'] as AttributeDefinition | DeletedDefinition
    return edition === undefined ? [] : [[item.pk.slice('ATTRIBUTE#'.length), edition]]
  })
  const expected = Object.fromEntries(editions.sort())
  const byKey = new Map(counters(items).map((item) => [item.sk, item]))
  for (const sk of shards) {
    const marks = Object.entries(byKey.get(sk) ?? {}).flatMap(([attribute, edition]) => {
      const name = keys.markedName(attribute)
      return name === undefined ? [] : [[name, edition] as const]
    })
    expect(Object.fromEntries(marks.sort()), `editions that the counter ${sk} knows`).toEqual(expected)
  }
}

const counters = (items: readonly Item[]): Item[] => items.filter(({ pk, sk }) => pk === 'USERS' && sk.startsWith('N#'))
