import type { GroupTree } from '../groups/tree.ts'
import * as keys from '../store/keys.ts'
import { all, type Item, type Store } from '../store/store.ts'
import type { WholeChannel } from './channel.ts'
import { conferredRoles } from './conferred.ts'

/** One list of the indexes, and what its rows mean on the channel. */
export type Stream = { list: string; roles: readonly string[]; source: 'MANUAL' | 'USER_GROUP' }

type Wanted = (role: string) => boolean

/** The lists of those who hold roles on a channel directly. */
export const directStreams = (channel: string, direct: Map<string, number>, wanted: Wanted): Stream[] =>
  [...direct]
    .filter(([role, count]) => count > 0 && wanted(role))
    .map(([role]) => ({ list: keys.channelList(channel, role), roles: [role], source: 'MANUAL' }))

/** The lists of the members of the groups that confer roles; which roles a group has, its counters tell. */
export async function groupStreams(
  store: Pick<Store, 'query'>,
  conferred: Map<string, Set<string>>,
  wanted: Wanted,
): Promise<Stream[]> {
  const groups = [...conferred].map(([group, roles]) => ({ group, roles: [...roles].filter(wanted) }))
  const streams = groups
    .filter(({ roles }) => roles.length > 0)
    .map(async ({ group, roles }) => {
      const shards = await all(store, keys.groupCounts(group))
      const held = new Set(
        shards.flatMap((shard) => Object.keys(shard)).flatMap((name) => keys.countedRole(name) ?? []),
      )
      return [...held].map((role): Stream => ({ list: keys.groupList(group, role), roles, source: 'USER_GROUP' }))
    })
  return (await Promise.all(streams)).flat()
}

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
