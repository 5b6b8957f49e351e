import type * as contracts from '../../schemas/channels.ts'
import type { Input } from '../../schemas/contract.ts'
import { refuse } from '../base/errors.ts'
import type { Answer, Context } from '../request/context.ts'
import { checkLength, wrongTexts } from '../request/localization.ts'
import { countRoleUse, roles } from '../roles/role.ts'
import { absent } from '../table/expressions.ts'
import { retrying } from '../table/retry.ts'
import { replacing } from '../table/store.ts'
import { readUser } from '../users/userRecord.ts'
import { type Channel, channelItem, readChannelRecord } from './channel.ts'
import { checkHandedOut } from './channelAssignmentRules.ts'
import { directHolding } from './channelAssignmentWrites.ts'
import { archived, channelFrom, patched, restored } from './channelRules.ts'

type ChannelAnswer = Promise<Answer<Channel>>

/** Creates a channel, of which its creator becomes an owner. */
export function createChannel(context: Context, { body }: Input<typeof contracts.createChannel>): ChannelAnswer {
  const id = body.id ?? context.newId()
  return retrying(async () => {
    const [{ predefined }, creator, fault, role] = await Promise.all([
      context.organisation(),
      readUser(context.store, context.actorId, context.now),
      wrongTexts(context, body),
      namedRole(context, body),
    ])
    if (fault) throw fault
    if (body.default_role_id) checkHandedOut(role, await context.actor(), 'default_role_id')
    if (creator?.status !== 'ACTIVE') throw refuse('ACTOR_NOT_ACTIVE')
    const channel = channelFrom(body, { id, memberRole: predefined.CHANNEL_MEMBER ?? '', now: context.now })
    const ownership = { channel_id: id, user_id: creator.id, role_id: predefined.CHANNEL_OWNER ?? '' }
    const put = { put: channelItem(channel), if: absent }
    await context.store.write([
      { ...put, otherwise: { code: 'DUPLICATE_ID', property: 'id' } },
      ...directHolding(ownership, creator),
      ...countRoleUse(predefined, channel.default_role_id, 1, context.shard),
    ])
    return { status: 201, body: channel }
  })
}

/** Reads a channel. */
export async function getChannel(context: Context, { path }: Input<typeof contracts.getChannel>): ChannelAnswer {
  return { status: 200, body: await existing(context, path.channel_id) }
}

/** Applies a merge patch to a channel. */
export function updateChannel(context: Context, { path, body }: Input<typeof contracts.updateChannel>): ChannelAnswer {
  return retrying(async () => {
    const reading = readChannelRecord(context.store, path.channel_id)
    const [{ predefined }, fault, channel, role] = await Promise.all([
      context.organisation(),
      wrongTexts(context, body, reading),
      reading,
      namedRole(context, body),
    ])
    if (fault) throw fault
    const before = there(channel)
    const after = patched(before, body, predefined.CHANNEL_MEMBER ?? '', context.now)
    if (after === before) return { status: 200, body: before }
    checkLength(after)
    const actions = [replacing(channelItem(after), before)]
    if (after.default_role_id !== before.default_role_id) {
      if (body.default_role_id) checkHandedOut(role, await context.actor(), 'default_role_id')
      actions.push(...countRoleUse(predefined, before.default_role_id, -1, context.shard))
      actions.push(...countRoleUse(predefined, after.default_role_id, 1, context.shard))
    }
    await context.store.write(actions)
    return { status: 200, body: after }
  })
}

/** The role that a body names as default, if it names one and that exists. */
const namedRole = async ({ store }: Context, { default_role_id: id }: { default_role_id?: string | null }) =>
  id ? roles.read(store, id) : undefined

/** Closes a channel: it can be read, but nobody is given anything there. */
export const archiveChannel = lifeCycle(archived)
/** Opens an archived channel again. */
export const restoreChannel = lifeCycle(restored)

function lifeCycle(changed: typeof archived) {
  return (context: Context, { path }: Input<typeof contracts.archiveChannel>): ChannelAnswer =>
    retrying(async () => {
      const before = await existing(context, path.channel_id)
      const after = changed(before, context.now)
      await context.store.write([replacing(channelItem(after), before)])
      return { status: 200, body: after }
    })
}

const existing = async (context: Context, id: string): Promise<Channel> =>
  there(await readChannelRecord(context.store, id))

function there(channel: Channel | undefined): Channel {
  if (!channel) throw refuse('CHANNEL_NOT_FOUND', 'channel_id')
  return channel
}
