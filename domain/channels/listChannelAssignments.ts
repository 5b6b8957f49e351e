import type * as contracts from '../../schemas/channelAssignments.ts'
import type { Input } from '../../schemas/contract.ts'
import { refuse } from '../base/errors.ts'
import { termWords } from '../base/text.ts'
import { type GroupTree, readTree } from '../groups/groupTree.ts'
import type { Answer, Context } from '../request/context.ts'
import { isBehindAll, type Pagination, paginationOf, window } from '../request/paging.ts'
import { sortings } from '../request/sorting.ts'
import { roles } from '../roles/role.ts'
import { listReader } from '../table/lists.ts'
import {
  type Absent,
  absentUsers,
  type Member,
  type MemberSorting,
  memberIndex,
  peopleLike,
  usersById,
} from '../users/people.ts'
import { readChannel, type WholeChannel } from './channel.ts'
import { type ChannelAssignmentView, viewChannelAssignment } from './channelAssignmentView.ts'
import { conferredRoles } from './conferred.ts'
import { goneHolders } from './goneHolders.ts'
import { countHolders, foundHolders, holdersPage, type Scope, withSources } from './holders.ts'
import { directStreams, groupStreams } from './streams.ts'

type ListInput = Input<typeof contracts.listChannelAssignments>
type List = { assignments: ChannelAssignmentView[]; pagination: Pagination }

/** Lists who holds which role on a channel, as of this moment; what groups confer is worked out from their members. */
export async function listChannelAssignments(context: Context, { path, query }: ListInput): Promise<Answer<List>> {
  const words = termWords(query.search_term ?? '')
  const [whole, tree, absent, people] = await Promise.all([
    readChannel(context.store, path.channel_id),
    readTree(context.store),
    absentUsers(context),
    words.length > 0 ? peopleLike(context, words) : undefined,
  ])
  if (!whole) throw refuse('CHANNEL_NOT_FOUND', 'channel_id')
  const scope = await scopeOf(context, query, { whole, tree, absent })
  const { members, total } = people
    ? await foundHolders(scope, people, window(query))
    : await orderedHolders(context, scope, window(query))
  const assignments = await viewPage(context, members, { path, query, whole, scope })
  return { status: 200, body: { assignments, pagination: paginationOf(query, total) } }
}

type Known = { whole: WholeChannel; tree: GroupTree; absent: Absent }

async function scopeOf(
  { store }: Context,
  { role_id, source = ['MANUAL', 'USER_GROUP'], sort }: ListInput['query'],
  { whole, tree, absent }: Known,
): Promise<Scope> {
  const sorts = sortings(sort ?? ['USER_LAST_NAME_ASC'])
  const reader = listReader(store, memberIndex[(sorts[0] as MemberSorting).field])
  const wanted = (role: string): boolean => !role_id || role_id.includes(role)
  const sources = new Set(source)
  const direct = directStreams(whole.channel.id, whole.direct, wanted)
  const [derived] = await Promise.all([
    sources.has('USER_GROUP') ? groupStreams(store, conferredRoles(whole.attachments, tree), wanted) : [],
    // Whoever asks for what groups alone confer needs to know what is held directly.
    ...(sources.has('MANUAL') ? [] : direct.map(reader.whole)),
  ])
  return { reader, direct, derived, sources, absent, sorts }
}

/** Lists that the count reads whole are begun by it, so the page finds them there. */
async function orderedHolders(context: Context, scope: Scope, page: ReturnType<typeof window>) {
  const counted = countHolders(scope)
  if (await isBehindAll(page, counted)) return { total: await counted, members: [] }
  const [total, members] = await Promise.all([counted, holdersPage(context, scope, page)])
  return { total, members }
}

type Around = Pick<ListInput, 'path' | 'query'> & { whole: WholeChannel; scope: Scope }

async function viewPage(context: Context, page: readonly Member[], { path, query, whole, scope }: Around) {
  const needsRoles = query.embed?.includes('ROLE') || query.embed?.includes('ACTIONS')
  const roleIds = needsRoles ? [...new Set(page.map(({ roleId }) => roleId))] : []
  const userIds = query.embed?.includes('USER') ? page.map(({ userId }) => userId) : []
  const [members, users, roles] = await Promise.all([
    withSources(scope, page),
    usersById(context, userIds),
    Promise.all(roleIds.map(async (id) => [id, await shownRole(context, id, whole, scope.absent.overdue)] as const)),
  ])
  const roleOf = new Map(roles)
  return Promise.all(
    members.map(({ userId, roleId, source }) =>
      viewChannelAssignment(
        context,
        {
          id: { ...path, user_id: userId, role_id: roleId },
          source: source as ChannelAssignmentView['source'],
          user: users.get(userId),
          ...(roleOf.get(roleId) ?? { role: undefined }),
        },
        query.embed,
      ),
    ),
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
    goneHolders(store, { channel_id: channel.id, role_id }, overdue),
  ])
  return { role, isLastOwner: (direct.get(role_id) ?? 0) - gone.length <= 1 }
}
