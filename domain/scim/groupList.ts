import { isReference } from '../base/values.ts'
import { type Group, groups } from '../people/records/group.ts'
import { readUser } from '../people/records/user.ts'
import { pageOf } from '../request/askedPage.ts'
import type { Context } from '../request/context.ts'
import { type Position, sortRecords } from '../request/sorting.ts'
import { readCatalogue } from '../table/catalogues.ts'
import * as keys from '../table/keys.ts'
import { all } from '../table/reader.ts'
import { type Filter, matches } from './filter.ts'
import { countMembers, MOST_MEMBERS, membersShown } from './groupMembers.ts'
import { groupResource, isShown } from './groupResource.ts'
import { askedList, type ListRequest, listRequestOf, listResponse, parametersOf } from './listRequest.ts'
import { projectionOf } from './projection.ts'
import { groupSchema } from './schema.ts'
import { invalidValue, ScimError } from './scimError.ts'
import type { ScimAnswer, ScimRequest } from './scimRequest.ts'
import { isId } from './userResource.ts'

// Lists of groups. One query reads all groups, as there are few. Members are not loaded for a filter: it names a user, whose
// groups are read instead.

/** The attributes by which groups can be sorted. */
const sortValues: ReadonlyMap<string, (group: Group) => string> = new Map([
  ['meta.created', ({ created_at }) => created_at],
  ['meta.lastmodified', ({ updated_at }) => updated_at],
])

/** GET of the groups, and `.search`. */
export async function listScimGroups(context: Context, request: ScimRequest): Promise<ScimAnswer> {
  const asked = listRequestOf(parametersOf(request), groupSchema)
  const projection = projectionOf(asked, groupSchema)
  const { window, nextCursor } = await askedList(context, asked)
  const { default_language: language } = await context.organisation()
  const found = await foundGroups(context, asked.filter, { language, baseUrl: request.baseUrl })
  const sorts = [{ field: 'value', descending: asked.descending }]
  const inOrder = sortRecords(
    found,
    sorts,
    (group) => sortValue(asked, group),
    ({ id }) => id,
  )
  const { page, next } = pageOf(inOrder, sorts, window)
  const { shown, isCut } = await withMembers(context, page, {
    isShown: projection.has('members'),
    isAskedFor: projection.asksFor('members'),
    baseUrl: request.baseUrl,
  })
  const last = shown.at(-1)?.group
  const end: Position | undefined = isCut && last ? { values: [sortValue(asked, last)], id: last.id } : next
  const body = listResponse(asked, {
    resources: shown.map(({ group, members }) =>
      projection.of(groupResource(group, { language, baseUrl: request.baseUrl }, members)),
    ),
    total: found.length,
    nextCursor: await nextCursor({ next: end }),
  })
  return { status: 200, body }
}

function sortValue({ sortBy }: ListRequest, group: Group): string {
  const name = sortBy?.replace(/^urn:.*:Group:/i, '').toLowerCase() || 'meta.created'
  const value = sortValues.get(name)
  if (!value) throw invalidValue('sortBy', `must be one of ${[...sortValues.keys()].join(', ')}`)
  return value(group)
}

type Members = { isShown: boolean; isAskedFor: boolean; baseUrl: string }
type ShownGroup = { group: Group; members?: Awaited<ReturnType<typeof membersShown>> }

/** The groups of a page with their members. The page is cut before the group with which it would have too many members. */
async function withMembers(
  context: Context,
  page: readonly Group[],
  { isShown: areShown, ...how }: Members,
): Promise<{ shown: ShownGroup[]; isCut: boolean }> {
  if (!areShown) return { shown: page.map((group) => ({ group })), isCut: false }
  const counts = await Promise.all(page.map(({ id }) => countMembers(context, id)))
  let sum = 0
  // A group that has too many members alone is shown without members.
  const end = counts.findIndex((count) => {
    sum += count > MOST_MEMBERS ? 0 : count
    return sum > MOST_MEMBERS
  })
  const some = end < 0 ? page : page.slice(0, end)
  const shown = await Promise.all(
    some.map(async (group) => ({ group, members: await membersShown(context, group.id, how) })),
  )
  return { shown, isCut: end >= 0 }
}

/** The groups that match a filter. A group that it names by id or externalId is read without the delay of an index. */
async function foundGroups(
  context: Context,
  filter: Filter | undefined,
  how: { language: string; baseUrl: string },
): Promise<Group[]> {
  const named = filter && (await readNamed(context, filter))
  const some = (named ?? (await readCatalogue(context.store, groups))).filter(isShown)
  if (!filter) return some
  const isMember = await membership(context, filter)
  return some.filter((group) => {
    const members = [...isMember].filter(([, ids]) => ids.has(group.id)).map(([value]) => ({ value, type: 'User' }))
    return matches(filter, { ...groupResource(group, how), members })
  })
}

/** The group that a filter names by id or externalId; undefined if it names none. */
async function readNamed({ store }: Context, filter: Filter): Promise<(Group | undefined)[] | undefined> {
  const names = (filter.op === 'and' ? filter.filters : [filter]).flatMap(nameIn)
  const [name] = names
  if (!name) return undefined
  if (name.by === 'id') return [await groups.read(store, name.value)]
  const owner = (await store.get(keys.groupExternalIdKey(name.value)))?.['owner']
  return [typeof owner === 'string' ? await groups.read(store, owner) : undefined]
}

function nameIn(clause: Filter): { by: string; value: string }[] {
  if (clause.op !== 'eq' || typeof clause.value !== 'string' || !isReference(clause.value)) return []
  const [by = ''] = clause.keys
  return by === 'id' || by === 'externalId' ? [{ by, value: clause.value }] : []
}

/** The groups of each user that a filter names as a member. */
async function membership(context: Context, filter: Filter): Promise<Map<string, Set<string>>> {
  const { predefined } = await context.organisation()
  const ids = [...new Set(membersNamedIn(filter))]
  const entries = ids.map(async (id) => {
    const user = isId(id) ? await readUser(context.store, id, context.now) : undefined
    const isGone = !user || user.status === 'PENDING_DELETION'
    const roles = isGone ? [] : await all(context.store, keys.groupRolesOfUser(id))
    const parts = roles.map(keys.partsOfAssignment).filter(({ role }) => role === predefined.USER_GROUP_MEMBER)
    return [id, new Set(parts.map(({ target }) => target))] as const
  })
  return new Map(await Promise.all(entries))
}

/** The users that a filter names as members. Throws `tooMany` if it filters members in another way. */
function membersNamedIn(filter: Filter, isInMembers = false): string[] {
  if ('filters' in filter) return filter.filters.flatMap((one) => membersNamedIn(one, isInMembers))
  if (filter.op === 'not') return membersNamedIn(filter.filter, isInMembers)
  const isOfMembers = isInMembers || filter.keys[0] === 'members'
  if (!isOfMembers) return []
  if (filter.op === 'any') return membersNamedIn(filter.filter, true)
  const isCompared = (filter.op === 'eq' || filter.op === 'ne') && filter.keys.at(-1) === 'value'
  if (isCompared && typeof filter.value === 'string') return [filter.value]
  throw new ScimError('tooMany', 'Members can only be filtered by members.value eq "…"')
}
