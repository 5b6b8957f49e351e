import { AppError, problemOf, StoreBusy, together } from '../base/errors.ts'
import { retrying } from '../base/flow.ts'
import { SHARDS } from '../table/counters.ts'
import { type Item, type Key, nameOf, type Store } from '../table/store.ts'
import {
  type Answer,
  type BatchItem,
  type Context,
  type Effect,
  type ItemId,
  ifPermitted,
  newEffect,
  noting,
} from './context.ts'

type Plan<T, B> = {
  /** The keys that an item reads: those of all items are read in one request. */
  reads: (item: T) => Key[]
  /** Names of what an item changes: items that share a name run in the order of the request. */
  changes: (item: T, read: readonly (Item | undefined)[]) => string[]
  /** The single call. */
  single: (context: Context, item: T) => Promise<Answer<B>>
  /** Finds further faults in the body of an item that has faults already. */
  alsoWrong?: (context: Context, body: unknown) => Promise<AppError | undefined>
}

export type BatchAnswer<B> = Promise<Answer<{ items: BatchResult<B>[] }>>

export type BatchResult<B> = {
  id: ItemId
  status: number
  body?: B
  error?: ReturnType<typeof problemOf>
}

/**
 * Runs a batch with the same outcome as single calls, only faster: it reads for all items together, then writes in
 * rounds, each item of a round on a counter shard of its own. An item that changes the actor runs after all items
 * before it and before all items after it, as it may end the actor's rights.
 */
export async function runBatch<T, B>(
  context: Context,
  items: readonly BatchItem<T>[],
  plan: Plan<T, B>,
): Promise<BatchResult<B>[]> {
  const reads = items.map((item) => ('fault' in item ? [] : plan.reads(item.value)))
  const ahead = reads.map((keys) => keys.map((key) => [nameOf(key), context.store.get(key)] as const))
  const judged = await Promise.allSettled(
    items.map(async (item, index) =>
      'fault' in item ? [] : plan.changes(item.value, await Promise.all((ahead[index] ?? []).map(([, read]) => read))),
    ),
  )
  const changed = judged.map((one) => (one.status === 'fulfilled' ? one.value : []))
  // An actor who may not call at all gets one refusal, not one per item.
  await context.actor()
  const results = new Array<BatchResult<B>>(items.length)
  const rounds = segments(changed, context.actorId).flatMap((run) => roundsOf(lanes(run, changed)))
  for (const [n, round] of rounds.entries())
    await Promise.all(
      round.map(async ({ index, shard }) => {
        const item = items[index] as BatchItem<T>
        const effect = newEffect()
        results[index] = await result(item.id, { requestId: context.requestId, effect }, () => {
          // Without its reads it is not known what the item changes, so it does not run.
          if (judged[index]?.status === 'rejected') throw judged[index].reason
          const own =
            n === 0 ? { ...context, store: readingAhead(context.store, new Map(ahead[index])) } : context.again()
          return ifPermitted(own, done({ ...own, store: noting(own.store, effect), shard }, item, plan))
        })
      }),
    )
  return results
}

/** A store that answers each of these keys once from what was read ahead. A second read asks the table again. */
const readingAhead = (store: Store, ahead: Map<string, ReturnType<Store['get']>>): Store => ({
  ...store,
  get: (key) => {
    const known = ahead.get(nameOf(key))
    ahead.delete(nameOf(key))
    return known ?? store.get(key)
  },
})

async function done<T, B>(context: Context, item: BatchItem<T>, plan: Plan<T, B>): Promise<Answer<B>> {
  if ('value' in item) return retrying(() => plan.single(context, item.value))
  throw together([item.fault, await plan.alsoWrong?.(context, item.body)])
}

async function result<B>(
  id: ItemId,
  { requestId, effect }: { requestId: string; effect: Effect },
  run: () => Promise<Answer<B>>,
): Promise<BatchResult<B>> {
  try {
    return { id, ...(await run()) }
  } catch (error) {
    const done = effect.done()
    const isUndone = error instanceof StoreBusy && done === false
    const told = isUndone ? new AppError('TOO_MANY_REQUESTS', { detail: error.detail }) : error
    const problem = problemOf(told, requestId, done)
    return { id, status: problem.status, error: problem }
  }
}

/** Runs of items, cut before and after every item that changes the actor. */
function segments(changed: readonly string[][], actorId: string): number[][] {
  const runs: number[][] = [[]]
  changed.forEach((names, index) => {
    const alone = names.includes(`user:${actorId}`)
    if (alone) runs.push([index], [])
    else runs.at(-1)?.push(index)
  })
  return runs.filter((run) => run.length > 0)
}

/** Spreads a run over as many lanes as there are shards; items that change the same thing share a lane, in order. */
function lanes(run: readonly number[], changed: readonly string[][]): number[][] {
  const chains = chainsOf(run, changed).sort((a, b) => b.length - a.length)
  const spread: number[][] = Array.from({ length: Math.min(SHARDS, chains.length) }, () => [])
  for (const chain of chains) spread.sort((a, b) => a.length - b.length)[0]?.push(...chain)
  return spread
}

/** The first items of all lanes, then the second ones, and so on: their reads share requests. */
function roundsOf(spread: readonly number[][]): { index: number; shard: number }[][] {
  const longest = Math.max(...spread.map(({ length }) => length))
  return Array.from({ length: longest }, (_, n) =>
    spread.flatMap((lane, shard) => (lane[n] === undefined ? [] : [{ index: lane[n], shard }])),
  )
}

/** Joins items that share a name, directly or through others. */
function chainsOf(run: readonly number[], changed: readonly string[][]): number[][] {
  const chains = new Set<number[]>()
  const chainOf = new Map<string, number[]>()
  for (const index of run) {
    const met = new Set(
      (changed[index] ?? []).flatMap((name) => [chainOf.get(name) ?? []]).filter(({ length }) => length),
    )
    const chain = [...[...met].flat(), index].sort((a, b) => a - b)
    for (const old of met) chains.delete(old)
    chains.add(chain)
    for (const name of chain.flatMap((member) => changed[member] ?? [])) chainOf.set(name, chain)
  }
  return [...chains]
}
