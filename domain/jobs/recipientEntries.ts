import { slices } from '../base/flow.ts'
import { type Entry, type Progress, workEntry } from '../table/work.ts'
import type { Task } from '../tasks/task.ts'
import { type ProgressStatus, RECIPIENTS_AT_ONCE, takerFor } from '../tasks/taskAssignment.ts'

/** Users that one entry names: few enough that moving it on costs little beside the assignments themselves. */
const PER_ENTRY = 10 * RECIPIENTS_AT_ONCE
/** An entry of work that gives a task to users. */
export type Addition = Entry<'recipients'>
/**
 * Users who get a task. Their assignments are created as of `now`; `begun` is when the call began, if that is later. Users
 * begin as NEW, unless `progress` says otherwise: only imports bring progress. They also do all of the work themselves.
 */
export type NewAddition = {
  task: Pick<Task, 'id' | 'created_at'>
  users: readonly string[]
  now: string
  id: string
  begun?: string
  progress?: Progress | undefined
}

export const statusOf = (progress: Progress | undefined, user: string): ProgressStatus => progress?.[user] ?? 'NEW'

/**
 * The entries of work that give a task to users. A later task may reuse the id: `born` tells them apart. What is too much
 * for a call is for the stream's worker from the beginning: it is told of the first entry, and comes to the others in turn.
 */
export function additionEntries({ task, users, now, id, begun = now, progress }: NewAddition): Addition[] {
  const taker = progress ? 'CALL' : takerFor(users.length)
  return [...slices(users, PER_ENTRY)].map((some, nth) => {
    const begins = progress && { progress: Object.fromEntries(some.map((user) => [user, statusOf(progress, user)])) }
    const work = { task: task.id, born: task.created_at, users: some, left: some.length, at: now, ...begins }
    return workEntry('recipients', task.id, work, begun, {
      taker: taker === 'STREAM' && nth > 0 ? 'WORKER' : taker,
      part: `${id}-${nth}`,
    })
  })
}
