import type * as contracts from '../../schemas/channelAssignments.ts'
import type { Input } from '../../schemas/contract.ts'
import { refuse } from '../base/errors.ts'
import { readTree } from '../groups/groupTree.ts'
import type { Answer, Context } from '../request/context.ts'
import { writeAndShow } from '../request/writeAndShow.ts'
import { assignableRoles } from '../roles/assignableRoles.ts'
import { countRoleUse, roles } from '../roles/role.ts'
import { channelAssignmentKey, ofUser } from '../table/keys.ts'
import { retrying } from '../table/retry.ts'
import { all, type Item } from '../table/store.ts'
import { overdueUsers } from '../users/people.ts'
import { readUser, type UserRecord } from '../users/userRecord.ts'
import { readChannel, type WholeChannel } from './channel.ts'
import { checkChannelAssignable } from './channelAssignmentRules.ts'
import { type ChannelAssignmentView, viewChannelAssignment } from './channelAssignmentView.ts'
import {
  type ChannelTriple,
  channelAssignmentCreation,
  channelAssignmentDeletion,
  ownershipDeletion,
} from './channelAssignmentWrites.ts'
import { conferredRoles, isConferred } from './conferred.ts'
import { goneHolders } from './goneHolders.ts'

type ChannelAnswer = Promise<Answer<ChannelAssignmentView>>

/** Lists the roles that the actor may hand out on a channel. */
export async function listAssignableChannelRoles(
  context: Context,
  { path, query }: Input<typeof contracts.listAssignableChannelRoles>,
): Promise<Answer<Awaited<ReturnType<typeof assignableRoles>>>> {
  const [roles] = await Promise.all([
    assignableRoles(context, 'CHANNELS', query),
    existingChannel(context, path.channel_id),
  ])
  return { status: 200, body: roles }
}

/** Gives a user a role on a channel; held directly already, it is answered as it is. */
export function createChannelAssignment(
  context: Context,
  { path, body, query }: Input<typeof contracts.createChannelAssignment>,
): ChannelAnswer {
  const id = { ...path, role_id: body.role_id }
  return retrying(async () => {
    const [{ channel }, user, role, held, actor, { predefined }] = await Promise.all([
      existingChannel(context, id.channel_id),
      readUser(context.store, id.user_id, context.now),
      roles.read(context.store, id.role_id),
      context.store.get(channelAssignmentKey(id.user_id, id.channel_id, id.role_id)),
      context.actor(),
      context.organisation(),
    ])
    const { assignee, assigned } = checkChannelAssignable({ channel, user, role, actor })
    const shown = { id, source: 'MANUAL' as const, user: assignee, role: assigned }
    const actions = [
      ...channelAssignmentCreation(id, assignee),
      ...countRoleUse(predefined, id.role_id, 1, context.shard),
    ]
    const write = held ? undefined : context.store.write(actions)
    const view = await writeAndShow(write, () => viewChannelAssignment(context, shown, query.embed))
    return { status: held ? 200 : 201, body: view }
  })
}

/** Reads a role of a user on a channel, held directly or through a group. */
export async function getChannelAssignment(
  context: Context,
  { path, query }: Input<typeof contracts.getChannelAssignment>,
): ChannelAnswer {
  const [holding, role, gone] = await Promise.all([
    holdingOf(context, path),
    roles.read(context.store, path.role_id),
    query.embed?.includes('ACTIONS') ? goneAmongHolders(context, path) : [],
  ])
  const isLastOwner = holding.holders - gone.length <= 1
  const body = await viewChannelAssignment(context, { ...holding, id: path, role, isLastOwner }, query.embed)
  return { status: 200, body }
}

/** Takes a role away that is held directly; one through a group ends with the membership there. */
export function deleteChannelAssignment(
  context: Context,
  { path, query }: Input<typeof contracts.deleteChannelAssignment>,
): ChannelAnswer {
  return retrying(async () => {
    const [holding, role, gone, { predefined }] = await Promise.all([
      holdingOf(context, path),
      roles.read(context.store, path.role_id),
      goneAmongHolders(context, path),
      context.organisation(),
    ])
    if (holding.source === 'USER_GROUP') throw refuse('ROLE_ASSIGNMENT_NOT_DELETABLE', 'role_id')
    const isOwnerRole = role?.predefined_role_type === 'CHANNEL_OWNER'
    const actions = [
      ...(isOwnerRole ? ownershipDeletion(path, gone) : channelAssignmentDeletion(path)),
      ...countRoleUse(predefined, path.role_id, -1, context.shard),
    ]
    const body = await writeAndShow(context.store.write(actions), () =>
      viewChannelAssignment(context, { ...holding, id: path, role }, query.embed),
    )
    return { status: 200, body }
  })
}

async function existingChannel(context: Context, id: string): Promise<WholeChannel> {
  const channel = await readChannel(context.store, id)
  if (!channel) throw refuse('CHANNEL_NOT_FOUND', 'channel_id')
  return channel
}

/** `holders` counts all who hold the role directly. */
type Holding = { source: 'MANUAL' | 'USER_GROUP'; user: UserRecord; holders: number }

const goneAmongHolders = async (context: Context, id: ChannelTriple): Promise<Item[]> =>
  goneHolders(context.store, id, await overdueUsers(context))

/** How a user holds a role on a channel, if he does. */
async function holdingOf(context: Context, id: ChannelTriple): Promise<Holding> {
  const [{ attachments, direct }, tree, user, own, memberships] = await Promise.all([
    existingChannel(context, id.channel_id),
    readTree(context.store),
    readUser(context.store, id.user_id, context.now),
    context.store.get(channelAssignmentKey(id.user_id, id.channel_id, id.role_id)),
    all(context.store, { ...ofUser(id.user_id), beginsWith: 'GA#' }),
  ])
  const isDerived = isConferred(conferredRoles(attachments, tree), memberships, id.role_id)
  if (!user || !(own || isDerived)) throw refuse('CHANNEL_USER_ASSIGNMENT_NOT_FOUND')
  return { source: own ? 'MANUAL' : 'USER_GROUP', user, holders: direct.get(id.role_id) ?? 0 }
}
