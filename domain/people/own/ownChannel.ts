import { compareBytes } from '../../base/text.ts'
import type { Context } from '../../request/context.ts'
import { bestTexts } from '../../request/localization.ts'
import { isOwner } from '../channels/channelMembers.ts'
import type { Channel } from '../records/channel.ts'
import type { Role } from '../records/role.ts'
import { roleReference } from '../records/roleReference.ts'

/** Whether the holder of these roles on a channel may give it tasks. */
export const canDistribute = async ({ organisation }: Context, held: readonly Role[]): Promise<boolean> =>
  (await organisation()).features.tasks && isOwner(held)

/** A channel as its members see it: with the roles that the caller holds on it, by their ids. */
export async function viewOwnChannel(context: Context, channel: Channel, held: readonly Role[]) {
  const [texts, can_distribute, roles] = await Promise.all([
    bestTexts(context, channel),
    canDistribute(context, held),
    Promise.all(held.toSorted((a, b) => compareBytes(a.id, b.id)).map((role) => roleReference(context, role))),
  ])
  return { id: channel.id, ...texts, roles, can_distribute }
}
