import { refuse, StaleRead } from '../base/errors.ts'
import {
  type Group,
  groupChange,
  groupExternalIds,
  groupMembers,
  groups,
  readTree,
  readTreeVersion,
  requireActiveGroup,
  treeChanged,
  treeRow,
} from '../groups/group.ts'
import { checkGroupAction, groupEntry, groupFrom, patchedGroup, placeIn } from '../groups/groupRules.ts'
import {
  areFew,
  finishMembers,
  type MemberChanges,
  type MembersEntry,
  memberActions,
  memberEntries,
  readMembers,
  readWaiting,
} from '../jobs/changeMembers.ts'
import { clearGroup } from '../jobs/clearGroup.ts'
import { groupWorkOf } from '../jobs/evictMembers.ts'
import type { Context, Input, Judge } from '../request/context.ts'
import { decideOn } from '../request/preconditions.ts'
import { mayAssign, roles } from '../roles/role.ts'
import { rulesFor } from '../rules/ruleSet.ts'
import { countWithEvents } from '../table/events.ts'
import { groupTreeKey } from '../table/keys.ts'
import type { Action } from '../table/store.ts'
import { MOST_ACTIONS, mergeCounts } from '../table/transactions.ts'
import { doCallsWork } from '../table/work.ts'
import { readUser } from '../users/user.ts'
import { currentMembers, type MemberList, membersShown } from './groupMembers.ts'
import { membersAfter, membersIn, noMembers, type WantedMembers } from './memberChanges.ts'
import { operationsIn, patched, stepsOf } from './patch.ts'
import type { Projection } from './projection.ts'
import { canonical, type Resource } from './resource.ts'
import { GROUP_URN, groupSchema } from './schema.ts'
import { invalidValue, ScimError } from './scimError.ts'
import type { ScimAnswer, ScimRequest } from './scimRequest.ts'
import { displayNameOf, isId, versionOf } from './userResource.ts'

// One group by SCIM: an active user group of type CUSTOM. A request is one transaction; where its members do not fit into
// one, it is noted as work in one transaction, which decides for all of them.

export type GroupJudges = { creation: Judge; change: Judge }
export type GroupRequest = ScimRequest & { projection: Projection; judges: GroupJudges }

/** The most members that one request adds or removes. */
const MOST_CHANGES = 10_000

/** Whether SCIM shows a group. */
export const isShown = (group: Group | undefined): group is Group =>
  group?.type === 'CUSTOM' && group.status === 'ACTIVE'

export async function readShown({ store }: Pick<Context, 'store'>, id: string): Promise<Group> {
  const group = isId(id) ? await groups.read(store, id) : undefined
  if (!isShown(group)) throw refuse('USER_GROUP_NOT_FOUND')
  return group
}

/** A group as a SCIM resource. */
export const groupResource = (
  group: Group,
  { language, baseUrl }: { language: string; baseUrl: string },
  members?: MemberList,
) => ({
  schemas: [GROUP_URN],
  id: group.id,
  ...(group.external_id === null ? {} : { externalId: group.external_id }),
  displayName: displayNameOf(group, language),
  ...(members ? { members } : {}),
  meta: {
    resourceType: 'Group',
    created: group.created_at,
    lastModified: group.updated_at,
    location: `${baseUrl}/Groups/${group.id}`,
    version: versionOf(group),
  },
})

async function answer(context: Context, { projection, baseUrl }: GroupRequest, group: Group): Promise<ScimAnswer> {
  const [{ default_language: language }, members] = await Promise.all([
    context.organisation(),
    projection.has('members')
      ? membersShown(context, group.id, { baseUrl, isAskedFor: projection.asksFor('members') })
      : undefined,
  ])
  const body = projection.of(groupResource(group, { language, baseUrl }, members))
  return { status: 200, body, version: versionOf(group) }
}

/** GET of one group. */
export const readScimGroup = async (context: Context, request: GroupRequest, id: string): Promise<ScimAnswer> =>
  answer(context, request, await readShown(context, id))

// What requests say of the group itself.

