import { channelAssignmentKey } from '../table/keys.ts'
import type { Item, Store } from '../table/store.ts'
import type { ChannelTriple } from './channelAssignmentWrites.ts'

/**
 * The direct assignments of a role on a channel whose users are past their deadline: they are gone, but counted until
 * they are removed.
 */
export async function goneHolders(
  store: Pick<Store, 'get'>,
  { channel_id, role_id }: Omit<ChannelTriple, 'user_id'>,
  overdue: Iterable<string>,
): Promise<Item[]> {
  const held = await Promise.all([...overdue].map((user) => store.get(channelAssignmentKey(user, channel_id, role_id))))
  return held.filter((item) => item !== undefined)
}
