import type { Input } from '../../schemas/contract.ts'
import type * as contracts from '../../schemas/groups.ts'
import type { Answer, Context } from '../context.ts'
import { refuse } from '../errors.ts'
import { retrying } from '../retrying.ts'
import { finishDeletion } from './finishGroupWork.ts'
import { existingGroup } from './group.ts'
import { checkGroupAction } from './groupRules.ts'
import { groupWorkEntry, workOf } from './groupWork.ts'
import { removeNext } from './removeGroups.ts'

/** Deletes an archived group and all below it, whatever their states, with all assignments and places on channels. */
export async function deleteGroup(
  context: Context,
  { path }: Input<typeof contracts.deleteGroup>,
): Promise<Answer<undefined>> {
  const entry = groupWorkEntry(path.group_id, 'delete', { now: context.now, token: context.newId() })
  const { work, first } = await retrying(async () => {
    const [group, work] = await Promise.all([existingGroup(context.store, path.group_id), workOf(context)])
    checkGroupAction('delete', group)
    return { work, first: await removeNext(work, entry) }
  })
  const isGone = await finishDeletion(work, entry, first)
  if (!isGone) throw refuse('SERVICE_UNAVAILABLE', undefined, 'The deletion has begun and goes on by itself')
  return { status: 204, body: undefined }
}
