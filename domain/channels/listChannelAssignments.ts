import type * as contracts from '../../schemas/channelAssignments.ts'
import type { Input } from '../../schemas/contract.ts'
import type { Answer, Context } from '../context.ts'
import { refuse } from '../errors.ts'
import { readTree } from '../groups/tree.ts'
import {
  absentUsers,
  compareMembers,
  type MemberSorting,
  memberIndex,
  memberSortings,
  type Named,
  peopleLike,
  usersById,
} from '../lists/members.ts'
import { paginationOf, window } from '../lists/pages.ts'
import { readRole } from '../roles/role.ts'
import * as keys from '../store/keys.ts'
import { all, type Item } from '../store/store.ts'
import { termWords } from '../text.ts'
import { readChannel } from './channel.ts'
import { type ChannelAssignmentView, viewChannelAssignment } from './channelAssignmentView.ts'
import { conferredRoles } from './conferred.ts'
import { goneHolders } from './goneHolders.ts'
import { directStreams, groupStreams, type Stream } from './members.ts'

type ListInput = Input<typeof contracts.listChannelAssignments>
type List = { assignments: ChannelAssignmentView[]; pagination: ReturnType<typeof paginationOf> }

/**
 * Lists who holds which role on a channel, as of this moment. What groups confer is worked out from their members, each
 * user and role once: overlapping groups cannot be counted without being read, but only their index rows are.
 */
export async function listChannelAssignments(context: Context, { path, query }: ListInput): Promise<Answer<List>> {
  const words = termWords(query.search_term ?? '')
  const sorts = memberSortings(query.sort)
  const [whole, tree, absent, people] = await Promise.all([
    readChannel(context.store, path.channel_id),
    readTree(context.store),
    absentUsers(context),
    words.length > 0 ? peopleLike(context, words) : undefined,
  ])
  if (!whole) throw refuse('CHANNEL_NOT_FOUND', 'channel_id')
  const wanted = (role: string): boolean => !query.role_id || query.role_id.includes(role)
  const direct = directStreams(path.channel_id, whole.direct, wanted)
  const [own, derived] = await Promise.all([
    readStreams(context, direct, sorts),
    groupStreams(context.store, conferredRoles(whole.attachments, tree), wanted).then((streams) =>
      readStreams(context, streams, sorts),
    ),
  ])
  const members = [...new Map([...derived, ...own].map((one) => [`${one.userId} ${one.roleId}`, one])).values()]
    .filter(({ source }) => !query.source || query.source.includes(source as 'MANUAL'))
    .filter(({ userId }) => !absent.all.has(userId) && (!people || people.has(userId)))
    .sort(compareMembers(sorts))
  const { skip, take } = window(query)
  const page = members.slice(skip, skip + take)
  const assignments = await viewPage(context, page, { path, query, direct: whole.direct, overdue: absent.overdue })
  return { status: 200, body: { assignments, pagination: paginationOf(query, members.length) } }
}

/** Reads lists whole, with as many names as the sort needs: an index knows only its own. */
async function readStreams(context: Context, streams: Stream[], sorts: readonly MemberSorting[]): Promise<Named[]> {
  const fields = [...new Set(sorts.map(({ field }) => field))]
  const read = streams.map(async ({ list, roles, source }) => {
    const byField = await Promise.all(fields.map((field) => namesIn(context, list, field)))
    const users = [...(byField[0]?.keys() ?? [])]
    return users.flatMap((userId) => {
      const named = fields.map((field, n) => [field, byField[n]?.get(userId) ?? ''])
      const names = { last_name: '', first_name: '', ...Object.fromEntries(named) } as Named['names']
      return roles.map((roleId): Named => ({ userId, roleId, source, names }))
    })
  })
  return (await Promise.all(read)).flat()
}

async function namesIn(context: Context, list: string, field: MemberSorting['field']): Promise<Map<string, string>> {
  const rows: Item[] = await all(context.store, { index: memberIndex[field], hash: list })
  return new Map(rows.map((row) => [keys.userOfRow(row), keys.leadOf(String(row[memberIndex[field]]))]))
}

type Around = { path: ListInput['path']; query: ListInput['query']; direct: Map<string, number>; overdue: Set<string> }

async function viewPage(context: Context, page: readonly Named[], { path, query, direct, overdue }: Around) {
  const needsUsers = query.embed?.includes('USER')
  const needsRoles = query.embed?.includes('ROLE') || query.embed?.includes('ACTIONS')
  const roleIds = needsRoles ? [...new Set(page.map(({ roleId }) => roleId))] : []
  const [users, roles] = await Promise.all([
    needsUsers
      ? usersById(
          context,
          page.map(({ userId }) => userId),
        )
      : new Map<string, never>(),
    Promise.all(
      roleIds.map(async (id) => {
        const scope = { ...path, role_id: id }
        const [role, gone] = await Promise.all([
          readRole(context.store, id),
          goneHolders(context.store, scope, overdue),
        ])
        return [id, { role, isLastOwner: (direct.get(id) ?? 0) - gone <= 1 }] as const
      }),
    ),
  ])
  const roleOf = new Map(roles)
  return Promise.all(
    page.map(({ userId, roleId, source }) =>
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
