import type { Context, Input } from '../request/context.ts'
import { readWholeTask, requireAuthored } from './task.ts'
import { taskSummaryOf } from './taskView.ts'

/** How far the recipients of a task have come, for its author. */
export async function getTaskSummary(context: Context, { path }: Input<'getTaskSummary'>) {
  const { counts } = requireAuthored(context, await readWholeTask(context.store, path.task_id))
  return { status: 200, body: taskSummaryOf(counts) }
}
