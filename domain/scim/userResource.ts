import { type AppError, errorOf, refuse, StaleRead } from '../base/errors.ts'
import { isReference } from '../base/values.ts'
import { definitions } from '../people/records/attributeDefinition.ts'
import { attributeFaults, type Editions } from '../people/records/attributes.ts'
import { readSlots } from '../people/records/definitionSlots.ts'
import { type Group, groups } from '../people/records/group.ts'
import { groupAssignments } from '../people/records/groupAssignment.ts'
import { userFrom } from '../people/records/newUser.ts'
import { patchedUser } from '../people/records/patchedUser.ts'
import { moveOf } from '../people/records/primaryGroupMove.ts'
import { withRename } from '../people/records/renames.ts'
import { checkNewRole } from '../people/records/roleRules.ts'
import { readUser, type UserRecord, users } from '../people/records/user.ts'
import { ownerOfName } from '../people/records/userByName.ts'
import { userFields } from '../people/records/userFields.ts'
import { actedOn, checkAction, checkAdministrator, checkNotOneself } from '../people/records/userRules.ts'
import { oldMembershipOf, rulesForChange } from '../people/rules/rulesForChange.ts'
import { rulesForNewUser, writeUserChange } from '../people/rules/rulesInUserChange.ts'
import { change, deletionChange } from '../people/users/change.ts'
import { creation } from '../people/users/creation.ts'
import { finishRename } from '../people/users/finishRename.ts'
import { readReferences } from '../people/users/references.ts'
import { writeContext } from '../people/users/writeContext.ts'
import type { Context, Input, Organisation, ValidateBody } from '../request/context.ts'
import { writeAndShow } from '../request/effect.ts'
import { changeIfMatch, recordTag } from '../request/etags.ts'
import { keyOf } from '../table/actions.ts'
import { isAt, textOfKey } from '../table/items.ts'
import * as keys from '../table/keys.ts'
import { all } from '../table/reader.ts'
import type { Action, Item, Key } from '../table/store.ts'
import { doWorkOfCalls } from '../work/workOfCalls.ts'

import {
  attributesAt,
  changeOf,
  creationOf,
  differences,
  isCustom,
  type Known,
  mappedAttributes,
  replaced,
  resourceOf,
  type UserChange,
  type UserValues,
  userValuesOf,
} from './mapping.ts'
import { operationsIn, patched, stepsOf } from './patch.ts'
import type { Projection } from './projection.ts'
import { canonical, checkNotEmpty, type Resource } from './resource.ts'
import { type ResourceSchema, ROLLCALL_URN, userSchema } from './schema.ts'
import { ScimError } from './scimError.ts'
import type { ScimAnswer, ScimRequest } from './scimRequest.ts'

// One user by SCIM. Each request reads, decides and writes one transaction with one event, made of the same parts as those of
// our own operations.

/** Validate bodies by the contracts of createUser and updateUser. */
export type UserValidators = { creation: ValidateBody; change: ValidateBody }

/** A request about users, and the attributes that its answer shows. */
export type UserRequest = ScimRequest & { schema: ResourceSchema; projection: Projection; validators: UserValidators }

/** Whether a text has the form of an id of a user or group. */
export const isId = (text: string): boolean => /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(text)

/** Throws USER_NOT_FOUND for a user who is missing, or pending deletion: SCIM does not show them. */
const visible = (user: UserRecord | undefined): UserRecord => {
  if (!user || user.status === 'PENDING_DELETION') throw refuse('USER_NOT_FOUND')
  return user
}

const readVisible = async ({ store, now }: Context, id: string): Promise<UserRecord> =>
  visible(isId(id) ? await readUser(store, id, now) : undefined)

// Attribute definitions.

/** The schema of users for a request. Attribute definitions are only read if the text of the request names our extension. */
export async function readUserSchema({ store }: Context, request: string): Promise<ResourceSchema> {
  if (!request.toLowerCase().includes(ROLLCALL_URN.toLowerCase())) return userSchema()
  return userSchema((await readSlots(store)).names.filter(isCustom))
}

type Definitions = ReadonlyMap<string, Awaited<ReturnType<typeof definitions.read>>>

