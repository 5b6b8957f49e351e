import { isDeepStrictEqual } from 'node:util'
import type { FromSchema } from 'json-schema-to-ts'
import type { createChannel, updateChannel } from '../../schemas/channels.ts'
import { refuse } from '../base/errors.ts'
import type { Channel } from './channel.ts'

type Creation = FromSchema<(typeof createChannel)['body']>
type Patch = FromSchema<(typeof updateChannel)['body']>

/** The channel that a creation asks for. */
export const channelFrom = (
  { title, description, default_role_id }: Creation,
  { id, memberRole, now }: { id: string; memberRole: string; now: string },
): Channel => ({
  id,
  title,
  description: description ?? [],
  status: 'ACTIVE',
  default_role_id: default_role_id ?? memberRole,
  created_at: now,
  updated_at: now,
})

/**
 * The channel after a merge patch; the very same object where nothing changes. Whoever takes its default role away gets
 * the one of all channels.
 */
export function patched(
  channel: Channel,
  { title, description, default_role_id }: Patch,
  memberRole: string,
  now: string,
): Channel {
  if (channel.status === 'ARCHIVED') throw refuse('CHANNEL_ARCHIVED', 'channel_id')
  const next: Channel = {
    ...channel,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description: description ?? [] }),
    ...(default_role_id === undefined ? {} : { default_role_id: default_role_id ?? memberRole }),
  }
  return isDeepStrictEqual(next, channel) ? channel : { ...next, updated_at: now }
}

/** The channel when it is archived. */
export function archived(channel: Channel, now: string): Channel {
  if (channel.status === 'ARCHIVED') throw refuse('CHANNEL_ARCHIVED', 'channel_id')
  return { ...channel, status: 'ARCHIVED', updated_at: now }
}

/** The channel when it is active again. */
export function restored(channel: Channel, now: string): Channel {
  if (channel.status === 'ACTIVE') throw refuse('CHANNEL_NOT_ARCHIVED', 'channel_id')
  return { ...channel, status: 'ACTIVE', updated_at: now }
}
