import { type Change, type Condition, every, has, is, lacks } from './expressions.ts'
import {
  type Action,
  all,
  type Expectation,
  type Item,
  type Key,
  type Range,
  type Refusal,
  type Store,
} from './store.ts'

/** Counters with many writers are spread over this many items, so that writers do not wait for each other. */
export const SHARDS = 32

/** What is counted: attribute names and by how much. */
export type Counts = Readonly<Record<string, number>>

/**
 * A counter in shards. Each shard is an item that counts any number of things, an attribute each. A closed
 * counter refuses to count until it is opened again. A writer sees only its own shard, so closing writes all shards.
 */
export type ShardedCounter = {
  keyOf: (shard: number) => Key
  keys: readonly Key[]
  /** Counts in one shard, whether the counter is closed or not. */
  add: (shard: number, by: Counts, also?: Expectation) => Action
  /** Counts in one shard; a closed counter refuses, by default as a stale read. */
  addIfOpen: (shard: number, by: Counts, also?: Expectation) => Action
  /** Writes nothing, but needs an open, or a closed, counter. */
  requireOpen: (shard: number, otherwise?: Refusal) => Action
  requireClosed: (shard: number) => Action
  /** Closes the counter, whatever it counts. */
  close: () => Action[]
  /**
   * Closes the counter, or makes `change` in all of its shards, if the count of `name` is zero. Undefined if the shards that
   * were read count some. Fails as stale if the count has changed since.
   */
  closeUnused: (read: readonly Item[], name: string, change?: Change) => Action[] | undefined
  /** Opens the counter. */
  open: () => Action[]
  /**
   * Opens the counter of a new record. An earlier record of the same id may have left it closed, as `firstShard` shows. If
   * that is open, one action checks that it still is; it fails as stale if not.
   */
  openForNew: (firstShard: Item | undefined) => Action[]
  /** All shards that exist. */
  read: (store: Pick<Store, 'query'>, when?: 'now' | 'soon') => Promise<Item[]>
}

/** Defines a counter by the key of each shard and the range that holds all of them. */
export function shardedCounter(keyOf: (shard: number) => Key, range: Range, shards = SHARDS): ShardedCounter {
  const keys = Array.from({ length: shards }, (_, shard) => keyOf(shard))
  const add: ShardedCounter['add'] = (shard, by, also = {}) => ({ update: keyOf(shard), add: by, ...also })
  const open = () => keys.map((update) => ({ update, clear: [CLOSED] }))
  const requireOpen: ShardedCounter['requireOpen'] = (shard, otherwise) => ({
    check: keyOf(shard),
    if: isOpen,
    otherwise,
  })
  return {
    keyOf,
    keys,
    add,
    addIfOpen: (shard, by, { if: also, otherwise } = {}) =>
      add(shard, by, { if: also ? every(isOpen, also) : isOpen, otherwise }),
    requireOpen,
    requireClosed: (shard) => ({ check: keyOf(shard), if: isClosed }),
    close: () => keys.map((update) => ({ update, ...closing })),
    closeUnused: (read, name, change = closing) => {
      if (sumOf(read, name) !== 0) return undefined
      const counted = new Map(read.map((shard) => [shard.sk, shard[name]]))
      return keys.map((update) => ({ update, ...change, if: is({ [name]: counted.get(update.sk) }) }))
    },
    open,
    openForNew: (first) => (first?.[CLOSED] ? open().map((action) => ({ ...action, if: isClosed })) : [requireOpen(0)]),
    read: (store, when = 'soon') => all(store, { ...range, consistent: when === 'now' }),
  }
}

const CLOSED = 'closed'
const closing: Change = { set: { [CLOSED]: true } }
/** A shard is open, or closed. */
export const isOpen: Condition = lacks(CLOSED)
export const isClosed: Condition = has(CLOSED)

/** A closed shard without counts. It keeps late calls from using the id of a deleted record. */
export const closedShard = (key: Key): Item => ({ ...key, [CLOSED]: true })

/** The sum of one count over all shards. */
export const sumOf = (shards: readonly Item[], name: string): number =>
  shards.reduce((sum, shard) => sum + Number(shard[name] ?? 0), 0)
