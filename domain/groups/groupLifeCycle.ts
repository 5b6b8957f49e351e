import type { Input } from '../../schemas/contract.ts'
import type * as contracts from '../../schemas/groups.ts'
import { refuse } from '../base/errors.ts'
import { finishArchiving } from '../jobs/finishGroupWork.ts'
import { groupWorkEntry, workOf } from '../jobs/groupWork.ts'
import type { Answer, Context } from '../request/context.ts'
import { writeAndShow } from '../request/writeAndShow.ts'
import { groupWorkKey } from '../table/keys.ts'
import { retrying } from '../table/retry.ts'
import { existingGroup, type Group } from './group.ts'
import { checkGroupAction } from './groupRules.ts'
import { readTree, statusIn } from './groupTree.ts'
import { askedFor, type GroupView, viewGroup } from './groupView.ts'
import { groupArchiving, groupRestoration } from './groupWrites.ts'

type GroupAnswer = Promise<Answer<GroupView>>

/** Takes a group out of service; whose primary group it was comes to ALL_USERS. */
export async function archiveGroup(
  context: Context,
  { path, query }: Input<typeof contracts.archiveGroup>,
): GroupAnswer {
  const entry = groupWorkEntry(path.group_id, 'archive', { now: context.now, token: context.newId() })
  const { group, asked } = await retrying(async () => {
    const [before, asked] = await Promise.all([
      existingGroup(context.store, path.group_id),
      askedFor(context, query.embed),
    ])
    checkGroupAction('archive', before)
    const group: Group = { ...before, status: 'ARCHIVED', updated_at: context.now }
    await context.store.write(groupArchiving(before, group, entry))
    return { group, asked }
  })
  // The group is archived: what fails here is no failure of that, and the schedule finds the rest by the entry.
  await finishArchiving(await workOf(context), entry).catch(() => undefined)
  return { status: 200, body: await writeAndShow(Promise.resolve(), () => viewGroup(context, group, asked)) }
}

/** Puts an archived group back into service, once all have left it who were to leave. */
export function restoreGroup(context: Context, { path, query }: Input<typeof contracts.restoreGroup>): GroupAnswer {
  return retrying(async () => {
    const [before, tree, entry] = await Promise.all([
      existingGroup(context.store, path.group_id),
      readTree(context.store, 'now'),
      context.store.get(groupWorkKey(path.group_id)),
    ])
    if (entry?.kind === 'delete') throw refuse('USER_GROUP_NOT_FOUND', 'group_id')
    checkGroupAction('restore', before, statusIn(tree, before.parent_id))
    if (entry && !(await finishArchiving(await workOf(context), entry)))
      throw refuse('SERVICE_UNAVAILABLE', undefined, 'Members are still leaving the group: try again in a minute')
    const group: Group = { ...before, status: 'ACTIVE', updated_at: context.now }
    const view = await writeAndShow(context.store.write(groupRestoration(before, group)), () =>
      viewGroup(context, group, { embed: query.embed, tree }),
    )
    return { status: 200, body: view }
  })
}
