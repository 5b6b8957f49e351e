import type { Context, Input } from '../../request/context.ts'
import { showWritten } from '../../request/effect.ts'
import { changeIfMatch } from '../../request/etags.ts'
import { doWorkOfCalls } from '../../work/workOfCalls.ts'
import { existingGroup, type Group, groupFields, groupMembers } from '../records/group.ts'
import { checkGroupAction, groupEntry } from '../records/groupRules.ts'
import { groupChange } from '../records/groupTree.ts'
import { readViewScope, viewGroup } from './groupView.ts'
import { finishArchiving, groupWorkOf } from './moveToAllUsers.ts'

/** Takes a group out of service. Users who had it as primary group get ALL_USERS as primary group. */
export async function archiveGroup(context: Context, { path, query }: Input<'archiveGroup'>) {
  const entry = groupEntry(path.group_id, 'archive', { now: context.now, token: context.newId() })
  const [before, scope] = await Promise.all([
    existingGroup(context.store, path.group_id),
    readViewScope(context, query.embed),
  ])
  const group = changeIfMatch(
    context,
    before,
    (): Group => {
      checkGroupAction('archive', before)
      return { ...before, status: 'ARCHIVED', updated_at: context.now }
    },
    groupFields.own(before),
  )
  await context.store.write([...groupChange(before, group), ...groupMembers(group.id).close(), { put: entry }])
  await doWorkOfCalls(await groupWorkOf(context), [entry], finishArchiving)
  const view = await showWritten(() => viewGroup(context, group, scope))
  return { status: 200, body: view, own: groupFields.own(group) }
}
