import { refuse } from '../../base/errors.ts'
import type { Context, Input } from '../../request/context.ts'
import { writeAndShow } from '../../request/effect.ts'
import { requireExpected } from '../../request/etags.ts'
import {
  channelAssignments,
  ownershipDeletion,
  ownOfHolding,
  viewChannelAssignment,
} from '../records/channelAssignment.ts'
import { overdueUsers } from '../records/deadlineItem.ts'
import { roles } from '../records/role.ts'
import { overdueHolders, readHolding } from './channelMembers.ts'

/** Deletes a role that is held directly. A role through a group ends with the membership in the group. */
export async function deleteChannelAssignment(context: Context, { path, query }: Input<'deleteChannelAssignment'>) {
  const { store, shard } = context
  const [holding, role, overdue, { predefined }] = await Promise.all([
    readHolding(context, path),
    roles.read(store, path.role_id),
    overdueUsers(context).then((ids) => overdueHolders(store, path, ids)),
    context.organisation(),
  ])
  requireExpected(context, ownOfHolding(holding))
  const { own } = holding
  if (!own) throw refuse('ROLE_ASSIGNMENT_NOT_DELETABLE', 'role_id')
  const isOwner = role?.predefined_role_type === 'CHANNEL_OWNER'
  const actions = isOwner
    ? ownershipDeletion(path, own, overdue, { predefined, shard })
    : channelAssignments.remove(path, own, { predefined, shard })
  const body = await writeAndShow(store.write(actions), () =>
    viewChannelAssignment(context, { ...holding, role }, query.embed),
  )
  return { status: 200, body, own: ownOfHolding(holding) }
}
