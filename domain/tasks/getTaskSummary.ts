import type { Input } from '../../schemas/contract.ts'
import type * as contracts from '../../schemas/tasks.ts'
import type { Answer, Context } from '../request/context.ts'
import { readWholeTask, requireAuthored } from './task.ts'
import { type Summary, summaryOf } from './taskView.ts'

/** How far the recipients of a task have come, for its author. */
export async function getTaskSummary(
  context: Context,
  { path }: Input<typeof contracts.getTaskSummary>,
): Promise<Answer<Summary>> {
  const { counts } = requireAuthored(context, await readWholeTask(context.store, path.task_id))
  return { status: 200, body: summaryOf(counts) }
}
