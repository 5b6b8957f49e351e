import { readCatalogue } from '../../table/catalogues.ts'
import { isAt } from '../../table/items.ts'
import * as keys from '../../table/keys.ts'
import { all } from '../../table/reader.ts'
import type { Item, Store } from '../../table/store.ts'
import { type Attachment, attachmentsOf, type Channel, channels } from '../records/channel.ts'
import type { Source } from '../records/channelAssignment.ts'
import { type Group, groups } from '../records/group.ts'
import { type GroupAssignmentSource, groupAssignments } from '../records/groupAssignment.ts'
import { type GroupTree, groupsReaching, readTree } from '../records/groupTree.ts'
import { type Role, roles } from '../records/role.ts'

// Everything that one user holds, read from the user: their assignments, the groups that these name with those above, and the
// channels to which these groups are attached. Each of the three takes one round trip.

/** A role that a user holds in a group. */
export type GroupHolding = { target: Group; role: Role; source: GroupAssignmentSource }
/** A role that a user holds on a channel. `through`: the attached groups that confer it, unless it is held directly, too. */
export type ChannelHolding = { target: Channel; role: Role; source: Source; through: Group[] }

/** What is known after the first round trip. */
type OwnItems = { inGroups: Item[]; onChannels: Item[]; tree: GroupTree; catalogue: ReadonlyMap<string, Role> }

/** The first round trip: the user's assignments, the tree of groups, and all roles. */
export async function readOwnItems(store: Store, userId: string): Promise<OwnItems> {
  const [items, tree, known] = await Promise.all([
    all(store, keys.rolesOfUser(userId)),
    readTree(store),
    readCatalogue(store, roles),
  ])
  const { GROUP: inGroups = [], CHANNEL: onChannels = [] } = Object.groupBy(
    items,
    (item) => keys.partsOfAssignment(item).kind,
  )
  return { inGroups, onChannels, tree, catalogue: new Map(known.map((role) => [role.id, role])) }
}

/** Everything that a user holds. What refers to a record that has been deleted is left out: its removal is under way. */
export async function readHoldings(
  store: Store,
  { inGroups, onChannels, tree, catalogue }: OwnItems,
): Promise<{ inGroups: GroupHolding[]; onChannels: ChannelHolding[] }> {
  const memberOf = targetsOf(inGroups)
  const reaching = new Set(groupsReaching(tree, memberOf))
  const direct = targetsOf(onChannels)
  const [found, directChannels] = await Promise.all([
    Promise.all([...new Set([...memberOf, ...reaching])].map((id) => readGroup(store, id))),
    Promise.all(direct.map((id) => readChannel(store, id))),
  ])
  const groupOf = new Map(found.flatMap(({ group }) => (group ? [[group.id, group] as const] : [])))
  const conferring = found.filter(({ id }) => reaching.has(id)).flatMap((one) => one.channels)
  const others = [...new Set(conferring)].filter((id) => !direct.includes(id))
  const conferred = await Promise.all(others.map((id) => readChannel(store, id)))
  const reached = [...directChannels, ...conferred]
  const roleOf = await rolesNamed(store, catalogue, [
    ...[...inGroups, ...onChannels].map((item) => keys.partsOfAssignment(item).role),
    ...reached.flatMap(({ attachments }) => attachments.map(({ role_id }) => role_id)),
  ])
  return {
    inGroups: inGroups.flatMap((item) => {
      const { target, role: roleId } = keys.partsOfAssignment(item)
      const [group, role] = [groupOf.get(target), roleOf.get(roleId)]
      return group && role ? [{ target: group, role, source: groupAssignments.sourceOf(item) }] : []
    }),
    onChannels: reached.flatMap(({ channel, attachments }) => {
      if (!channel) return []
      const own = new Set(
        onChannels
          .map(keys.partsOfAssignment)
          .filter(isOf(channel))
          .map(({ role }) => role),
      )
      const through = Map.groupBy(
        attachments.filter(({ group_id, role_id }) => reaching.has(group_id) && !own.has(role_id)),
        ({ role_id }) => role_id,
      )
      return [...new Set([...own, ...through.keys()])].flatMap((id): ChannelHolding[] => {
        const role = roleOf.get(id)
        if (!role) return []
        const by = (through.get(id) ?? []).flatMap(({ group_id }) => groupOf.get(group_id) ?? [])
        return [{ target: channel, role, source: own.has(id) ? 'MANUAL' : 'USER_GROUP', through: by }]
      })
    }),
  }
}

const targetsOf = (items: readonly Item[]): string[] => [
  ...new Set(items.map((item) => keys.partsOfAssignment(item).target)),
]

const isOf =
  ({ id }: Channel) =>
  ({ target }: { target: string }): boolean =>
    target === id

async function readGroup(store: Store, id: string) {
  const items = await all(store, keys.groupWithChannels(id))
  return {
    id,
    group: groups.of(items.find(isAt(groups.key(id)))),
    channels: items.filter(keys.isChannelPointer).map(keys.channelOfPointer),
  }
}

async function readChannel(
  store: Store,
  id: string,
): Promise<{ channel: Channel | undefined; attachments: Attachment[] }> {
  const items = await all(store, keys.channelWithGroups(id))
  const { of } = attachmentsOf(id)
  return {
    channel: channels.of(items.find(isAt(channels.key(id)))),
    attachments: items.filter(keys.isChannelGroup).flatMap((item) => of(item) ?? []),
  }
}

/** The roles of these ids. The catalogue has nearly all of them; those that are new are read. */
async function rolesNamed(store: Store, catalogue: ReadonlyMap<string, Role>, ids: readonly string[]) {
  const named = new Set(ids)
  const found = await Promise.all([...named].map(async (id) => catalogue.get(id) ?? roles.read(store, id)))
  return new Map(found.flatMap((role) => (role ? [[role.id, role] as const] : [])))
}
