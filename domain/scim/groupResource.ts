import { refuse } from '../base/errors.ts'
import {
  areFew,
  finishMembers,
  type MemberChanges,
  type MemberRead,
  type MembersEntry,
  memberActions,
  memberEntries,
  readMembers,
  readWaiting,
} from '../people/groups/changeMembers.ts'
import { clearGroup } from '../people/groups/clearGroup.ts'
import { groupWorkOf } from '../people/groups/moveToAllUsers.ts'
import { type Group, groupMembers, groups, requireActiveGroup } from '../people/records/group.ts'
import { checkGroupAction, groupEntry, groupFrom, patchedGroup, treePlaceOf } from '../people/records/groupRules.ts'
import { groupChange, readTree, readTreeVersion, treeChanged, treeRow } from '../people/records/groupTree.ts'
import { roles } from '../people/records/role.ts'
import { mayAssign } from '../people/records/roleRules.ts'
import { readUser } from '../people/records/user.ts'
import { rulesFor } from '../people/rules/ruleSet.ts'
import type { Context, Input, ValidateBody } from '../request/context.ts'
import { changeIfMatch } from '../request/etags.ts'
import { readCatalogue } from '../table/catalogues.ts'
import { createRecord, removeRecord } from '../table/changes.ts'
import { giveUpExternalId, takeExternalId } from '../table/externalIds.ts'
import { groupExternalIdKey, groupTreeKey } from '../table/keys.ts'
import type { Action } from '../table/store.ts'
import { fits, mergeCounts } from '../table/transactions.ts'
import { timeBeforeAnswer } from '../work/steps.ts'
import { doWorkOfCalls } from '../work/workOfCalls.ts'
import { currentMembers, type MemberList, memberList, membersShown } from './groupMembers.ts'
import { membersAfter, membersIn, noMembers, type WantedMembers } from './memberChanges.ts'
import { operationsIn, patched, stepsOf } from './patch.ts'
import type { Projection } from './projection.ts'
import { canonical, checkNotEmpty, type Resource } from './resource.ts'
import { GROUP_URN, groupSchema, isSameName } from './schema.ts'
import { invalidValue, ScimError } from './scimError.ts'
import type { ScimAnswer, ScimRequest } from './scimRequest.ts'
import { displayNameOf, isId, versionOf } from './userResource.ts'

// One group by SCIM: an active user group of type CUSTOM. A request is one transaction. If its members do not fit into it, the
// transaction notes all of them as work.

/** Validate bodies by the contracts of createGroup and updateGroup. */
export type GroupValidators = { creation: ValidateBody; change: ValidateBody }
/** A request about groups, and the attributes that its answer shows. */
export type GroupRequest = ScimRequest & { projection: Projection; validators: GroupValidators }

/** The most members that one request adds or removes. */
const MOST_CHANGES = 10_000

/** Whether SCIM shows a group. */
export const isShown = (group: Group | undefined): group is Group =>
  group?.type === 'CUSTOM' && group.status === 'ACTIVE'

