import { AppError, combineRefusals, problemOf, StoreBusy, StoreContended } from '../base/errors.ts'
import { decideAgain } from '../base/retry.ts'
import { textOfKey } from '../table/items.ts'
import { SHARDS } from '../table/keys.ts'
import type { Item, Key, Store } from '../table/store.ts'
import { ifPermitted } from './actor.ts'
import type { Answer, BatchItem, Context, ItemId } from './context.ts'
import { type Effect, newEffect, noteWrites } from './effect.ts'
import { etagOf, etagsIn } from './etags.ts'

type BatchDefinition<T, B> = {
  /** The keys that an item reads. The keys of all items are read in one request. */
  reads: (item: T) => Key[]
  /** Names for the records that an item changes. Items that share a name run in the order of the request. */
  changes: (item: T, read: readonly (Item | undefined)[]) => string[]
  /** Does what the single endpoint does, for one item. */
  single: (context: Context, item: T) => Promise<Answer<B>>
  /** The tags that an item accepts for its record, as If-Match does. If set, each result has the tag of its record. */
  ifMatch?: (item: T) => string | undefined
  /** Finds more faults in the body of an item that the schema has refused. */
  moreFaults?: ((context: Context, body: unknown, id: ItemId) => Promise<AppError | undefined>) | undefined
}

type BatchResult<B> = {
  id: ItemId
  status: number
  etag?: string
  body?: B
  error?: ReturnType<typeof problemOf>
}

/**
 * Runs a batch with the same outcome as single calls, but faster: it reads for all items in one request, then writes in
 * waves. The items of a wave run in parallel, each on another counter shard. An item that changes the actor runs alone and
 * in the order of the request, as it may end the actor's rights.
 */
export async function runBatch<T, B>(
  context: Context,
  items: readonly BatchItem<T>[],
  definition: BatchDefinition<T, B>,
): Promise<Answer<{ items: BatchResult<B>[] }>> {
  const reads = items.map((item) => ('fault' in item ? [] : definition.reads(item.value)))
  const ahead = reads.map((keys) => keys.map((key) => [textOfKey(key), context.store.get(key)] as const))
  // What each item changes; rejected if its reads have failed.
  const changesRead = await Promise.allSettled(
    items.map(async (item, index) =>
      'fault' in item
        ? []
        : definition.changes(item.value, await Promise.all((ahead[index] ?? []).map(([, read]) => read))),
    ),
  )
  const changed = changesRead.map((one) => (one.status === 'fulfilled' ? one.value : []))
  // An actor who may not call at all gets one refusal, not one per item.
  await context.actor()
  const results = new Array<BatchResult<B>>(items.length)
  for (const [n, wave] of wavesOf(changed, context.actorId).entries())
    await Promise.all(
      wave.map(async ({ index, shard }) => {
        const item = items[index] as BatchItem<T>
        const effect = newEffect()
        const shown = { requestId: context.requestId, effect, hasTags: definition.ifMatch !== undefined }
        results[index] = await resultOf(item.id, shown, () => {
          // If its reads have failed, we do not know what the item changes, so it does not run.
          const read = changesRead[index]
          if (read?.status === 'rejected') throw read.reason
          const own =
            n === 0 ? { ...context, store: readingAhead(context.store, new Map(ahead[index])) } : context.freshContext()
          return ifPermitted(own, runItem({ ...own, store: noteWrites(own.store, effect), shard }, item, definition))
        })
      }),
    )
  return { status: 200, body: { items: results } }
}

/** A store that returns what was read ahead, once for each key. A second read of the key asks the table again. */
const readingAhead = (store: Store, ahead: Map<string, ReturnType<Store['get']>>): Store => ({
  ...store,
  get: (key) => {
    const readAhead = ahead.get(textOfKey(key))
    ahead.delete(textOfKey(key))
    return readAhead ?? store.get(key)
  },
})

async function runItem<T, B>(
  context: Context,
  item: BatchItem<T>,
  definition: BatchDefinition<T, B>,
): Promise<Answer<B>> {
  if ('value' in item) {
    const tags = definition.ifMatch?.(item.value)
    const own = tags === undefined ? context : { ...context, ifMatch: etagsIn(tags) }
    return decideAgain(() => definition.single(own, item.value))
  }
  throw combineRefusals([item.fault, await definition.moreFaults?.(context, item.body, item.id)])
}

async function resultOf<B>(
  id: ItemId,
  { requestId, effect, hasTags }: { requestId: string; effect: Effect; hasTags: boolean },
  run: () => Promise<Answer<B>>,
): Promise<BatchResult<B>> {
  try {
    const answer = await run()
    const etag = hasTags ? etagOf(answer) : undefined
    return { id, status: answer.status, ...(etag ? { etag } : {}), body: answer.body }
  } catch (error) {
    const done = effect.done()
    const isUndone = done === false && (error instanceof StoreBusy || error instanceof StoreContended)
    const shown = isUndone ? new AppError('TOO_MANY_REQUESTS', { detail: error.detail }) : error
    const problem = problemOf(shown, requestId, done)
    return { id, status: problem.status, error: problem }
  }
}

/** An item of a wave, and the counter shard that it uses. */
type Slot = { index: number; shard: number }

/**
 * Puts each item into the earliest wave after all items that it shares a name with. A wave has at most one item for
 * each counter shard. An item that changes the actor is alone in its wave, which comes after all items before it.
 */
function wavesOf(changed: readonly string[][], actorId: string): Slot[][] {
  const waves: Slot[][] = []
  const firstFree = new Map<string, number>()
  let earliest = 0
  changed.forEach((names, index) => {
    const isAlone = names.includes(`user:${actorId}`)
    let nth = isAlone ? waves.length : Math.max(earliest, ...names.map((name) => firstFree.get(name) ?? 0))
    while ((waves[nth]?.length ?? 0) >= SHARDS) nth++
    const wave = waves[nth] ?? []
    waves[nth] = [...wave, { index, shard: wave.length }]
    for (const name of names) firstFree.set(name, nth + 1)
    if (isAlone) earliest = nth + 1
  })
  return waves
}
