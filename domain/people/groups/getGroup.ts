import type { Context, Input } from '../../request/context.ts'
import { existingGroup, groupFields } from '../records/group.ts'
import { readViewScope, viewGroup } from './groupView.ts'

/** Reads a user group. */
export async function getGroup(context: Context, { path, query }: Input<'getGroup'>) {
  const [group, scope] = await Promise.all([
    existingGroup(context.store, path.group_id),
    readViewScope(context, query.embed),
  ])
  return { status: 200, body: await viewGroup(context, group, scope), own: groupFields.own(group) }
}
