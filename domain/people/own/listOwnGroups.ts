import { askedCursor, pageOf } from '../../request/askedPage.ts'
import type { Context, Input } from '../../request/context.ts'
import { sortRecords } from '../../request/sorting.ts'
import { groupRolesOfUser, partsOfAssignment } from '../../table/keys.ts'
import { all } from '../../table/reader.ts'
import { groupReference, groups } from '../records/group.ts'
import { roles } from '../records/role.ts'
import { roleReference } from '../records/roleReference.ts'

/** Lists the groups in which the caller holds a role, by their ids. */
export async function listOwnGroups(context: Context, { query }: Input<'listOwnGroups'>) {
  const { store, actorId } = context
  const [{ cursor, limit, pagination }, items] = await Promise.all([
    askedCursor(context, ['listOwnGroups'], query, { sort: [], filters: {} }),
    all(store, groupRolesOfUser(actorId)),
  ])
  const held = Map.groupBy(items.map(partsOfAssignment), ({ target }) => target)
  const sorted = sortRecords(
    [...held],
    [],
    () => undefined,
    ([group]) => group,
  )
  const { page, next } = pageOf(sorted, [], { skip: 0, take: limit, after: cursor.at })
  const shown = await Promise.all(page.map(([group, mine]) => view(context, group, mine)))
  const user_groups = shown.filter((one) => one !== undefined)
  return { status: 200, body: { user_groups, pagination: await pagination(next && { ...cursor, at: next }) } }
}

/** A group with the roles that the caller holds in it; undefined while the group is being deleted. */
async function view(context: Context, groupId: string, held: readonly { role: string }[]) {
  const { store } = context
  const [group, found] = await Promise.all([
    groups.read(store, groupId),
    Promise.all(held.map(({ role }) => roles.read(store, role))),
  ])
  if (!group) return undefined
  const shown = found.filter((role) => role !== undefined)
  return {
    user_group: await groupReference(context, group),
    roles: await Promise.all(shown.map((role) => roleReference(context, role))),
  }
}
