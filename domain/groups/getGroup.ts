import type * as contracts from '../../schemas/groups.ts'
import type { Operation } from '../request/context.ts'
import { existingGroup } from './group.ts'
import { type GroupView, readViewScope, viewGroup } from './groupView.ts'

/** Reads a user group. */
export const getGroup: Operation<typeof contracts.getGroup, GroupView> = async (context, { path, query }) => {
  const [group, scope] = await Promise.all([
    existingGroup(context.store, path.group_id),
    readViewScope(context, query.embed),
  ])
  return { status: 200, body: await viewGroup(context, group, scope) }
}
