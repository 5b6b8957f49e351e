import { DAY_MS, isPast, momentAfter } from '../../base/text.ts'
import { is } from '../../table/expressions.ts'
import * as keys from '../../table/keys.ts'
import type { Action, Item, Store } from '../../table/store.ts'
import { type AttributeDefinition, definitions } from '../records/attributeDefinition.ts'
import { deletedIn, nextEdition } from '../records/definitionEditions.ts'
import { userCounts } from '../records/userCounters.ts'

// The counter of users also counts how many users have a value of each attribute definition, so a change of a user with
// all values is one update of one shard. A definition is deleted, or gets another type, only while no user has a value.
// That raises the definition's edition in every shard. Values that were checked against an earlier edition are then
// refused.

/**
 * Closes the edition of a definition, so that no more values are written for it; undefined if, by these shards, a user
 * has a value. Also removes the editions of `forgotten` definitions from the counter.
 */
export function closeUses(
  definition: AttributeDefinition,
  shards: readonly Item[],
  forgotten: readonly string[] = [],
): Action[] | undefined {
  const { technical_name: name } = definition
  return userCounts.closeIfZero(shards, keys.useCount(name), {
    set: { [keys.requiredEdition(name)]: nextEdition(definition) },
    clear: [keys.useCount(name), ...forgotten.map(keys.requiredEdition)],
  })
}

/** Longer than any call or import: all values that were checked against an older definition are written by then. */
const REMEMBERED_MS = DAY_MS
/** The most that fit into the transaction of a deletion. */
const MOST_FORGOTTEN = 50

/**
 * The names of definitions that were deleted long ago, and the actions that remove their tombstones. Without this the
 * counter would grow with every name ever used.
 */
export async function forgettable(
  store: Store,
  shards: readonly Item[],
  { living, now }: { living: readonly string[]; now: string },
): Promise<{ names: string[]; actions: Action[] }> {
  const named = new Set(
    shards.flatMap((shard) => Object.keys(shard).flatMap((name) => keys.nameOfRequiredEdition(name) ?? [])),
  )
  const deleted = [...named].filter((name) => !living.includes(name)).slice(0, MOST_FORGOTTEN)
  const before = momentAfter(now, -REMEMBERED_MS)
  const found = await Promise.all(
    deleted.map(async (name) => [name, deletedIn(await store.get(definitions.key(name)))] as const),
  )
  const old = found.filter(([, tombstone]) => isPast(tombstone?.deleted_at, before))
  return {
    names: old.map(([name]) => name),
    actions: old.map(([name, data]) => ({ delete: definitions.key(name), if: is({ data }) })),
  }
}
