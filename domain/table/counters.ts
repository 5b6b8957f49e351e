import { type Condition, has, is, lacks, type Update } from './expressions.ts'
import { SHARDS } from './keys.ts'
import { all } from './reader.ts'
import type { Action, ActionOptions, Item, Key, Range, Refusal, Store } from './store.ts'

/** What is counted: attribute names and by how much. */
export type Counts = Readonly<Record<string, number>>

/**
 * A counter in shards, by the key of each shard and the range that holds all of them. Each shard is an item that counts any
 * number of things, an attribute each. A closed counter refuses to count until it is opened again. A writer sees only its
 * own shard, so closing writes all shards.
 */
export function shardedCounter(keyOf: (shard: number) => Key, range: Range, shards = SHARDS) {
  const keys = Array.from({ length: shards }, (_, shard) => keyOf(shard))
  /** Counts in one shard, whether the counter is closed or not. */
  const add = (shard: number, by: Counts, also: ActionOptions & Pick<Update, 'set'> = {}): Action => ({
    update: keyOf(shard),
    add: by,
    ...also,
  })
  /** Opens the counter. */
  const open = (): Action[] => keys.map((update) => ({ update, clear: [CLOSED] }))
  /** Writes nothing, but needs an open counter. */
  const requireOpen = (shard: number, otherwise?: Refusal): Action => ({
    check: keyOf(shard),
    if: isOpen,
    otherwise,
  })
  return {
    keyOf,
    keys,
    add,
    /** Counts up or down in one shard. A closed counter refuses to count up, by default as a stale read. */
    count: (shard: number, name: string, by: number, otherwise?: Refusal): Action =>
      by > 0 ? add(shard, { [name]: by }, { if: isOpen, otherwise }) : add(shard, { [name]: by }),
    requireOpen,
    /** Writes nothing, but needs a closed counter. */
    requireClosed: (shard: number): Action => ({ check: keyOf(shard), if: isClosed }),
    /** Closes the counter, whatever it counts. */
    close: (): Action[] => keys.map((update) => ({ update, ...closing })),
    /**
     * Closes the counter, or makes `change` in all of its shards, if the count of `name` is zero. Undefined if the shards
     * that were read count some. Fails as stale if the count has changed since.
     */
    closeIfZero: (read: readonly Item[], name: string, change = closing): Action[] | undefined => {
      if (sumOf(read, name) !== 0) return undefined
      const counted = new Map(read.map((shard) => [shard.sk, shard[name]]))
      return keys.map((update) => ({ update, ...change, if: is({ [name]: counted.get(update.sk) }) }))
    },
    open,
    /**
     * Opens the counter of a new record. An earlier record of the same id may have left it closed, as `firstShard` shows.
     * If that is open, one action checks that it still is; it fails as stale if not.
     */
    openForNew: (firstShard: Item | undefined): Action[] =>
      firstShard?.[CLOSED] ? open().map((action) => ({ ...action, if: isClosed })) : [requireOpen(0)],
    /** All shards that exist. */
    read: (store: Pick<Store, 'query'>, consistency?: 'strong' | 'eventual'): Promise<Item[]> =>
      all(store, { ...range, consistent: consistency === 'strong' }),
  }
}

const CLOSED = 'closed'
const closing: Update = { set: { [CLOSED]: true } }
/** A shard is open, or closed. */
export const isOpen: Condition = lacks(CLOSED)
export const isClosed: Condition = has(CLOSED)

/** A closed shard without counts. It keeps late calls from using the id of a deleted record. */
export const closedShard = (key: Key): Item => ({ ...key, [CLOSED]: true })

/** The sum of one count over all shards. */
export const sumOf = (shards: readonly Item[], name: string): number =>
  shards.reduce((sum, shard) => sum + Number(shard[name] ?? 0), 0)
