import * as keys from '../store/keys.ts'
import { all, type Store } from '../store/store.ts'
import { ofTask } from '../store/taskKeys.ts'
import { type Counts, stateOf, type TaskState } from './task.ts'

/** How far the recipients of a task have come. */
export type Summary = { total: number; items: { status: 'NEW' | 'OPEN' | 'FINISHED'; count: number }[] }

/** A task with its true counts, in one read: what the author's operations counted, and what recipients did since. */
export async function readWholeTask(store: Pick<Store, 'query'>, id: string): Promise<TaskState | undefined> {
  const items = await all(store, ofTask(id))
  const record = items.find(({ sk }) => sk === keys.taskKey(id).sk)
  if (!record) return undefined
  const state = stateOf(record)
  const shards = items.filter((item) => item !== record)
  const sum = (name: 'open' | 'finished'): number =>
    shards.reduce((total, shard) => total + Number(shard[name] ?? 0), state.counts[name])
  return { ...state, counts: { count: state.counts.count, open: sum('open'), finished: sum('finished') } }
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
