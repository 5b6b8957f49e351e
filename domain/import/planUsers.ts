import { checkAttributes } from '../attributes/attributeRules.ts'
import { isPast } from '../context.ts'
import { AppError, type Fault } from '../errors.ts'
import { noMoment } from '../moments.ts'
import { adminRole } from '../roles/handOut.ts'
import * as keys from '../store/keys.ts'
import type { Item, Key } from '../store/store.ts'
import { isGone, userOf } from '../users/userRecord.ts'
import type { Entry } from './directoryFile.ts'
import { deadlineOf, hasEnded, idOf, importedUser } from './importedUser.ts'
import { type Lookup, lookup } from './lookup.ts'
import { isUnsound, type KnownUser, noting, type Plan } from './plan.ts'
import { mayBecome } from './planRoles.ts'

type Given = Entry<'users'>

/** Users looked up together: enough to keep the store busy, few enough to hold. */
const SLICE = 2_000

/**
 * Decides what becomes of the users of the file, and finds those whom it only refers to. A directory that is `fresh`
 * has no users, as every user came in by an import or by somebody who did.
 */
export async function planUsers(plan: Plan, isFresh: boolean): Promise<void> {
  const { users } = plan.file
  for (let start = 0; start < users.length; start += SLICE) {
    const slice = users.slice(start, start + SLICE)
    for (const given of slice) checkUser(plan, given)
    const stored = isFresh ? () => undefined : await storedFor(plan, slice)
    for (const given of slice) plan.users.set(idOf(given.value), judged(plan, given, stored))
    plan.context.onProgress?.({ section: 'checks', done: start + slice.length, total: users.length })
  }
  if (!isFresh) await findOthers(plan)
}

/** What can be said of a user without a look at those who are there. */
function checkUser(plan: Plan, { index, value }: Given): void {
  const note = noting(plan, 'users', index)
  checkDeadline(plan, value, note)
  if (value.role === 'ADMIN' && !mayBecome(adminRole)) note('role', 'is a role that cannot be handed out')
  const group = value.primary_user_group_id
  if (group && !plan.groups.has(group) && !isUnsound(plan, 'user_groups', group))
    note('primary_user_group_id', 'names no user group')
  for (const { property, message } of attributeFaults(plan, value))
    if (!isUnsound(plan, 'attribute_definitions', nameAt(value, property))) note(property, message)
}

type Note = (property: string, reason: string) => void

function checkDeadline({ context }: Plan, user: Given['value'], note: Note): void {
  if (typeof user.deletion_at === 'string' && user.status !== 'PENDING_DELETION')
    note('deletion_at', 'must not be given unless the status is PENDING_DELETION')
  if (deadlineOf(user, context.now) === undefined) note('deletion_at', noMoment)
}

function attributeFaults({ definitions }: Plan, { attributes }: Given['value']): readonly Fault[] {
  try {
    checkAttributes(attributes ?? [], (name) => definitions.get(name))
    return []
  } catch (error) {
    if (error instanceof AppError) return error.errors ?? []
    throw error
  }
}

/** The name of the attribute that a fault lies in: `attributes.3.value`. */
const nameAt = ({ attributes }: Given['value'], property: string): string =>
  attributes?.[Number(property.split('.')[1])]?.name ?? ''

/** Reads the records of users who may be there, and of the others what stands in their way. */
async function storedFor({ context: { store } }: Plan, slice: readonly Given[]): Promise<Lookup> {
  const records = await lookup(
    store,
    slice.map(({ value }) => keys.userKey(idOf(value))),
  )
  const missing = slice.filter(({ value }) => !records(keys.userKey(idOf(value))))
  const others = await lookup(
    store,
    missing.flatMap(({ value }) => [keys.tombstoneKey(idOf(value)), ...reservationsOf(value)]),
  )
  // Users without an id may be there under another one.
  const owners = missing.flatMap(({ value }) => (value.id ? [] : (others(keys.usernameKey(value.username)) ?? [])))
  const namesakes = await lookup(
    store,
    owners.map(({ owner }) => keys.userKey(String(owner))),
  )
  return (key) => records(key) ?? others(key) ?? namesakes(key)
}

