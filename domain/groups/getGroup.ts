import type { Input } from '../../schemas/contract.ts'
import type * as contracts from '../../schemas/groups.ts'
import type { Answer, Context } from '../request/context.ts'
import { existingGroup } from './group.ts'
import { type GroupView, readViewScope, viewGroup } from './groupView.ts'

/** Reads a user group. */
export async function getGroup(
  context: Context,
  { path, query }: Input<typeof contracts.getGroup>,
): Promise<Answer<GroupView>> {
  const [group, scope] = await Promise.all([
    existingGroup(context.store, path.group_id),
    readViewScope(context, query.embed),
  ])
  return { status: 200, body: await viewGroup(context, group, scope) }
}
