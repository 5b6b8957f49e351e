import type { Context, Input } from '../../request/context.ts'
import { ownOfHolding, viewChannelAssignment } from '../records/channelAssignment.ts'
import { overdueUsers } from '../records/deadlineItem.ts'
import { roles } from '../records/role.ts'
import { overdueHolders, readHolding } from './channelMembers.ts'

/** Reads a role of a user on a channel, held directly or through a group. */
export async function getChannelAssignment(context: Context, { path, query }: Input<'getChannelAssignment'>) {
  const [holding, role, overdue] = await Promise.all([
    readHolding(context, path),
    roles.read(context.store, path.role_id),
    query.embed?.includes('ACTIONS')
      ? overdueUsers(context).then((ids) => overdueHolders(context.store, path, ids))
      : [],
  ])
  const isLast = holding.direct - overdue.length <= 1
  const body = await viewChannelAssignment(context, { ...holding, role, isLast }, query.embed)
  return { status: 200, body, own: ownOfHolding(holding) }
}
