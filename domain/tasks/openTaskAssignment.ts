import type { Input } from '../../schemas/contract.ts'
import type * as contracts from '../../schemas/taskAssignments.ts'
import type { Context } from '../request/context.ts'
import { changeProgress } from './taskProgress.ts'

/** Marks the caller's own assignment as not done; one that was never finished stays as it is. */
export const openTaskAssignment = (context: Context, { path }: Input<typeof contracts.openTaskAssignment>) =>
  changeProgress(context, path.assignment_id, (status) => (status === 'FINISHED' ? 'OPEN' : status))
