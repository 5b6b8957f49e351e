import { AppError } from '../../base/errors.ts'
import { inParallel } from '../../base/parallel.ts'
import type { Context, Input } from '../../request/context.ts'
import { requireExpected } from '../../request/etags.ts'
import { doWorkOfCalls } from '../../work/workOfCalls.ts'
import { groupFields } from '../records/group.ts'
import { groupEntry } from '../records/groupRules.ts'
import { clearGroup } from './clearGroup.ts'
import { groupWorkOf } from './moveToAllUsers.ts'
import { removeGroups } from './removeGroups.ts'

/** Groups that are cleared in parallel. */
const MOST_PARALLEL = 4

/** Deletes an archived group and all below it, in any state, with their assignments and places on channels. */
export async function deleteGroup(context: Context, { path }: Input<'deleteGroup'>) {
  const [work] = await Promise.all([groupWorkOf(context), context.actor()])
  const top = groupEntry(path.group_id, 'delete', { now: context.now, token: context.newId() })
  const { entries, isAll } = await removeGroups(work, top, (group) => requireExpected(context, groupFields.own(group)))
  if (!isAll)
    throw new AppError('SERVICE_UNAVAILABLE', {
      detail: 'The deletion has begun and goes on by itself',
      cause: 'WorkLeft',
    })
  // The groups are deleted already. What is still to clear is in no answer.
  await inParallel(MOST_PARALLEL, entries, (one) => doWorkOfCalls(work, [one], clearGroup))
  return { status: 204, body: undefined }
}
