import { askedPage } from '../../request/askedPage.ts'
import type { Context, Input } from '../../request/context.ts'
import { textOfKey } from '../../table/items.ts'
import { userOfRow } from '../../table/keys.ts'
import type { ListReader } from '../../table/peopleLists.ts'
import type { Item } from '../../table/store.ts'
import { countPeople, type Member, type MemberListing, memberReader } from '../finding/members.ts'
import { membersPage, peopleLike } from '../finding/membersPage.ts'
import { readWholeChannel, requireChannel, type WholeChannel } from '../records/channel.ts'
import { type Source, viewChannelAssignment } from '../records/channelAssignment.ts'
import { overdueUsers } from '../records/deadlineItem.ts'
import { type GroupTree, readTree } from '../records/groupTree.ts'
import { roles } from '../records/role.ts'
import { loadUsers } from '../records/userReference.ts'
import { conferredLists, directLists, type HolderList, overdueHolders } from './channelMembers.ts'

type ListInput = Input<'listChannelAssignments'>
type Holder = Member & { source: Source }

/** Lists who holds which role on a channel. Roles through groups are computed from the members of the groups. */
export async function listChannelAssignments(context: Context, { path, query }: ListInput) {
  const asked = await askedPage(context, ['listChannelAssignments', path.channel_id], {
    sort: ['USER_LAST_NAME_ASC'],
    ...query,
  })
  const [found, tree, overdue, people] = await Promise.all([
    readWholeChannel(context.store, path.channel_id),
    readTree(context.store),
    overdueUsers(context),
    peopleLike(context, query.search_term),
  ])
  const whole = requireChannel(found)
  const holders = await readHolders(context, query, { sorts: asked.sorts, whole, tree, overdue })
  const { members, ...size } = await membersPage(context, listingOf(holders), people, asked.window)
  const assignments = await viewPage(context, members, { path, query, whole, holders })
  return { status: 200, body: { assignments, pagination: await asked.pagination(size) } }
}

/** The lists of the users with roles on a channel. `conferred` is empty if only direct roles are asked for. */
type Holders = Pick<MemberListing<Holder>, 'sorts' | 'overdue'> & {
  reader: ListReader
  direct: HolderList[]
  conferred: HolderList[]
  /** Who holds which role directly; set if only conferred roles are asked for. */
  heldDirectly: Set<string> | undefined
}

async function readHolders(
  { store }: Context,
  { role_id, source = ['MANUAL', 'USER_GROUP'] }: ListInput['query'],
  { sorts, whole, tree, overdue }: Pick<Holders, 'sorts' | 'overdue'> & { whole: WholeChannel; tree: GroupTree },
): Promise<Holders> {
  const reader = memberReader(store, sorts)
  const wanted = (role: string): boolean => !role_id || role_id.includes(role)
  const direct = directLists(whole, wanted)
  const [conferred, held] = await Promise.all([
    source.includes('USER_GROUP') ? conferredLists(store, whole, tree, wanted) : [],
    source.includes('MANUAL') ? undefined : Promise.all(direct.map((one) => namesIn(one, reader.whole(one)))),
  ])
  return { sorts, overdue, reader, direct, conferred, heldDirectly: held && new Set(held.flat()) }
}

/** The key of a user and a role: listed once, however many groups confer the role. */
const holderName = (user: string, role: string): string => textOfKey({ pk: user, sk: role })

/** The holders in some rows of a list. */
const namesIn = async ({ roles }: HolderList, rows: Promise<Iterable<Item>>): Promise<string[]> =>
  [...(await rows)].flatMap((row) => roles.map((role) => holderName(userOfRow(row), role)))

