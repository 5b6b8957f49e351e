import type { GroupTree } from '../groups/groupTree.ts'
import * as keys from '../table/keys.ts'
import { all, type Item, type Store } from '../table/store.ts'
import type { WholeChannel } from './channel.ts'
import { conferredRoles } from './conferred.ts'
import { directStreams, groupStreams, type Stream } from './streams.ts'

/**
 * Who may hold a role on a channel, directly or through a group, each once, with the lists that say so. They may lag: who
 * holds it indeed, his assignments tell.
 */
export async function membersByLists(
  store: Pick<Store, 'query'>,
  { channel, attachments, direct }: WholeChannel,
  tree: GroupTree,
): Promise<Map<string, Stream[]>> {
  const anyRole = () => true
  const streams = [
    ...directStreams(channel.id, direct, anyRole),
    ...(await groupStreams(store, conferredRoles(attachments, tree), anyRole)),
  ]
  const listsOf = new Map<string, Stream[]>()
  const reading = streams.map(async (stream) => {
    for (const row of await all(store, { index: 'by_last_name', hash: stream.list })) {
      const id = keys.userOfRow(row)
      const lists = listsOf.get(id)
      if (lists) lists.push(stream)
      else listsOf.set(id, [stream])
    }
  })
  await Promise.all(reading)
  return listsOf
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