const reservationsOf = ({ username, external_id }: Given['value']): Key[] => [
  keys.usernameKey(username),
  ...(external_id ? [keys.externalIdKey(external_id)] : []),
]

function judged(plan: Plan, given: Given, stored: Lookup): KnownUser {
  const known = found(plan, given, stored)
  if (known) {
    plan.summary.users[known.kind === 'kept' ? 'unchanged' : 'skipped']++
    return known
  }
  plan.summary.users.created++
  return created(plan, given, stored)
}

/** A user who is there already, or gone; one whom the file brings past his deadline is gone before he came. */
function found(plan: Plan, given: Given, stored: Lookup): KnownUser | undefined {
  const { value } = given
  const id = idOf(value)
  const there = livingOrGone(plan, stored(keys.userKey(id))) ?? (value.id ? undefined : namesake(plan, given, stored))
  if (there) return there.kind === 'kept' ? { ...there, given: primaryOf(plan, value) } : there
  if (stored(keys.tombstoneKey(id))) return { kind: 'gone' }
  if (!hasEnded(value, plan.context.now)) return undefined
  plan.tombstones.push(id)
  return { kind: 'gone' }
}

const primaryOf = ({ organisation }: Plan, { primary_user_group_id }: Given['value']): string =>
  primary_user_group_id ?? organisation.predefined.ALL_USERS ?? ''

function livingOrGone({ context: { now } }: Plan, item: Item | undefined): KnownUser | undefined {
  if (!item) return undefined
  const user = userOf(item)
  return isGone(user, now)
    ? { kind: 'gone' }
    : { kind: 'kept', primary: user.primary_user_group_id, last_name: user.last_name }
}

/** A user without an id is whoever has his username already. */
function namesake(plan: Plan, { value }: Given, stored: Lookup): KnownUser | undefined {
  const reservation = stored(keys.usernameKey(value.username))
  const found = reservation && livingOrGone(plan, stored(keys.userKey(String(reservation.owner))))
  return found?.kind === 'kept' ? found : undefined
}

function created(plan: Plan, { index, value }: Given, stored: Lookup): KnownUser {
  const { now } = plan.context
  const note = noting(plan, 'users', index)
  const group = primaryOf(plan, value)
  if (plan.groups.get(group)?.status === 'ARCHIVED')
    note('primary_user_group_id', 'names a user group that is archived')
  const user = importedUser(value, { id: idOf(value), now, group })
  const taken = reservationsOf(value).flatMap((key) => stored(key) ?? [])
  const held = taken.filter((item) => item.owner !== user.id && !isPast(item.expires_at as string | undefined, now))
  for (const { sk } of held) note(sk === 'USERNAME' ? 'username' : 'external_id', 'belongs to another user')
  return { kind: 'new', fresh: { user, groups: [], channels: [], expired: taken.map(({ pk }) => pk) } }
}

/** Users whom the file refers to without defining them. */
async function findOthers(plan: Plan): Promise<void> {
  const { file, users } = plan
  const named: string[][] = [
    file.user_group_assignments.map(({ value }) => value.user_id),
    file.channel_assignments.map(({ value }) => value.user_id),
    file.task_assignments.map(({ value }) => value.user_id),
    file.tasks.map(({ value }) => value.author_id),
  ]
  const unknown = [...new Set(named.flat())].filter((id) => !users.has(id))
  const stored = await lookup(
    plan.context.store,
    unknown.flatMap((id) => [keys.userKey(id), keys.tombstoneKey(id)]),
  )
  for (const id of unknown) {
    const there = livingOrGone(plan, stored(keys.userKey(id)))
    if (there) users.set(id, there)
    else if (stored(keys.tombstoneKey(id))) users.set(id, { kind: 'gone' })
  }
}
