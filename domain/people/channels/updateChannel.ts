import type { Context, Input } from '../../request/context.ts'
import { changeIfMatch } from '../../request/etags.ts'
import { checkLength, wrongTexts } from '../../request/localizedTexts.ts'
import { replaceRecord } from '../../table/changes.ts'
import type { Action } from '../../table/store.ts'
import { channelFields, channels, checkAssignableRole, patchedChannel, requireChannel } from '../records/channel.ts'
import { countRoleUse } from '../records/heldRoles.ts'
import { readNamedRole } from '../records/role.ts'

/** Applies a merge patch to a channel. Without a default role, it gets the predefined one of channel members. */
export async function updateChannel(context: Context, { path, body }: Input<'updateChannel'>) {
  const { store, now, shard } = context
  const reading = channels.read(store, path.channel_id)
  const [{ predefined }, fault, channel, role] = await Promise.all([
    context.organisation(),
    wrongTexts(context, body, reading),
    reading,
    readNamedRole(store, body.default_role_id),
  ])
  if (fault) throw fault
  const before = requireChannel(channel)
  const decide = () => patchedChannel(before, body, predefined.CHANNEL_MEMBER ?? '', now)
  const after = changeIfMatch(context, before, decide, channelFields.own(before))
  if (after === before) return channelFields.answer(before)
  checkLength(after)
  const actions: Action[] = [replaceRecord(channels, before, after)]
  if (after.default_role_id !== before.default_role_id) {
    if (body.default_role_id) checkAssignableRole(role, await context.actor(), 'default_role_id')
    actions.push(...countRoleUse(before.default_role_id, -1, { predefined, shard }))
    actions.push(...countRoleUse(after.default_role_id, 1, { predefined, shard }))
  }
  await store.write(actions)
  return channelFields.answer(after)
}