/** Reads definitions by name; undefined for those that do not exist. */
async function readDefinitions({ store }: Context, names: Iterable<string>): Promise<Definitions> {
  const reading = [...new Set(names)].map(async (name) => [name, await definitions.read(store, name)] as const)
  return new Map(await Promise.all(reading))
}

const knownOf = ({ languages }: Organisation, found: Definitions): Known => ({
  languages,
  isDefined: (name) => found.get(name) !== undefined,
})

const editionsOf = (found: Definitions): Editions => new Map([...found].map(([name, one]) => [name, one?.edition]))

// Faults in SCIM's names.

const scimNames = (): Readonly<Record<string, string>> => ({
  username: 'userName',
  external_id: 'externalId',
  first_name: 'name.givenName',
  last_name: 'name.familyName',
  email: 'emails.value',
  role: 'roles.value',
  tags: `${ROLLCALL_URN}:tags`,
  preferred_language: 'preferredLanguage',
  primary_user_group_id: `${ROLLCALL_URN}:primaryUserGroup`,
})

/** A fault of a body with the names of SCIM: `attributes.2.value` becomes the path of the third attribute. */
function inScimNames(fault: AppError | undefined, attributes: readonly { name: string }[] = []): AppError | undefined {
  if (!fault) return undefined
  const nameOfProperty = (property: string): string => {
    const [field = '', place] = property.split('.')
    const attribute = field === 'attributes' ? attributes[Number(place)]?.name : undefined
    if (attribute === undefined) return scimNames()[field] ?? property
    return mappedAttributes.get(attribute)?.keys.join(':') ?? `${ROLLCALL_URN}:${attribute}`
  }
  const faults = fault.errors ?? [{ property: fault.property ?? '', message: fault.message }]
  const detail = faults.map(({ property, message }) => `${nameOfProperty(property)} ${message}`).join('; ')
  return new ScimError('invalidValue', detail, fault.code)
}

/** The body, if it is valid by the contract of our own operation. Throws `invalidValue`. */
function validated<Body>(validate: ValidateBody, sent: object, found: Definitions): Body {
  const { attributes } = sent as { attributes?: readonly { name: string; value: string }[] }
  const { body, fault } = validate(sent)
  const ofTypes = errorOf(
    // Definitions of unchanged attributes are not read: their values were valid when they were written.
    attributeFaults(
      (attributes ?? []).map((one) => (found.get(one.name) ? one : undefined)),
      (name) => found.get(name),
    ),
  )
  const wrong = inScimNames(fault ?? ofTypes, attributes)
  if (wrong) throw wrong
  return body as Body
}

// Answers.

type ReadGroups = (held: readonly Item[]) => Promise<object[] | undefined>

/** Reads the groups that an answer shows: active ones of type CUSTOM of which the user is a member. */
const groupsFor =
  (context: Context, { projection, baseUrl }: UserRequest, memberRole: string): ReadGroups =>
  async (held) => {
    if (!projection.has('groups')) return undefined
    const ids = held
      .filter((item) => keys.kindOfAssignment(item) === 'GROUP' && keys.partsOfAssignment(item).role === memberRole)
      .map((item) => keys.partsOfAssignment(item).target)
    const [found, { default_language }] = await Promise.all([
      Promise.all(ids.map((id) => groups.readEventual(context.store, id))),
      context.organisation(),
    ])
    return found
      .filter((group) => group?.type === 'CUSTOM' && group.status === 'ACTIVE')
      .map((group) => ({
        value: (group as Group).id,
        $ref: `${baseUrl}/Groups/${(group as Group).id}`,
        display: displayNameOf(group as Group, default_language),
        type: 'direct',
      }))
  }

/** The name of a group: the text of the default language, else the first. */
export const displayNameOf = ({ title }: Pick<Group, 'title'>, language: string): string =>
  (title.find((one) => one.language === language) ?? title[0])?.text ?? ''

/** The version of a record: a weak ETag. */
export const versionOf = (own: object): string => `W/"${recordTag(own)}"`

/** A user's resource with all attributes; lists leave out `groups`. */
export const wholeResource = (user: UserRecord, baseUrl: string, groupsShown?: readonly object[]): Resource =>
  resourceOf(user, {
    location: `${baseUrl}/Users/${user.id}`,
    version: versionOf(userFields.own(user)),
    groups: groupsShown,
  })

