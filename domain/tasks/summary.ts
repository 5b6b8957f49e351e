import * as keys from '../table/keys.ts'
import { all, type Item, type Range, type Store } from '../table/store.ts'
import { ofTask } from '../table/taskKeys.ts'
import { type Counts, stateOf, type TaskState } from './task.ts'

const TASK = keys.taskKey('').sk

/** How far the recipients of a task have come. */
export type Summary = { total: number; items: { status: 'NEW' | 'OPEN' | 'FINISHED'; count: number }[] }

type Whole = { item: Item; state: TaskState }

/** A task with its true counts, in one read: what the author's operations counted, and what recipients did since. */
export const readWholeTask = async (store: Pick<Store, 'query'>, id: string): Promise<TaskState | undefined> =>
  (await readWhole(store, ofTask(id)))?.state

/** The same at half the price, with the task's item: may lag a moment behind the last write. */
export const readWholeTaskSoon = (store: Pick<Store, 'query'>, id: string): Promise<Whole | undefined> =>
  readWhole(store, { ...ofTask(id), consistent: false })

async function readWhole(store: Pick<Store, 'query'>, range: Range): Promise<Whole | undefined> {
  const items = await all(store, range)
  const item = items.find(({ sk }) => sk === TASK)
  const state = stateOf(item)
  if (!item || !state) return undefined
  const shards = items.filter((one) => one !== item)
  const sum = (name: 'open' | 'finished'): number =>
    shards.reduce((total, shard) => total + Number(shard[name] ?? 0), state.counts[name])
  return {
    item,
    state: { ...state, counts: { count: state.counts.count, open: sum('open'), finished: sum('finished') } },
  }
}

/**
 * The summary of counts. They are read while others write, so that they may not fit each other for a moment: what is
 * answered always adds up.
 */
export function summaryOf({ count, open, finished }: Counts): Summary {
  const done = Math.min(Math.max(finished, 0), count)
  const begun = Math.min(Math.max(open, 0), count - done)
  return {
    total: count,
    items: [
      { status: 'NEW', count: count - done - begun },
      { status: 'OPEN', count: begun },
      { status: 'FINISHED', count: done },
    ],
  }
}