type Sent = { displayName: string | undefined; externalId: string | undefined; members: WantedMembers | undefined }

/** Reads what a canonical resource says. Throws `invalidValue`. */
function sentIn(resource: Resource): Sent {
  const text = (name: string): string | undefined => {
    const value = resource[name]
    if (value === undefined || typeof value === 'string') return value
    throw invalidValue(name, 'must be a text')
  }
  return { displayName: text('displayName'), externalId: text('externalId'), members: membersIn(resource['members']) }
}

/** The title with another text of the default language, or in place of the first where it has none. */
function renamed({ title }: Group, language: string, text: string): Group['title'] {
  const at = Math.max(
    0,
    title.findIndex((one) => one.language === language),
  )
  return title.length === 0 ? [{ language, text }] : title.map((one, n) => (n === at ? { ...one, text } : one))
}

/** The body, if it keeps the rules of our own operation. */
function judged<Body>(judge: Judge, sent: object): Body {
  const { body, fault } = judge(sent)
  if (!fault) return body as Body
  const faults = fault.errors ?? [{ property: fault.property ?? '', message: fault.message }]
  const nameOf = (property: string) => (property.startsWith('title') ? 'displayName' : 'externalId')
  const detail = faults.map(({ property, message }) => `${nameOf(property)} ${message}`).join('; ')
  throw new ScimError('invalidValue', detail, fault.code)
}

/**
 * Refuses a name that another group has, in any letter case. The version of the tree was read before: two requests that
 * take the same name at the same time both need it to be the last one.
 */
async function requireFreeName({ store, organisation }: Context, name: string, own: string): Promise<void> {
  const [listed, tree, { default_language }] = await Promise.all([
    groups.readAll(store),
    readTree(store, 'now'),
    organisation(),
  ])
  // The list may be a moment late, the tree is not.
  const known = new Set(listed.map(({ id }) => id))
  const late = await Promise.all([...tree.active].filter((id) => !known.has(id)).map((id) => groups.read(store, id)))
  const wanted = name.trim().toLowerCase()
  const isTaken = [...listed, ...late].some(
    (group) => isShown(group) && group.id !== own && displayNameOf(group, default_language).toLowerCase() === wanted,
  )
  if (isTaken) throw new ScimError('uniqueness', 'Another group has this displayName', 'DUPLICATE_ID')
}

// Members.

/** The changes that a request asks for, in a group as it is. Throws `invalidValue` for users who do not exist. */
async function judgeMembers(
  context: Context,
  group: string,
  wanted: WantedMembers,
  isNew = false,
): Promise<MemberChanges> {
  const { store, now } = context
  const had = wanted.replaces && !isNew ? await currentMembers(context, group) : []
  const manual = new Set(had.filter(({ source }) => source === 'MANUAL').map(({ user }) => user))
  const add = [...wanted.add].filter((id) => !manual.has(id))
  const gone = had.filter(({ user, source }) => source !== 'RULE' && !wanted.add.has(user)).map(({ user }) => user)
  const remove = [...new Set([...gone, ...wanted.remove])].filter((id) => isId(id))
  if (add.length + remove.length > MOST_CHANGES)
    throw new ScimError('tooMany', `A request can change ${MOST_CHANGES} members at most`)
  const users = await Promise.all(add.map((id) => (isId(id) ? readUser(store, id, now) : undefined)))
  const unknown = add.filter((_, n) => !users[n] || users[n].status === 'PENDING_DELETION')
  if (unknown.length > 0) throw invalidValue('members', `must be users: there is no ${unknown.slice(0, 10).join(', ')}`)
  return { add, remove }
}

/** The role of members, which the caller must be allowed to give. */
async function memberRole({ store, actor, organisation }: Context): Promise<string> {
  const { predefined } = await organisation()
  const [role, caller] = await Promise.all([roles.read(store, predefined.USER_GROUP_MEMBER ?? ''), actor()])
  if (!role || !mayAssign(caller, role, 'USER_GROUPS')) throw refuse('ROLE_NOT_ASSIGNABLE')
  return role.id
}

