import { channelAssignmentKey } from '../store/keys.ts'
import type { Store } from '../store/store.ts'
import type { ChannelTriple } from './channelAssignmentWrites.ts'

/**
 * How many of those who hold a role on a channel directly are past their deadline: they are gone, but counted until they
 * are removed.
 */
export async function goneHolders(
  store: Pick<Store, 'get'>,
  { channel_id, role_id }: Omit<ChannelTriple, 'user_id'>,
  overdue: Iterable<string>,
): Promise<number> {
  const held = await Promise.all([...overdue].map((user) => store.get(channelAssignmentKey(user, channel_id, role_id))))
  return held.filter((item) => item !== undefined).length
}