async function readShown({ store }: Pick<Context, 'store'>, id: string): Promise<Group> {
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

/** The members in an answer, if it shows them. */
const membersFor = (context: Context, { projection, baseUrl }: GroupRequest, id: string) =>
  projection.has('members')
    ? membersShown(context, id, { baseUrl, isAskedFor: projection.asksFor('members') })
    : undefined

async function answer(
  context: Context,
  { projection, baseUrl }: GroupRequest,
  group: Group,
  members: MemberList | undefined,
): Promise<ScimAnswer> {
  const { default_language: language } = await context.organisation()
  const body = projection.of(groupResource(group, { language, baseUrl }, members))
  return { status: 200, body, version: versionOf(group) }
}

/** GET of one group. */
export async function readScimGroup(context: Context, request: GroupRequest, id: string): Promise<ScimAnswer> {
  const members = isId(id) ? membersFor(context, request, id) : undefined
  members?.catch(() => {})
  return answer(context, request, await readShown(context, id), await members)
}

// The group itself.

type Sent = { displayName: string | undefined; externalId: string | undefined; members: WantedMembers | undefined }

/** The values that a canonical resource sets. Throws `invalidValue`. */
function sentIn(resource: Resource): Sent {
  const text = (name: string): string | undefined => {
    const value = resource[name]
    if (value === undefined || typeof value === 'string') return value
    throw invalidValue(name, 'must be a text')
  }
  return { displayName: text('displayName'), externalId: text('externalId'), members: membersIn(resource['members']) }
}

/** The title with a new text in the default language. If it has none in that language, its first text is replaced. */
function renamed({ title }: Group, language: string, text: string): Group['title'] {
  const at = Math.max(
    0,
    title.findIndex((one) => one.language === language),
  )
  return title.length === 0 ? [{ language, text }] : title.map((one, n) => (n === at ? { ...one, text } : one))
}

/** The body, if it is valid by the contract of our own operation. Throws `invalidValue`. */
function validatedBody<Body>(validate: ValidateBody, sent: object): Body {
  const { body, fault } = validate(sent)
  if (!fault) return body as Body
  const faults = fault.errors ?? [{ property: fault.property ?? '', message: fault.message }]
  const nameOf = (property: string) => (property.startsWith('title') ? 'displayName' : 'externalId')
  const detail = faults.map(({ property, message }) => `${nameOf(property)} ${message}`).join('; ')
  throw new ScimError('invalidValue', detail, fault.code)
}

/**
 * Refuses a name that another group has, in any letter case. The version of the tree must have been read before: of two requests
 * that take the same name at once, the second finds another version when it writes.
 */
async function requireFreeName({ store, organisation }: Context, name: string, own: string): Promise<void> {
  const [listed, tree, { default_language }] = await Promise.all([
    readCatalogue(store, groups),
    readTree(store, 'strong'),
    organisation(),
  ])
  // The list may be a moment late, the tree is not.
  const ids = new Set(listed.map(({ id }) => id))
  const late = await Promise.all([...tree.active].filter((id) => !ids.has(id)).map((id) => groups.read(store, id)))
  const wanted = name.trim().toLowerCase()
  const isTaken = [...listed, ...late].some(
    (group) => isShown(group) && group.id !== own && displayNameOf(group, default_language).toLowerCase() === wanted,
  )
  if (isTaken) throw new ScimError('uniqueness', 'Another group has this displayName', 'DUPLICATE_ID')
}

// Members.

/** Valid changes of members. If there are few, also the users and memberships that were read to check them. */
type Judged = { changes: MemberChanges; members: MemberRead[] | undefined }

/** The changes that a request asks for, given the present members. Throws `invalidValue` for users who do not exist. */
async function judgeMembers(context: Context, group: string, wanted: WantedMembers, isNew = false): Promise<Judged> {
  const changes = await changesFor(context, group, wanted, isNew)
  const { add, remove } = changes
  if (add.length + remove.length > MOST_CHANGES)
    throw new ScimError('tooMany', `A request can change ${MOST_CHANGES} members at most`)
  const { predefined } = await context.organisation()
  const isFew = areFew(changes)
  const members = isFew ? await readMembers(context, group, predefined.USER_GROUP_MEMBER ?? '', changes) : undefined
  const found = new Set(members ? members.map(({ user }) => user.id) : await existing(context, add))
  const unknown = add.filter((id) => !found.has(id))
  if (unknown.length > 0) throw invalidValue('members', `must be users: there is no ${unknown.slice(0, 10).join(', ')}`)
  return { changes, members }
}

/** The users to add and to remove. A client replaces MANUAL members only; members by a rule or as primary group stay. */
async function changesFor(
  context: Context,
  group: string,
  wanted: WantedMembers,
  isNew: boolean,
): Promise<MemberChanges> {
  const had = wanted.replaces && !isNew ? await currentMembers(context, group) : []
  const manual = new Set(had.filter(({ source }) => source === 'MANUAL').map(({ user }) => user))
  const gone = had.filter(({ user, source }) => source !== 'RULE' && !wanted.add.has(user)).map(({ user }) => user)
  const add = [...wanted.add].filter((id) => !manual.has(id))
  const wrong = add.find((id) => !isId(id))
  if (wrong !== undefined) throw invalidValue('members', `must be users: there is no ${wrong.slice(0, 100)}`)
  return { add, remove: [...new Set([...gone, ...wanted.remove])].filter(isId) }
}

/** The users among these ids who are not pending deletion. */
async function existing({ store, now }: Context, ids: readonly string[]): Promise<string[]> {
  const users = await Promise.all(ids.map((id) => readUser(store, id, now)))
  return users.flatMap((user) => (user && user.status !== 'PENDING_DELETION' ? [user.id] : []))
}

const isChanged = ({ replaces, add, remove }: WantedMembers): boolean => replaces || add.size + remove.size > 0

/** Checks that the caller may give the role of members, and reads the entries of earlier requests. */
async function readEarlier(context: Context, group: string, wanted: WantedMembers): Promise<MembersEntry[]> {
  if (!isChanged(wanted)) return []
  const [waiting] = await Promise.all([readWaiting(context.store, group), requireMayGive(context)])
  return waiting
}

/** Refuses a caller who may not give the role of members. */
async function requireMayGive({ store, actor, organisation }: Context): Promise<void> {
  const { predefined } = await organisation()
  const [role, caller] = await Promise.all([roles.read(store, predefined.USER_GROUP_MEMBER ?? ''), actor()])
  if (!role || !mayAssign(caller, role, 'USER_GROUPS')) throw refuse('ROLE_NOT_ASSIGNABLE')
}

type Written = { group: string; actions: readonly Action[]; judged: Judged; waiting: readonly MembersEntry[] }

/** How long a call does its noted work before it answers. A worker does the rest. */
const LONGEST_WAIT_MS = 20_000

/**
 * Writes a request in one transaction: its own actions, and the changes of members. If these do not fit, or if earlier requests
 * have noted work, the changes of members are noted as work.
 */
async function write(context: Context, written: Written, isNew = false): Promise<void> {
  const { add, remove } = written.judged.changes
  const isWaiting = written.waiting.length > 0 && add.length + remove.length > 0
  const all = isWaiting ? undefined : await inOneTransaction(context, written)
  if (!all) await note(context, written, isNew)
  else if (all.length > 0) await context.store.write(all)
}

/** All actions of a request; undefined if they do not fit into one transaction. */
async function inOneTransaction(context: Context, { group, actions, judged: { members } }: Written) {
  if (!members) return undefined
  const [{ predefined }, rules] = await Promise.all([context.organisation(), rulesFor(context)])
  const { USER_GROUP_MEMBER: role = '' } = predefined
  const own = memberActions(members, { group, role, predefined, rules, shard: context.shard })
  const whole = own && mergeCounts([...actions, ...own])
  return whole && fits(whole) ? whole : undefined
}

/** Notes the changes of members, and does them as far as there is time. */
async function note(
  context: Context,
  { group, actions, judged: { changes }, waiting }: Written,
  isNew: boolean,
): Promise<void> {
  const { store, now, clock } = context
  const { predefined } = await context.organisation()
  const entries = memberEntries(group, changes, { now, id: context.newId(), waiting })
  const needed = isNew ? [] : [requireActiveGroup(group)]
  await store.write([...actions, ...needed, ...entries.map((put) => ({ put }))])
  const timeLeft = timeBeforeAnswer(context, LONGEST_WAIT_MS)
  const rules = () => rulesFor(context)
  await doWorkOfCalls({ store, now, clock, timeLeft, predefined, rules }, entries, finishMembers)
}

// Operations.

/** POST: creates a group below the root. */
export async function createScimGroup(context: Context, request: GroupRequest): Promise<ScimAnswer> {
  const { displayName, externalId, members = noMembers } = sentIn(canonical(request.body(), groupSchema))
  if (displayName === undefined) throw invalidValue('displayName', 'must be given')
  const id = context.newId()
  const [version, { default_language: language, predefined }, judged] = await Promise.all([
    readTreeVersion(context.store),
    context.organisation(),
    judgeMembers(context, id, members, true),
    isChanged(members) ? requireMayGive(context) : undefined,
  ])
  const body = validatedBody<Input<'createGroup'>['body']>(request.validators.creation, {
    title: [{ language, text: displayName }],
    external_id: externalId,
    parent_id: predefined.ROOT,
  })
  const group = groupFrom(body, { id, now: context.now })
  await requireFreeName(context, displayName, id)
  const actions = [
    createRecord(groups, group, { code: 'DUPLICATE_ID' }),
    ...takeExternalId(groupExternalIdKey, group),
    requireActiveGroup(group.parent_id),
    { put: treeRow(group) },
    ...groupMembers(id).openForNew(undefined),
    treeChanged(version),
  ]
  await write(context, { group: id, actions, judged, waiting: [] }, true)
  const shown = request.projection.has('members') ? memberList(judged.changes.add, request.baseUrl) : undefined
  const created = await answer(context, request, group, shown)
  return { ...created, status: 201, location: `${request.baseUrl}/Groups/${id}` }
}

/** PUT. Attributes that are not sent stay as they are, `members` included. */
export async function replaceScimGroup(context: Context, request: GroupRequest, id: string): Promise<ScimAnswer> {
  const body = request.body()
  const { displayName, externalId, members } = sentIn(canonical(body, groupSchema))
  checkNotEmpty(body, 'displayName')
  const isEmptied = members === undefined && Object.keys(body).some((name) => isSameName(name, 'members'))
  const group = await changeScimGroup(context, request, {
    id,
    members: members ?? (isEmptied ? { ...noMembers, replaces: true } : noMembers),
    textsOf: ({ external_id }) => ({ displayName, externalId: externalId ?? external_id ?? undefined }),
  })
  return answer(context, request, group, await membersFor(context, request, id))
}

/** PATCH. Answers 204, or 200 if the request asks for attributes. */
export async function patchScimGroup(context: Context, request: GroupRequest, id: string): Promise<ScimAnswer> {
  const steps = operationsIn(request.body()).flatMap((operation) => stepsOf(operation, groupSchema))
  const ofMembers = steps.filter(({ path }) => path.keys[0] === 'members')
  const ofGroup = steps.filter(({ path }) => path.keys[0] !== 'members')
  const group = await changeScimGroup(context, request, {
    id,
    members: membersAfter(ofMembers),
    textsOf: (before, language) => {
      const view = canonical(groupResource(before, { language, baseUrl: request.baseUrl }), groupSchema)
      return sentIn(patched(view, ofGroup, groupSchema))
    },
  })
  if (request.query['attributes']) return answer(context, request, group, await membersFor(context, request, id))
  return { status: 204, version: versionOf(group) }
}

type Wanted = {
  id: string
  members: WantedMembers
  /** The texts after the request, made from those of the present group. */
  textsOf: (before: Group, language: string) => Pick<Sent, 'displayName' | 'externalId'>
}

async function changeScimGroup(
  context: Context,
  { validators }: GroupRequest,
  { id, members, textsOf }: Wanted,
): Promise<Group> {
  const { store } = context
  // Read with the group, to save a round trip; errors are thrown after those of the group itself.
  const judging = isId(id) && isChanged(members) ? judgeMembers(context, id, members) : noChanges
  const reading = isId(id) ? readEarlier(context, id, members) : []
  for (const one of [judging, reading]) Promise.resolve(one).catch(() => {})
  const [before, version, { default_language: language, predefined }] = await Promise.all([
    readShown(context, id),
    readTreeVersion(store),
    context.organisation(),
  ])
  const texts = textsOf(before, language)
  const newName = isSameText(texts.displayName, displayNameOf(before, language)) ? undefined : texts.displayName
  const body = validatedBody<Input<'updateGroup'>['body']>(
    validators.change,
    changedTexts(before, { ...texts, newName }, language),
  )
  const after = changeIfMatch(context, before, () => {
    checkGroupAction('update', before)
    return patchedGroup(before, body, { now: context.now, root: predefined.ROOT })
  })
  const judged = await judging
  if (newName !== undefined) await requireFreeName(context, newName, id)
  const named = newName === undefined ? [] : [treeChanged(version)]
  const actions = after === before ? [] : [...groupChange(before, after), ...named]
  await write(context, { group: id, actions, judged, waiting: await reading })
  return after
}

/** Whether a text is unchanged. A missing text is. */
const isSameText = (text: string | undefined, stored: string): boolean => text === undefined || text.trim() === stored

/** The body of a patch with the changed fields only. */
const changedTexts = (
  before: Group,
  { newName, externalId = null }: { newName: string | undefined; externalId?: string | null | undefined },
  language: string,
) => ({
  ...(newName === undefined ? {} : { title: renamed(before, language, newName) }),
  ...(externalId === before.external_id ? {} : { external_id: externalId }),
})

const noChanges: Judged = { changes: { add: [], remove: [] }, members: [] }

/** DELETE: archives and deletes in one step. Refused if there are groups below. */
export async function deleteScimGroup(context: Context, id: string): Promise<ScimAnswer> {
  const { store } = context
  const version = await readTreeVersion(store)
  const [before, tree, work] = await Promise.all([
    readShown(context, id),
    readTree(store, 'strong'),
    groupWorkOf(context),
  ])
  const removed = changeIfMatch(context, before, () => {
    checkGroupAction('archive', before, treePlaceOf(tree, before, work.predefined))
    if (tree.childrenOf.get(id)?.length)
      throw refuse('USER_GROUP_NOT_ARCHIVED', undefined, 'Other groups lie below this one: move or delete them first')
    return { ...before, status: 'ARCHIVED' as const }
  })
  const entry = groupEntry(removed.id, 'delete', { now: context.now, token: context.newId() })
  await store.write([
    treeChanged(version),
    removeRecord(groups, before),
    { delete: groupTreeKey(id) },
    ...giveUpExternalId(groupExternalIdKey, before),
    ...groupMembers(id).close(),
    { put: entry },
  ])
  await doWorkOfCalls(work, [entry], clearGroup)
  return { status: 204 }
}