type Written = { group: string; actions: readonly Action[]; changes: MemberChanges }

/** A call waits so long for its noted work; then the rest goes on without it. */
const LONGEST_WAIT_MS = 20_000
/** Work stops so long before its time is over: see `isShortOfTime`. */
const RESERVE_MS = 8000

/**
 * Writes a request: its own actions and the changes of members in one transaction or, where these do not fit, as noted
 * work. Changes that earlier requests have noted come first.
 */
async function write(context: Context, written: Written, isNew = false): Promise<void> {
  const { store } = context
  const { group, actions, changes } = written
  if (changes.add.length + changes.remove.length === 0) {
    if (actions.length > 0) await store.write(actions)
    return
  }
  const [role, waiting] = await Promise.all([memberRole(context), isNew ? [] : readWaiting(store, group)])
  const all = areFew(changes) && waiting.length === 0 ? await together(context, written, role) : undefined
  if (!all) await note(context, written, { isNew, waiting })
  else if (all.length > 0) await store.write(all)
}

/** All actions of a request; undefined if they do not fit into one transaction. */
async function together(context: Context, { group, actions, changes }: Written, role: string) {
  const { predefined } = await context.organisation()
  const [members, rules] = await Promise.all([readMembers(context, group, role, changes), rulesFor(context)])
  // A user may have been deleted since they were judged.
  if (members.filter(({ isAdded }) => isAdded).length < changes.add.length) throw new StaleRead()
  const room = MOST_ACTIONS - countWithEvents(actions)
  const own = memberActions(members, { group, role, predefined, rules, shard: context.shard, room })
  return own && mergeCounts([...actions, ...own])
}

/** Notes the changes of members, and does them as far as there is time. */
async function note(
  context: Context,
  { group, actions, changes }: Written,
  { isNew, waiting }: { isNew: boolean; waiting: readonly MembersEntry[] },
): Promise<void> {
  const { store, now, clock } = context
  const { predefined } = await context.organisation()
  const entries = memberEntries(group, changes, { now, id: context.newId(), waiting })
  const needed = isNew ? [] : [requireActiveGroup(group)]
  await store.write([...actions, ...needed, ...entries.map((put) => ({ put }))])
  const until = clock().getTime() + LONGEST_WAIT_MS
  const timeLeft = () => Math.min(context.timeLeft(), until - clock().getTime() + RESERVE_MS)
  const rules = () => rulesFor(context)
  await doCallsWork({ store, now, clock, timeLeft, predefined, rules }, entries, finishMembers)
}

// Operations.

/** POST. */
export async function createScimGroup(context: Context, request: GroupRequest): Promise<ScimAnswer> {
  const { displayName, externalId, members = noMembers } = sentIn(canonical(request.body(), groupSchema))
  if (displayName === undefined) throw invalidValue('displayName', 'must be given')
  const version = await readTreeVersion(context.store)
  const { default_language: language, predefined } = await context.organisation()
  const body = judged<Input<'createGroup'>['body']>(request.judges.creation, {
    title: [{ language, text: displayName }],
    external_id: externalId,
    parent_id: predefined.ROOT,
  })
  const group = groupFrom(body, { id: context.newId(), now: context.now })
  const counter = groupMembers(group.id)
  const [changes] = await Promise.all([
    judgeMembers(context, group.id, members, true),
    requireFreeName(context, displayName, group.id),
  ])
  const actions = [
    groups.create(group, { code: 'DUPLICATE_ID' }),
    ...groupExternalIds.take(group),
    requireActiveGroup(group.parent_id),
    { put: treeRow(group) },
    ...counter.openForNew(undefined),
    treeChanged(version),
  ]
  await write(context, { group: group.id, actions, changes }, true)
  const shown = await answer(context, request, group)
  return { ...shown, status: 201, location: `${request.baseUrl}/Groups/${group.id}` }
}

