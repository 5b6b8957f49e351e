import type { Context, Input } from '../request/context.ts'
import { changeProgress } from './changeProgress.ts'

/** Marks the caller's own assignment as not done; one that was never finished stays as it is. */
export const openTaskAssignment = (context: Context, { path }: Input<'openTaskAssignment'>) =>
  changeProgress(context, path.assignment_id, (status) => (status === 'FINISHED' ? 'OPEN' : status))
