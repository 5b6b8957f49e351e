import type * as contracts from '../../schemas/channels.ts'
import type { Input } from '../../schemas/contract.ts'
import { refuse } from '../base/errors.ts'
import { type Group, groupReference, groups } from '../groups/group.ts'
import { cataloguePage } from '../request/catalogue.ts'
import type { Answer, Context } from '../request/context.ts'
import type { Pagination } from '../request/paging.ts'
import { writeAndShow } from '../request/writeAndShow.ts'
import { countRoleUse, roles } from '../roles/role.ts'
import { channelGroupKey } from '../table/keys.ts'
import { retrying } from '../table/retry.ts'
import { type Attachment, readChannel, readChannelRecord } from './channel.ts'
import { checkAttachable, checkHandedOut } from './channelAssignmentRules.ts'
import { attachmentCreation, attachmentDeletion } from './channelGroupWrites.ts'

type AttachmentView = Awaited<ReturnType<typeof viewAttachment>>
type List = { assignments: AttachmentView[]; pagination: Pagination }

/** Lists the user groups attached to a channel, by the title that the caller is shown. */
export async function listChannelGroups(
  context: Context,
  { path, query }: Input<typeof contracts.listChannelGroups>,
): Promise<Answer<List>> {
  const [whole, choose] = await Promise.all([readChannel(context.store, path.channel_id), context.choice()])
  if (!whole) throw refuse('CHANNEL_NOT_FOUND', 'channel_id')
  const attached = await Promise.all(
    whole.attachments.map(async ({ group_id, role_id }) => {
      const group = await groups.readSoon(context.store, group_id)
      return group ? [{ id: group_id, role_id, group }] : []
    }),
  )
  const { page, pagination } = cataloguePage(
    attached.flat(),
    { ...query, sort: ['TITLE_ASC'] },
    { TITLE: ({ group }) => choose(group.title).text },
  )
  const assignments = await Promise.all(page.map(({ role_id, group }) => viewAttachment(context, role_id, group)))
  return { status: 200, body: { assignments, pagination } }
}

/** Attaches a user group to a channel, with the channel's default role if no other is named. */
export function createChannelGroup(
  context: Context,
  { path, body }: Input<typeof contracts.createChannelGroup>,
): Promise<Answer<AttachmentView>> {
  return retrying(async () => {
    const [channel, group, named, actor, { predefined }] = await Promise.all([
      readChannelRecord(context.store, path.channel_id),
      groups.read(context.store, body.user_group_id),
      body.role_id ? roles.read(context.store, body.role_id) : undefined,
      context.actor(),
      context.organisation(),
    ])
    if (!channel) throw refuse('CHANNEL_NOT_FOUND', 'channel_id')
    const attachable = checkAttachable(channel, group)
    const role = body.role_id ? named : await roles.read(context.store, channel.default_role_id)
    const { id: role_id } = checkHandedOut(role, actor, 'role_id')
    const actions = [
      ...attachmentCreation(channel.id, { group_id: attachable.id, role_id }),
      ...countRoleUse(predefined, role_id, 1, context.shard),
    ]
    const view = await writeAndShow(context.store.write(actions), () => viewAttachment(context, role_id, attachable))
    return { status: 201, body: view }
  })
}

/** Detaches a user group: its members keep what they hold directly, or through other groups. */
export function deleteChannelGroup(
  context: Context,
  { path }: Input<typeof contracts.deleteChannelGroup>,
): Promise<Answer<undefined>> {
  return retrying(async () => {
    const [channel, attached, { predefined }] = await Promise.all([
      readChannelRecord(context.store, path.channel_id),
      context.store.get(channelGroupKey(path.channel_id, path.user_group_id)),
      context.organisation(),
    ])
    if (!channel) throw refuse('CHANNEL_NOT_FOUND', 'channel_id')
    if (!attached) throw refuse('CHANNEL_USER_GROUP_NOT_FOUND', 'user_group_id')
    const attachment = attached['data'] as Attachment
    await context.store.write([
      ...attachmentDeletion(channel.id, attachment),
      ...countRoleUse(predefined, attachment.role_id, -1, context.shard),
    ])
    return { status: 204, body: undefined }
  })
}

const viewAttachment = async (context: Context, role_id: string, group: Group) => ({
  id: group.id,
  role_id,
  user_group: await groupReference(context, group),
})
