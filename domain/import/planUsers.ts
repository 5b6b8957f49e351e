import { checkAttributes } from '../attributes/attributeRules.ts'
import { AppError, type Fault } from '../base/errors.ts'
import { isPast, noMoment } from '../base/moments.ts'
import { adminRole } from '../roles/role.ts'
import * as keys from '../table/keys.ts'
import type { Item } from '../table/store.ts'
import { isGone, type UserRecord } from '../users/user.ts'
import { sorted } from '../users/userRules.ts'
import { countKept, differing, saidBy } from './differences.ts'
import type { Entry } from './directoryFile.ts'
import { deadlineOf, hasEnded, idOf, importedUser } from './importedUser.ts'
import { type Lookup, lookup } from './lookup.ts'
import { isUnsound, type KnownUser, noting, type Plan } from './plan.ts'
import { mayBecome } from './planRoles.ts'
import { namesOf, storedFor, userIn } from './storedUsers.ts'

type Given = Entry<'users'>
/** Where the users stand whose ids the file says. */
type Places = ReadonlyMap<string, number | null>

/** Users looked up together: enough to keep the store busy, few enough to hold. */
const SLICE = 2_000

/**
 * Decides what becomes of the users of the file, and finds those whom it only refers to. A directory that is `fresh`
 * has no users, as every user came in by an import or by somebody who did.
 */
export async function planUsers(plan: Plan, isFresh: boolean): Promise<void> {
  const { users } = plan.file
  const places: Places = new Map(users.flatMap(({ index, value }) => (value.id ? [[value.id, index]] : [])))
  for (let start = 0; start < users.length; start += SLICE) {
    const slice = users.slice(start, start + SLICE)
    for (const given of slice) checkUser(plan, given)
    const stored = isFresh ? () => undefined : await storedFor(plan.context.store, slice)
    for (const given of slice) plan.users.set(idOf(given.value), judged(plan, given, { stored, places }))
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

type Around = { stored: Lookup; places: Places }

function judged(plan: Plan, given: Given, { stored, places }: Around): KnownUser {
  const { now } = plan.context
  const id = idOf(given.value)
  const there = userIn(stored, keys.userKey(id)) ?? namesake(plan, given, { stored, places })
  if (there && !isGone(there, now)) return kept(plan, given, { stored, there })
  const isKnown = there !== undefined || stored(keys.tombstoneKey(id)) !== undefined
  if (!isKnown && !hasEnded(given.value, now)) return created(plan, given, stored)
  // A user whose deadline in the file is past never becomes a user: only the id is kept from others.
  if (!isKnown) plan.tombstones.push(id)
  plan.summary.users.skipped++
  return { kind: 'gone' }
}

const primaryOf = ({ organisation }: Plan, { primary_user_group_id }: Given['value']): string =>
  primary_user_group_id ?? organisation.predefined.ALL_USERS ?? ''

/** A user without an id is the one who has the username already; a fault if the file has a record of that id, too. */
function namesake(plan: Plan, { index, value }: Given, { stored, places }: Around): UserRecord | undefined {
  if (value.id) return undefined
  const owner = stored(keys.usernameKey(value.username))?.owner
  const user = owner === undefined ? undefined : userIn(stored, keys.userKey(String(owner)))
  if (!user || isGone(user, plan.context.now)) return undefined
  if (places.has(user.id)) noting(plan, 'users', index)('username', `belongs to users[${places.get(user.id)}]`)
  return user
}

/** A user who is there stays as they are; what the file says of them otherwise is told. */
function kept(
  plan: Plan,
  { index, value }: Given,
  { stored, there }: { stored: Lookup; there: UserRecord },
): KnownUser {
  const { now } = plan.context
  const given = primaryOf(plan, value)
  if (!hasEnded(value, now)) namesHeld(plan, { index, value }, { id: there.id, stored })
  const wanted = importedUser(value, { id: there.id, now, group: given })
  const properties = differing(saidOf(value), sorted(wanted), sorted(there))
  countKept(plan.summary, { section: 'users', index }, properties)
  return { ...standing(there), given }
}

/** What cannot be cleared: null says nothing about it. */
const uncleared: readonly string[] = ['id', 'status', 'role', 'deletion_at'] satisfies (keyof Given['value'])[]

const saidOf = (value: Given['value']): string[] =>
  saidBy(value).filter((name) => !(uncleared.includes(name) && value[name as keyof Given['value']] === null))

const standing = ({ primary_user_group_id: primary, primary_was, last_name }: UserRecord) =>
  ({ kind: 'kept', primary, primary_was, last_name }) as const

function created(plan: Plan, { index, value }: Given, stored: Lookup): KnownUser {
  const { now } = plan.context
  const group = primaryOf(plan, value)
  if (plan.groups.get(group)?.status === 'ARCHIVED')
    noting(plan, 'users', index)('primary_user_group_id', 'names a user group that is archived')
  const user = importedUser(value, { id: idOf(value), now, group })
  const taken = namesHeld(plan, { index, value }, { id: user.id, stored })
  plan.summary.users.created++
  return { kind: 'new', fresh: { user, groups: [], channels: [], expired: taken.map(({ pk }) => pk) } }
}

/** Faults where a username or external id belongs to somebody else; answers whatever keeps these names. */
function namesHeld(plan: Plan, { index, value }: Given, { id, stored }: { id: string; stored: Lookup }): Item[] {
  const taken = namesOf(value).flatMap((key) => stored(key) ?? [])
  for (const { sk, owner, expires_at } of taken)
    if (owner !== id && !isPast(expires_at as string | undefined, plan.context.now))
      noting(plan, 'users', index)(sk === 'USERNAME' ? 'username' : 'external_id', 'belongs to another user')
  return taken
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
    const there = userIn(stored, keys.userKey(id))
    if (there && !isGone(there, plan.context.now)) users.set(id, standing(there))
    else if (there || stored(keys.tombstoneKey(id))) users.set(id, { kind: 'gone' })
  }
}
