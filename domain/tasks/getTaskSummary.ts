import type * as contracts from '../../schemas/tasks.ts'
import type { Operation } from '../request/context.ts'
import { readWholeTask, requireAuthored } from './task.ts'
import { type Summary, summaryOf } from './taskView.ts'

/** How far the recipients of a task have come, for its author. */
export const getTaskSummary: Operation<typeof contracts.getTaskSummary, Summary> = async (context, { path }) => {
  const { counts } = requireAuthored(context, await readWholeTask(context.store, path.task_id))
  return { status: 200, body: summaryOf(counts) }
}
