import { roleLists } from '../groups/group.ts'
import * as keys from '../table/keys.ts'
import type { PeopleList } from '../table/lists.ts'
import * as places from '../table/places.ts'
import { all, type Store } from '../table/store.ts'

/** One list of the indexes, and what its rows mean on the channel. */
export type Stream = PeopleList & { roles: readonly string[]; source: 'MANUAL' | 'USER_GROUP' }

type Wanted = (role: string) => boolean

/** The lists of those who hold roles on a channel directly. */
export const directStreams = (channel: string, direct: Map<string, number>, wanted: Wanted): Stream[] =>
  [...direct]
    .filter(([role, size]) => size > 0 && wanted(role))
    .map(([role, size]) => ({
      list: places.channelList(channel, role),
      size,
      keyOf: (user) => keys.channelAssignmentKey(user, channel, role),
      roles: [role],
      source: 'MANUAL',
    }))

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
      const lists = roleLists(group, await all(store, keys.groupCounts(group)))
      return lists.map((one): Stream => ({ ...one, roles, source: 'USER_GROUP' }))
    })
  return (await Promise.all(streams)).flat()
}