function answer(
  user: UserRecord,
  { baseUrl, projection }: UserRequest,
  shown: readonly object[] | undefined,
): ScimAnswer {
  const whole = wholeResource(user, baseUrl, shown)
  return { status: 200, body: projection.of(whole), version: versionOf(userFields.own(user)) }
}

const created = (one: ScimAnswer, user: UserRecord, { baseUrl }: UserRequest): ScimAnswer => ({
  ...one,
  status: 201,
  location: `${baseUrl}/Users/${user.id}`,
})

// Operations.

/** GET of one user. */
export async function readScimUser(context: Context, request: UserRequest, id: string): Promise<ScimAnswer> {
  const [user, held, { memberRole }] = await Promise.all([
    readVisible(context, id),
    readRoles(context, request, id),
    writeContext(context),
  ])
  return answer(user, request, await groupsFor(context, request, memberRole)(held))
}

/** The user's roles in groups, if the answer shows groups. */
const readRoles = async ({ store }: Context, { projection }: UserRequest, id: string): Promise<Item[]> =>
  projection.has('groups') && isId(id) ? all(store, keys.groupRolesOfUser(id)) : []

/** POST: creates a user, or restores one who is pending deletion. */
export async function createScimUser(context: Context, request: UserRequest): Promise<ScimAnswer> {
  const values = userValuesOf(canonical(request.body(), request.schema))
  const [actor, writing, organisation, found, references, holders] = await Promise.all([
    context.actor(),
    writeContext(context),
    context.organisation(),
    readDefinitions(context, values.attributes.keys()),
    readReferences(context, { primary_user_group_id: values.primary_user_group_id }),
    readHolders(context, values),
  ])
  const known = knownOf(organisation, found)
  const body = validated<Input<'createUser'>['body']>(request.validators.creation, creationOf(values, known), found)
  const leaving = userToRestore(values, holders)
  if (leaving)
    return created(await restoreScimUser(context, request, { leaving, values, known, found }), leaving, request)
  checkNewRole(actor, body.role)
  const wrong = inScimNames(references.fault)
  if (wrong) throw wrong
  const group = references.group?.id ?? writing.allUsers
  const user = userFrom(body, { id: context.newId(), now: context.now, group })
  checkAdministrator(actor, undefined, user)
  const rulesForUser = await rulesForNewUser(context)
  const actions = creation(user, { ...writing, editions: editionsOf(found), rulesForUser })
  const shown = await writeAndShow(writeUserChange(context, actions, user.id), () =>
    groupsFor(context, request, writing.memberRole)(heldAfter([], actions)),
  )
  return created(answer(user, request, shown), user, request)
}

type Holders = { ofName: UserRecord | undefined; ofExternalId: UserRecord | undefined }

/** The users who have the username and the external id that a creation asks for. */
async function readHolders({ store, now }: Context, { username, external_id }: UserValues): Promise<Holders> {
  const holding = (name: string | undefined, keyOf: (name: string) => Key) =>
    // A name that cannot be in a key is refused when the body is validated.
    isReference(name?.trim()) ? ownerOfName(store, keyOf(name.trim()), now) : undefined
  const [ofName, ofExternalId] = await Promise.all([
    holding(username, keys.usernameKey),
    holding(external_id, keys.externalIdKey),
  ])
  return { ofName, ofExternalId }
}

/**
 * The user pending deletion whom a POST restores: the one with its external id, or the one with its username, unless the
 * two have different external ids, or the user is an administrator: names are given to new people, rights are not. Throws
 * `uniqueness` for a user who is not pending deletion, and if it is not clear who is meant.
 */
