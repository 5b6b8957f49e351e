import { refuse } from '../../base/errors.ts'
import type { Context } from '../../request/context.ts'
import * as keys from '../../table/keys.ts'
import type { PeopleList } from '../../table/peopleLists.ts'
import { all } from '../../table/reader.ts'
import { type Item, readEach, type Store } from '../../table/store.ts'
import { type Attachment, readWholeChannel, requireChannel, type WholeChannel } from '../records/channel.ts'
import { type ChannelTriple, channelAssignments, type Source } from '../records/channelAssignment.ts'
import { roleLists } from '../records/groupLists.ts'
import { activeFrom, type GroupTree, readTree } from '../records/groupTree.ts'
import type { Role } from '../records/role.ts'
import { readUser, type UserRecord } from '../records/user.ts'

/** A list of users who hold roles on a channel, directly or as members of a group. */
export type HolderList = PeopleList & { roles: readonly string[]; source: Source }

type Wanted = (role: string) => boolean

/** The lists of the users who hold roles on a channel directly. */
export const directLists = ({ channel, direct }: WholeChannel, wanted: Wanted = () => true): HolderList[] =>
  [...direct]
    .filter(([role, size]) => size > 0 && wanted(role))
    .map(([role, size]) => ({
      list: keys.channelList(channel.id, role),
      size,
      keyOf: (user) => keys.channelAssignmentKey(user, channel.id, role),
      roles: [role],
      source: 'MANUAL',
    }))

/** The lists of the members of groups that confer roles on a channel. */
export async function conferredLists(
  store: Store,
  { attachments }: WholeChannel,
  tree: GroupTree,
  wanted: Wanted = () => true,
): Promise<HolderList[]> {
  const lists = [...conferredRoles(attachments, tree)].map(async ([group, conferred]): Promise<HolderList[]> => {
    const roles = [...conferred].filter(wanted)
    if (roles.length === 0) return []
    const lists = roleLists(group, await all(store, keys.groupCounts(group)))
    return lists.map((one) => ({ ...one, roles, source: 'USER_GROUP' }))
  })
  return (await Promise.all(lists)).flat()
}

/** Which roles each group confers on a channel: the attached groups and those below them, if they are active. */
function conferredRoles(attachments: readonly Attachment[], tree: GroupTree): Map<string, Set<string>> {
  const rolesOf = new Map<string, Set<string>>()
  for (const { group_id, role_id } of attachments)
    for (const group of activeFrom(tree, group_id)) rolesOf.set(group, (rolesOf.get(group) ?? new Set()).add(role_id))
  return rolesOf
}

/**
 * Users who may hold a role on a channel, each with the lists that they are in. Lists are a moment late: assignments
 * decide.
 */
export async function membersByLists(
  store: Store,
  whole: WholeChannel,
  tree: GroupTree,
): Promise<Map<string, HolderList[]>> {
  const listsOf = new Map<string, HolderList[]>()
  const reading = [...directLists(whole), ...(await conferredLists(store, whole, tree))].map(async (one) => {
    for (const row of await all(store, { index: 'by_last_name', hash: one.list })) {
      const id = keys.userOfRow(row)
      const lists = listsOf.get(id)
      if (lists) lists.push(one)
      else listsOf.set(id, [one])
    }
  })
  await Promise.all(reading)
  return listsOf
}

/** The roles that a user holds on a channel, by their assignments to channels and groups. */
export function rolesOn({ channel, attachments }: WholeChannel, tree: GroupTree, held: readonly Item[]): Set<string> {
  const conferred = conferredRoles(attachments, tree)
  return new Set(
    held.flatMap((item) => {
      const { kind, target, role } = keys.partsOfAssignment(item)
      if (kind === 'CHANNEL') return target === channel.id ? [role] : []
      return [...(conferred.get(target) ?? [])]
    }),
  )
}

/** A channel, the tree of groups, and the caller's roles (`own`): together they say whether the caller owns the channel. */
export async function readChannelAccess({ store, actorId }: Context, channelId: string) {
  const [channel, tree, own] = await Promise.all([
    readWholeChannel(store, channelId),
    readTree(store, 'strong'),
    all(store, keys.rolesOfUser(actorId)),
  ])
  return { channel, tree, own }
}

/** Whether one of these roles makes its holder an owner of the channel, who may give it tasks. */
export const isOwner = (held: readonly (Pick<Role, 'predefined_role_type'> | undefined)[]): boolean =>
  held.some((role) => role?.predefined_role_type === 'CHANNEL_OWNER')

/**
 * How a user holds a role on a channel: `own` is the item of a direct assignment; `direct` is how many users hold the
 * role directly.
 */
export type Holding = { id: ChannelTriple; own: Item | undefined; source: Source; user: UserRecord; direct: number }

/** Reads how a user holds a role on a channel; refuses if they do not. */
export async function readHolding({ store, now }: Context, id: ChannelTriple): Promise<Holding> {
  const [found, tree, user, own, memberships] = await Promise.all([
    readWholeChannel(store, id.channel_id),
    readTree(store, 'strong'),
    readUser(store, id.user_id, now),
    channelAssignments.read(store, id),
    all(store, keys.groupRolesOfUser(id.user_id)),
  ])
  const whole = requireChannel(found)
  const holds = own !== undefined || rolesOn(whole, tree, memberships).has(id.role_id)
  if (!user || !holds) throw refuse('CHANNEL_USER_ASSIGNMENT_NOT_FOUND')
  return { id, own, source: own ? 'MANUAL' : 'USER_GROUP', user, direct: whole.direct.get(id.role_id) ?? 0 }
}

/** The direct assignments of a role to users past their deadline: they are counted until they are removed. */
export const overdueHolders = (
  store: Store,
  { channel_id, role_id }: Omit<ChannelTriple, 'user_id'>,
  overdue: Iterable<string>,
): Promise<Item[]> =>
  readEach(
    store,
    [...overdue].map((user) => keys.channelAssignmentKey(user, channel_id, role_id)),
  )
