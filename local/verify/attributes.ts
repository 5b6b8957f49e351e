import { type AttributeDefinition, definitions } from '../../domain/people/records/attributeDefinition.ts'
import type { DeletedDefinition } from '../../domain/people/records/definitionEditions.ts'
import * as keys from '../../domain/table/keys.ts'
import { SHARDS } from '../../domain/table/keys.ts'
import type { Item } from '../../domain/table/store.ts'
import { type CountsByName, difference, type Expect } from './findings.ts'
import type { Copy } from './tableCopy.ts'

const shards = Array.from({ length: SHARDS }, (_, shard) => keys.userCountKey(shard).sk)

/** Checks that each definition is in the catalogue, that counters of values are exact, and that all have its edition. */
export function auditAttributes(copy: Copy, uses: CountsByName, expect: Expect): void {
  const stored = [...copy.sortedAt('ATTRIBUTE')]
  const existing = stored.flatMap((item) => definitions.of(item) ?? []).map((one) => one.technical_name)
  const placed = copy.partition('ATTRIBUTES').map((item) => String(item['name']))
  expect(placed.sort(), 'attribute definitions').toEqual(existing.sort())
  const counters = [...copy.within('USERS', 'N#')]
  auditUses(counters, uses, expect)
  auditEditions(counters, stored, expect)
}

function auditUses(counters: readonly Item[], uses: CountsByName, expect: Expect): void {
  const counts = new Map<string, number>()
  for (const counter of counters)
    for (const [attribute, count] of Object.entries(counter).filter(([name]) => name.startsWith('a:')))
      counts.set(attribute.slice(2), (counts.get(attribute.slice(2)) ?? 0) + Number(count))
  difference(expect, counts, uses, 'uses of attributes')
}

/** All counters have the edition of each definition and of those deleted recently, and no others. */
function auditEditions(counters: readonly Item[], stored: readonly Item[], expect: Expect): void {
  const editions = stored.flatMap((item): [string, number][] => {
    const { edition } = item['data'] as AttributeDefinition | DeletedDefinition
    return edition === undefined ? [] : [[item.pk.slice('ATTRIBUTE#'.length), edition]]
  })
  const expected = Object.fromEntries(editions.sort())
  const byKey = new Map(counters.map((item) => [item.sk, item]))
  for (const sk of shards) {
    const known = Object.entries(byKey.get(sk) ?? {}).flatMap(([attribute, edition]) => {
      const name = keys.nameOfRequiredEdition(attribute)
      return name === undefined ? [] : [[name, edition] as const]
    })
    expect(Object.fromEntries(known.sort()), `editions that the counter ${sk} knows`).toEqual(expected)
  }
}