function userToRestore({ external_id }: UserValues, { ofName, ofExternalId }: Holders): UserRecord | undefined {
  const inUse = [ofName, ofExternalId].find((user) => user && user.status !== 'PENDING_DELETION')
  if (inUse) throw refuse(inUse === ofName ? 'USERNAME_ALREADY_EXISTS' : 'EXTERNAL_ID_ALREADY_EXISTS')
  const isOther = ofExternalId
    ? ofName && ofName.id !== ofExternalId.id
    : ofName?.role === 'ADMIN' ||
      (ofName?.external_id && external_id !== undefined && ofName.external_id !== external_id.trim())
  if (!isOther) return ofExternalId ?? ofName
  const deadline = ofName?.deletion_at
  throw new ScimError(
    'uniqueness',
    `The userName belongs to another user, who is deleted for good at ${deadline}`,
    'USERNAME_ALREADY_EXISTS',
  )
}

type Returning = { leaving: UserRecord; values: UserValues; known: Known; found: Definitions }

/** Restores a user and applies the sent values. All others stay as they were, also a lock. */
async function restoreScimUser(context: Context, request: UserRequest, { leaving, values, known, found }: Returning) {
  const { displayName: _made, ...sent } = values
  const wanted = changeOf(leaving, { ...sent, email: sent.email, external_id: sent.external_id }, known)
  const held = await all(context.store, keys.withAssignments(leaving.id))
  const before = users.of(held.find(isAt(users.key(leaving.id))))
  if (before?.version !== leaving.version) throw new StaleRead()
  return writeChange(context, request, { before, held, wanted, found, isRestored: true })
}

/** PUT: core and enterprise attributes that are not sent are cleared. */
export function replaceScimUser(context: Context, request: UserRequest, id: string): Promise<ScimAnswer> {
  const values = userValuesOf(canonical(request.body(), request.schema))
  checkNotEmpty(request.body(), 'userName')
  return changeScimUser(context, request, {
    id,
    attributes: values.attributes.keys(),
    wantedOf: (user, known) => changeOf(user, replaced(values), known),
  })
}

/** PATCH: applies operations to the resource, and writes the difference. */
export function patchScimUser(context: Context, request: UserRequest, id: string): Promise<ScimAnswer> {
  const { schema } = request
  const steps = operationsIn(request.body()).flatMap((operation) => stepsOf(operation, schema))
  return changeScimUser(context, request, {
    id,
    attributes: steps.flatMap(({ path }) => attributesAt(path.keys)),
    wantedOf: (user, known) => {
      const own = userSchemaOf(user, schema)
      const before = canonical(wholeResource(user, request.baseUrl), own)
      return changeOf(user, differences(userValuesOf(before), userValuesOf(patched(before, steps, own))), known)
    },
  })
}

/** The schema, extended by the attributes that a user has. */
const userSchemaOf = ({ attributes }: UserRecord, schema: ResourceSchema): ResourceSchema => {
  const names = schema.extensions.get(ROLLCALL_URN)?.map(({ name }) => name) ?? []
  const own = attributes.map(({ name }) => name).filter((name) => isCustom(name) && !names.includes(name))
  return userSchema([...names.filter(isCustom), ...own])
}

type Wanted = {
  id: string
  /** The names of the attributes that the request may change. */
  attributes: Iterable<string>
  wantedOf: (user: UserRecord, known: Known) => UserChange
}

async function changeScimUser(context: Context, request: UserRequest, { id, attributes, wantedOf }: Wanted) {
  const [user, organisation, roles, found] = await Promise.all([
    readVisible(context, id),
    context.organisation(),
    readRoles(context, request, id),
    readDefinitions(context, attributes),
  ])
  const known = knownOf(organisation, found)
  const wanted = wantedOf(user, known)
  const { first_name, last_name, primary_user_group_id } = wanted.body
  if (first_name === undefined && last_name === undefined && primary_user_group_id === undefined)
    return writeChange(context, request, { before: user, held: roles, wanted, found })
  // A new name changes the places of assignments. They are read with the user: a later assignment makes this version stale.
  const held = await all(context.store, keys.withAssignments(id))
  const before = visible(users.of(held.find(isAt(users.key(id)))))
  return writeChange(context, request, {
    before,
    held: held.filter(keys.isAssignment),
    wanted: before.version === user.version ? wanted : wantedOf(before, known),
    found,
  })
}

type UserWrite = {
  before: UserRecord
  /** The user's assignments, if the change moves them or the answer shows them. */
  held: readonly Item[]
  wanted: UserChange
  found: Definitions
  isRestored?: boolean
}