/** PUT: without `members` these stay. */
export async function replaceScimGroup(context: Context, request: GroupRequest, id: string): Promise<ScimAnswer> {
  const body = request.body()
  const resource = canonical(body, groupSchema)
  const { displayName, externalId, members } = sentIn(resource)
  const isEmptied = members === undefined && Object.keys(body).some((name) => name.toLowerCase() === 'members')
  const group = await changeScimGroup(context, request, id, {
    displayName,
    externalId: externalId ?? null,
    members: members ?? (isEmptied ? { ...noMembers, replaces: true } : noMembers),
  })
  return answer(context, request, group)
}

/** PATCH: 204, or 200 where the request asks for attributes. */
export async function patchScimGroup(context: Context, request: GroupRequest, id: string): Promise<ScimAnswer> {
  const steps = operationsIn(request.body()).flatMap((operation) => stepsOf(operation, groupSchema))
  const [ofMembers, ofGroup] = [
    steps.filter(({ path }) => path.keys[0] === 'members'),
    steps.filter(({ path }) => path.keys[0] !== 'members'),
  ]
  const before = await readShown(context, id)
  const { default_language: language } = await context.organisation()
  const view = canonical(groupResource(before, { language, baseUrl: request.baseUrl }), groupSchema)
  const { displayName, externalId } = sentIn(patched(view, ofGroup))
  if (displayName === undefined) throw new ScimError('mutability', 'displayName cannot be removed')
  const wanted = { displayName, externalId: externalId ?? null, members: membersAfter(ofMembers) }
  const group = await changeScimGroup(context, request, id, wanted, before)
  if (request.query['attributes']) return answer(context, request, group)
  return { status: 204, version: versionOf(group) }
}

type Wanted = { displayName: string | undefined; externalId: string | null; members: WantedMembers }

async function changeScimGroup(
  context: Context,
  request: GroupRequest,
  id: string,
  { displayName, externalId, members }: Wanted,
  read?: Group,
): Promise<Group> {
  const { store } = context
  const version = displayName === undefined ? 0 : await readTreeVersion(store)
  const before = read ?? (await readShown(context, id))
  const { default_language: language, predefined } = await context.organisation()
  const isRenamed = displayName !== undefined && displayName.trim() !== displayNameOf(before, language)
  const body = judged<Input<'updateGroup'>['body']>(request.judges.change, {
    ...(isRenamed ? { title: renamed(before, language, displayName) } : {}),
    ...(externalId === before.external_id ? {} : { external_id: externalId }),
  })
  const after = decideOn(context, before, () => {
    checkGroupAction('update', before)
    return patchedGroup(before, body, { now: context.now, root: predefined.ROOT })
  })
  const [changes] = await Promise.all([
    judgeMembers(context, id, members),
    isRenamed ? requireFreeName(context, displayName, id) : undefined,
  ])
  const actions = after === before ? [] : [...groupChange(before, after), ...(isRenamed ? [treeChanged(version)] : [])]
  await write(context, { group: id, actions, changes })
  return after
}

/** DELETE: archives and deletes in one step. Groups below are not taken along. */
export async function deleteScimGroup(context: Context, id: string): Promise<ScimAnswer> {
  const { store } = context
  const version = await readTreeVersion(store)
  const [before, tree, work] = await Promise.all([readShown(context, id), readTree(store, 'now'), groupWorkOf(context)])
  const removed = decideOn(context, before, () => {
    checkGroupAction('archive', before, placeIn(tree, before, work.predefined))
    if (tree.childrenOf.get(id)?.length)
      throw refuse('USER_GROUP_NOT_ARCHIVED', undefined, 'Other groups lie below this one: move or delete them first')
    return { ...before, status: 'ARCHIVED' as const }
  })
  const entry = groupEntry(removed.id, 'delete', { now: context.now, token: context.newId() })
  await store.write([
    treeChanged(version),
    groups.remove(before),
    { delete: groupTreeKey(id) },
    ...groupExternalIds.giveUp(before),
    ...groupMembers(id).close(),
    { put: entry },
  ])
  await doCallsWork(work, [entry], clearGroup)
  return { status: 204 }
}
