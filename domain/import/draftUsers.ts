import { invalidMoment } from '../base/moments.ts'
import { isPast } from '../base/text.ts'
import { attributeFaults } from '../people/records/attributes.ts'
import { withSortedSets } from '../people/records/newUser.ts'
import { languageAmong } from '../people/records/preferredLanguage.ts'
import { adminRole } from '../people/records/roleRules.ts'
import { reservationKeys, type UserRecord } from '../people/records/user.ts'
import { isGone } from '../people/records/userFields.ts'
import * as keys from '../table/keys.ts'
import type { Key } from '../table/store.ts'
import { type FileRecord, positionText } from './directoryFile.ts'
import { type Draft, type DraftedUser, type KeptUser, mayReceive } from './draft.ts'
import { type AddFault, addFaultTo, checkNamed, isLeftOut } from './draftFaults.ts'
import { mayHandOut } from './draftRoles.ts'
import { assignmentKey, assignmentsIn } from './importedAssignment.ts'
import { deadlineOf, idOf, importedUser, isPastDeadline, readStoredUsers, userIn } from './importedUser.ts'
import { countKept, differing, propertiesOf } from './importSummary.ts'
import { type Lookup, lookup } from './lookup.ts'

type UserInFile = FileRecord<'users'>
/** Where the users are in the file, by id. */
type Indexes = ReadonlyMap<string, number>

/** Users that are looked up at once: enough to keep the database busy, few enough to hold. */
const LOOKED_UP_AT_ONCE = 2_000

/**
 * Decides what becomes of the users of the file, and finds those that it only refers to. A fresh table is not asked: it has
 * no users.
 */
export async function draftUsers(draft: Draft): Promise<void> {
  const { users } = draft.file
  const isFresh = draft.structure.storedOrganisation === undefined
  const indexes: Indexes = new Map(users.flatMap(({ index, value }) => (value.id ? [[value.id, index ?? 0]] : [])))
  for (let start = 0; start < users.length; start += LOOKED_UP_AT_ONCE) {
    const batch = users.slice(start, start + LOOKED_UP_AT_ONCE)
    for (const one of batch) checkUser(draft, one)
    const stored = isFresh ? () => undefined : await readStoredUsers(draft.context.store, batch)
    for (const one of batch) draft.users.set(idOf(one.value), draftUser(draft, one, { stored, indexes }))
    draft.context.onProgress?.({ section: 'checks', done: start + batch.length, total: users.length })
  }
  if (!isFresh) await findOthers(draft)
}

/** Adds the faults of a user that do not depend on stored users. */
function checkUser(draft: Draft, { index, value }: UserInFile): void {
  const addFault = addFaultTo(draft, 'users', index)
  checkDeadline(draft, value, addFault)
  if (value.role === 'ADMIN' && !mayHandOut(adminRole, adminRole.scope))
    addFault('role', 'is a role that cannot be handed out')
  const { primary_user_group_id: group, attributes } = value
  if (group) checkNamed(draft, 'user_groups', group, addFault, 'primary_user_group_id')
  const faults = attributeFaults(attributes ?? [], (name) => draft.structure.definitions.get(name))
  for (const { property, message } of faults.map(({ fault }) => fault))
    if (!isLeftOut(draft, 'attribute_definitions', nameAt(value, property))) addFault(property, message)
}

function checkDeadline({ context }: Draft, user: UserInFile['value'], addFault: AddFault): void {
  if (typeof user.deletion_at === 'string' && user.status !== 'PENDING_DELETION')
    addFault('deletion_at', 'must not be given unless the status is PENDING_DELETION')
  if (deadlineOf(user, context.now) === undefined) addFault('deletion_at', invalidMoment)
}

/** The name of the attribute that a fault such as `attributes.3.value` is about. */
const nameAt = ({ attributes }: UserInFile['value'], property: string): string =>
  attributes?.[Number(property.split('.')[1])]?.name ?? ''

type Found = { stored: Lookup; indexes: Indexes }

function draftUser(draft: Draft, record: UserInFile, { stored, indexes }: Found): DraftedUser {
  const { now } = draft.context
  const id = idOf(record.value)
  const user = userIn(stored, id) ?? storedByUsername(draft, record, { stored, indexes })
  if (user && !isGone(user, now)) return kept(draft, record, { stored, user })
  const isKnown = user !== undefined || stored(keys.tombstoneKey(id)) !== undefined
  if (!isKnown && !isPastDeadline(record.value, now)) return created(draft, record, stored)
  // For a user whose deadline has passed only a tombstone is written: the id must never be used.
  if (isKnown) draft.summary.users.skipped++
  else draft.tombstones.push({ id, index: record.index })
  return { kind: 'gone' }
}

const primaryOf = ({ structure }: Draft, { primary_user_group_id }: UserInFile['value']): string =>
  primary_user_group_id ?? structure.organisation.predefined.ALL_USERS ?? ''

/** A record without an id means the stored user with that username. Adds a fault if the file has another record of that user. */
function storedByUsername(
  draft: Draft,
  { index, value }: UserInFile,
  { stored, indexes }: Found,
): UserRecord | undefined {
  if (value.id) return undefined
  const owner = stored(keys.usernameKey(value.username))?.owner
  const user = owner === undefined ? undefined : userIn(stored, String(owner))
  if (!user || isGone(user, draft.context.now)) return undefined
  const other = indexes.get(user.id)
  if (other !== undefined)
    addFaultTo(draft, 'users', index)('username', `must not belong to ${positionText(draft.file, 'users', other)}, too`)
  return user
}