/** Decides a change of a user and writes it, in one transaction with one event. */
async function writeChange(
  context: Context,
  request: UserRequest,
  { before, wanted, found, isRestored, ...read }: UserWrite,
) {
  const { now } = context
  const [actor, writing, references] = await Promise.all([
    context.actor(),
    writeContext(context),
    readReferences(context, { primary_user_group_id: wanted.body.primary_user_group_id }),
  ])
  const held = read.held.filter(keys.isAssignment)
  const body = validated<Input<'updateUser'>['body']>(request.validators.change, wanted.body, found)
  const wrong = inScimNames(references.fault)
  if (wrong) throw wrong
  checkNewRole(actor, body.role)
  const group =
    body.primary_user_group_id === undefined ? before.primary_user_group_id : (references.group?.id ?? writing.allUsers)
  if (wanted.active === false) checkNotOneself('deactivate', before, context.actorId)
  const decide = () => {
    const changed = patchedUser(before, body, { group, now })
    const after = withActive(isRestored ? actedOn('restore', changed, now) : changed, wanted.active, now)
    checkAdministrator(actor, before, after)
    checkAction(isRestored ? 'restore' : 'update', before, context.actorId)
    return after === before ? before : { ...after, version: before.version + 1 }
  }
  const decided = changeIfMatch(context, before, decide, userFields.own(before))
  const membership = held.find(isAt(keys.groupAssignmentKey(before.id, group, writing.memberRole)))
  const { rulesForUser, after, move } = await moveByRules(context, { before, decided, membership, ...writing })
  const write = isRestored ? deletionChange : change
  const renaming = withRename(
    before,
    after,
    held,
    write(before, after, { ...writing, editions: editionsOf(found), rulesForUser }, move),
    now,
  )
  const actions = after === before ? [] : renaming.actions
  const shown = await writeAndShow(actions.length > 0 ? writeUserChange(context, actions, after.id) : undefined, () =>
    groupsFor(context, request, writing.memberRole)(heldAfter(held, actions)),
  )
  if (renaming.work) await doWorkOfCalls(context, [renaming.work], finishRename)
  return answer(after, request, shown)
}

type Moving = { before: UserRecord; decided: UserRecord; membership: Item | undefined; memberRole: string }

/** The user after a change, what rules give and take by it, and the move to another primary group. */
async function moveByRules(context: Context, { before, decided, membership, memberRole }: Moving) {
  const rulesForUser = await rulesForChange(context, { before, after: decided })
  const old = rulesForUser && { oldMembership: oldMembershipOf(rulesForUser, { before, after: decided, memberRole }) }
  return { rulesForUser, ...moveOf(before, decided, membership && groupAssignments.sourceOf(membership), old) }
}

/** The user after `active` is set. True does not unlock: for a client, a locked user is active. */
function withActive(user: UserRecord, active: boolean | undefined, now: string): UserRecord {
  if (active === true && user.status === 'DEACTIVATED') return actedOn('reactivate', user, now)
  return active === false ? actedOn('deactivate', user, now) : user
}

/** A user's roles in groups after the actions of a write. */
function heldAfter(before: readonly Item[], actions: readonly Action[]): Item[] {
  const held = new Map(before.map((item) => [textOfKey(item), item]))
  for (const action of actions.filter((one) => keys.kindOfAssignment(keyOf(one)) === 'GROUP')) {
    if ('put' in action) held.set(textOfKey(action.put), action.put)
    if ('delete' in action) held.delete(textOfKey(action.delete))
  }
  return [...held.values()]
}

/** DELETE: the deletion with its 14 days. */
export async function deleteScimUser(context: Context, id: string): Promise<ScimAnswer> {
  const [before, writing, actor] = await Promise.all([readVisible(context, id), writeContext(context), context.actor()])
  checkNotOneself('delete', before, context.actorId)
  const decide = () => {
    const deleted = actedOn('delete', before, context.now)
    checkAdministrator(actor, before, deleted)
    checkAction('delete', before, context.actorId)
    return deleted
  }
  const after = changeIfMatch(context, before, decide, userFields.own(before))
  if (after !== before) await writeUserChange(context, deletionChange(before, after, writing), after.id)
  return { status: 204 }
}
