import type { GroupTree } from '../groups/tree.ts'
import * as keys from '../store/keys.ts'
import { all, type Item, type Store } from '../store/store.ts'
import type { WholeChannel } from './channel.ts'
import { conferredRoles } from './conferred.ts'
import { directStreams, groupStreams } from './streams.ts'

/** Who holds any role on a channel, directly or through a group; each once. */
export async function memberIds(
  store: Pick<Store, 'query'>,
  { channel, attachments, direct }: WholeChannel,
  tree: GroupTree,
): Promise<Set<string>> {
  const anyRole = () => true
  const streams = [
    ...directStreams(channel.id, direct, anyRole),
    ...(await groupStreams(store, conferredRoles(attachments, tree), anyRole)),
  ]
  const rows = await Promise.all(streams.map(({ list }) => all(store, { index: 'by_last_name', hash: list })))
  return new Set(rows.flat().map(keys.userOfRow))
}

/** The roles that a user holds on a channel, by his own assignments to it and to groups. */
export function rolesOn(
  { channel, attachments }: WholeChannel,
  tree: GroupTree,
  assignments: readonly Item[],
): Set<string> {
  const conferred = conferredRoles(attachments, tree)
  return new Set(
    assignments.flatMap((item) => {
      const { place, role } = keys.partsOfAssignment(item)
      if (item.sk.startsWith('CA#')) return place === channel.id ? [role] : []
      return item.sk.startsWith('GA#') ? [...(conferred.get(place) ?? [])] : []
    }),
  )
}
