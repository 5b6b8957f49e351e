import type { Input } from '../../schemas/contract.ts'
import type * as contracts from '../../schemas/taskAssignments.ts'
import type { Context } from '../request/context.ts'
import { changeProgress } from './taskProgress.ts'

/** Marks the caller's own assignment as done. */
export const finishTaskAssignment = (context: Context, { path }: Input<typeof contracts.finishTaskAssignment>) =>
  changeProgress(context, path.assignment_id, () => 'FINISHED')
