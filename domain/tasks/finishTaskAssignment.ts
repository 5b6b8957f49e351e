import type { Context, Input } from '../request/context.ts'
import { changeProgress } from './changeProgress.ts'

/** Marks the caller's own assignment as done. */
export const finishTaskAssignment = (context: Context, { path }: Input<'finishTaskAssignment'>) =>
  changeProgress(context, path.assignment_id, () => 'FINISHED')