/** A stored user stays as they are; the differences are listed. */
function kept(
  draft: Draft,
  { index, value }: UserInFile,
  { stored, user }: { stored: Lookup; user: UserRecord },
): DraftedUser {
  const { now } = draft.context
  const group = primaryOf(draft, value)
  if (!isPastDeadline(value, now)) checkNames(draft, { index, value }, { id: user.id, stored })
  const wanted = withLanguageOf(draft, { index, value }, importedUser(value, { id: user.id, now, group }), user)
  countKept(draft.summary, { section: 'users', index }, differencesOf(value, wanted, user))
  return { ...keptUser(user), primaryInFile: group }
}

/** For these properties null means "not given". */
const ignoredIfNull: readonly string[] = ['id', 'status', 'role', 'deletion_at'] satisfies (keyof UserInFile['value'])[]

const userPropertiesOf = (value: UserInFile['value']): string[] =>
  propertiesOf(value).filter(
    (name) => !(ignoredIfNull.includes(name) && value[name as keyof UserInFile['value']] === null),
  )

/** The properties of a stored user that differ from what the file says; `wanted` is the record that it asks for. */
export const differencesOf = (value: UserInFile['value'], wanted: UserRecord, stored: UserRecord): string[] =>
  differing(userPropertiesOf(value), withSortedSets(wanted), withSortedSets(stored))

/** What later checks need to know of a stored user. */
export const keptUser = ({ primary_user_group_id: primary, primary_was, status }: UserRecord): KeptUser => ({
  kind: 'kept',
  primary,
  primary_was,
  status,
})

function created(draft: Draft, { index, value }: UserInFile, stored: Lookup): DraftedUser {
  const { now } = draft.context
  const group = primaryOf(draft, value)
  if (draft.structure.groups.get(group)?.status === 'ARCHIVED')
    addFaultTo(draft, 'users', index)('primary_user_group_id', 'names a user group that is archived')
  const user = withLanguageOf(draft, { index, value }, importedUser(value, { id: idOf(value), now, group }))
  checkNames(draft, { index, value }, { id: user.id, stored })
  return { kind: 'new', newUser: { user, index, value, assignments: [], primaryRows: 0 } }
}

/**
 * The user with their preferred language as the organisation spells it. Adds a fault if the organisation has no such language,
 * unless the stored user has it already.
 */
function withLanguageOf(draft: Draft, { index }: UserInFile, wanted: UserRecord, stored?: UserRecord): UserRecord {
  const { preferred_language: sent } = wanted
  // If the organisation has faults, its languages are unknown.
  if (sent === null || draft.faults.some(({ section }) => section === 'organisation')) return wanted
  const known = [stored?.preferred_language ?? [], draft.structure.organisation.languages].flat()
  const language = languageAmong(known, sent)
  if (language === undefined)
    addFaultTo(draft, 'users', index)('preferred_language', 'must be a language of the organisation')
  return { ...wanted, preferred_language: language ?? sent }
}

/** Adds faults if a username or external id belongs to another user. */
function checkNames(draft: Draft, { index, value }: UserInFile, { id, stored }: { id: string; stored: Lookup }): void {
  const taken = reservationKeys(value).flatMap((key) => stored(key) ?? [])
  for (const { sk, owner, expires_at } of taken)
    if (owner !== id && !isPast(expires_at as string | undefined, draft.context.now))
      addFaultTo(
        draft,
        'users',
        index,
      )(sk === 'USERNAME' ? 'username' : 'external_id', 'must not belong to another user')
}

/** Finds the users that the file refers to without defining them. */
async function findOthers(draft: Draft): Promise<void> {
  const { file, users } = draft
  const named: string[][] = [
    assignmentsIn(file).map(({ userId }) => userId),
    file.task_assignments.map(({ value }) => value.user_id),
    file.tasks.map(({ value }) => value.author_id),
    file.user_group_rules.flatMap(({ value }) => value.except_user_ids ?? []),
  ]
  const unknown = [...new Set(named.flat())].filter((id) => !users.has(id))
  const stored = await lookup(
    draft.context.store,
    unknown.flatMap((id) => [keys.userKey(id), keys.tombstoneKey(id)]),
  )
  for (const id of unknown) {
    const user = userIn(stored, id)
    if (user && !isGone(user, draft.context.now)) users.set(id, keptUser(user))
    else if (user || stored(keys.tombstoneKey(id))) users.set(id, { kind: 'gone' })
  }
  draft.alreadyGiven = await lookup(draft.context.store, keysOfBarred(draft))
}

/**
 * The keys of assignments that could not be given now, because of the user or the role. If they are stored already, they are
 * not faults.
 */
function* keysOfBarred({ file, users, structure }: Draft): Generator<Key> {
  const isBarred = (id: string): boolean => {
    const user = users.get(id)
    return user?.kind === 'kept' && !mayReceive(user, user)
  }
  for (const one of assignmentsIn(file)) {
    const role = structure.roles.get(one.role)
    if (isBarred(one.userId) || (role && !mayHandOut(role, role.scope))) yield assignmentKey(one)
  }
  for (const { value } of file.task_assignments)
    if (isBarred(value.user_id)) yield keys.taskAssignmentKey(value.user_id, value.task_id)
}