function listingOf(holders: Holders): MemberListing<Holder> {
  const { sorts, overdue, reader, direct, conferred, heldDirectly } = holders
  const lists = heldDirectly ? conferred : [...direct, ...conferred]
  const listOf = new Map(lists.map((one) => [one.list, one]))
  const seen = new Set(heldDirectly)
  const holdersIn = (row: Item): Holder[] => {
    const { roles = [], source = 'MANUAL' } = listOf.get(String(row.list)) ?? {}
    return roles.map((roleId) => ({ userId: userOfRow(row), roleId, source, row }))
  }
  const membersOf = (rows: readonly Item[]): Holder[] => {
    const found = new Map<string, Holder>()
    for (const one of rows.flatMap(holdersIn)) {
      const name = holderName(one.userId, one.roleId)
      // A role that is held both ways is shown as held directly.
      if (!seen.has(name) && (one.source === 'MANUAL' || !found.has(name))) found.set(name, one)
    }
    for (const name of found.keys()) seen.add(name)
    return [...found.values()]
  }
  return {
    sorts,
    overdue,
    reader,
    lists,
    overlaps: conferred.length > 0,
    membersOf,
    count: () => countHolders(holders),
  }
}

/** The number of pairs of a user and a role that they hold. */
async function countHolders({ reader, direct, conferred, heldDirectly, overdue }: Holders): Promise<number> {
  const roles = new Set((heldDirectly ? conferred : [...direct, ...conferred]).flatMap((one) => one.roles))
  const counts = [...roles].map(async (role) => {
    const [own, others] = [direct, conferred].map((lists) => lists.filter((one) => one.roles.includes(role)))
    const [all, manual] = await Promise.all([
      countPeople(reader, [...(own ?? []), ...(others ?? [])], overdue),
      heldDirectly ? countPeople(reader, own ?? [], overdue) : 0,
    ])
    return all - manual
  })
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0)
}

type Shown = Pick<ListInput, 'path' | 'query'> & { whole: WholeChannel; holders: Holders }

async function viewPage(context: Context, page: readonly Holder[], { path, query, whole, holders }: Shown) {
  const needsRoles = query.embed?.includes('ROLE') || query.embed?.includes('ACTIONS')
  const roleIds = needsRoles ? [...new Set(page.map(({ roleId }) => roleId))] : []
  const userIds = query.embed?.includes('USER') ? page.map(({ userId }) => userId) : []
  const [members, users, roles] = await Promise.all([
    withSources(holders, page),
    loadUsers(context, userIds),
    Promise.all(roleIds.map((id) => shownRole(context, id, whole, holders.overdue))),
  ])
  const roleOf = new Map(roles)
  const views = members.map(({ userId, roleId, source }) => {
    const id = { ...path, user_id: userId, role_id: roleId }
    const { role, isLast = false } = roleOf.get(roleId) ?? { role: undefined }
    return viewChannelAssignment(context, { id, source, user: users.get(userId), role, isLast }, query.embed)
  })
  return Promise.all(views)
}

/**
 * The same holders, with the right source. During a rename, a user can be at different places in the list of a group
 * and in that of direct holders.
 */
async function withSources({ reader, direct, conferred, heldDirectly }: Holders, page: readonly Holder[]) {
  if (conferred.length === 0 || heldDirectly) return page
  const through = page.filter(({ source }) => source === 'USER_GROUP')
  const held = direct.map((one) => {
    const ids = through.filter(({ roleId }) => one.roles.includes(roleId)).map(({ userId }) => userId)
    return namesIn(
      one,
      reader.among(one, new Set(ids)).then((rows) => rows.values()),
    )
  })
  const manual = new Set((await Promise.all(held)).flat())
  return page.map(
    (one): Holder => (manual.has(holderName(one.userId, one.roleId)) ? { ...one, source: 'MANUAL' } : one),
  )
}

async function shownRole(
  { store }: Context,
  role_id: string,
  { channel, direct }: WholeChannel,
  overdue: ReadonlySet<string>,
) {
  const [role, gone] = await Promise.all([
    roles.read(store, role_id),
    overdueHolders(store, { channel_id: channel.id, role_id }, overdue),
  ])
  return [role_id, { role, isLast: (direct.get(role_id) ?? 0) - gone.length <= 1 }] as const
}
