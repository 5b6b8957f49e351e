import { isDeepStrictEqual } from 'node:util'
import type { outcomes } from '../../schemas/plans.ts'
import { groupAssignments } from '../people/records/groupAssignment.ts'
import type { UserRecord } from '../people/records/user.ts'
import { every, is, lacks } from '../table/expressions.ts'
import {
  numberOfPlanChange,
  numberOfPlanItem,
  planChangeKey,
  planChangesOf,
  planItemKey,
  planItems,
} from '../table/keys.ts'
import { all } from '../table/reader.ts'
import { defineItem } from '../table/records.ts'
import { type Action, type Item, readEach, type Store } from '../table/store.ts'
import type { PlanAction, Problem } from './plan.ts'

// The changes of a plan. Each lies with the user that it is about, so that the purge finds it. SLICES of the plan name the users,
// in the order of the changes, and what has become of each change.

export type ChangeOutcome = (typeof outcomes)[number]

/** A field before and after a change, as a user's answer has it: `attribute:NAME` for an attribute. */
export type FieldChange = { field: string; before: unknown; after: unknown }

/**
 * What is to be done with a user, and what it will change. `order`: the names of the user's attributes in the order before a change that
 * takes some away, and in the order in which an undo puts them back. Of a plan of a file also: the `key` by which the row or the lack of a row
 * has found the user, the users whose earlier changes must be done `after` which this one comes, and the users whose changes are
 * made `together` in one transaction, as their names go round in a circle.
 */
export type PlannedChange = {
  action: PlanAction
  fields: FieldChange[]
  row: number | null
  order?: { before?: string[]; after?: string[] }
  key?: string
  after?: string[]
  together?: string[]
}

type ChangeRow = PlannedChange & { outcome: ChangeOutcome; error?: Problem; attempts?: number }
const changeRows = defineItem<ChangeRow>()

/** A change as it is stored. */
export type StoredChange = ChangeRow & { user: string; number: number }

/** The item of a new change. It may be SKIPPED from the beginning: then it only shows what is not taken back. */
export const changeItem = (plan: string, { user, number, ...row }: StoredChange): Item =>
  changeRows.item(planChangeKey(user, plan, number), row)

/** A change that has no outcome yet, and was not closed by the end of its plan. */
const isOpen = every(is({ outcome: 'PLANNED' }), lacks('closed'))

/** Writes what has become of a change; stale if that is known already. */
export const decided = (
  plan: string,
  { user, number }: Pick<StoredChange, 'user' | 'number'>,
  outcome: ChangeOutcome,
  error?: Problem,
): Action => ({
  update: planChangeKey(user, plan, number),
  set: { outcome, ...(error ? { error } : {}) },
  if: isOpen,
})

/** Closes a change that is not made any more; stale if it has been made. */
export const closing = (plan: string, { user, number }: Pick<StoredChange, 'user' | 'number'>): Action => ({
  update: planChangeKey(user, plan, number),
  set: { closed: true },
  if: is({ outcome: 'PLANNED' }),
})

/** Counts an attempt that has failed for a reason that may pass. */
export const attempted = (plan: string, { user, number, attempts = 0 }: StoredChange): Action => ({
  update: planChangeKey(user, plan, number),
  set: { attempts: attempts + 1 },
  if: isOpen,
})

/** Removes the values of a change, and says nothing else about the user. */
export const changeRemoval = (plan: string, { user, number }: Pick<StoredChange, 'user' | 'number'>) => ({
  delete: planChangeKey(user, plan, number),
})

// Slices.

/** The most changes of a slice: they are written in one transaction with it and the plan. */
export const SLICE = 90

type Slice = {
  users: string[]
  actions: PlanAction[]
  rows: (number | null)[]
  outcomes: ChangeOutcome[]
}
const sliceRows = defineItem<Slice>()
/** A slice, with the number of its first change. */
export type StoredSlice = Slice & { first: number }

export const sliceItem = (plan: string, { first, ...slice }: StoredSlice): Item =>
  sliceRows.item(planItemKey(plan, 'SLICE', first), slice)

export const sliceIn = (item: Item): StoredSlice => {
  const { users, actions, rows, outcomes: known } = sliceRows.of(item)
  return { users, actions, rows, outcomes: known, first: numberOfPlanItem(item) }
}

/** The slice of these changes. */
export const sliceOf = (changes: readonly StoredChange[]): StoredSlice => ({
  first: changes[0]?.number ?? 0,
  users: changes.map(({ user }) => user),
  actions: changes.map(({ action }) => action),
  rows: changes.map(({ row }) => row),
  outcomes: changes.map(({ outcome }) => outcome),
})

/** The range of a plan's slices from the one that begins with a change. */
export const slicesFrom = (plan: string, first: number) => planItems(plan, 'SLICE', first)

/** A change as its slice knows it: the outcome of a change that is being made stands with the change. */
export type SliceEntry = Pick<StoredChange, 'user' | 'number' | 'row' | 'action' | 'outcome'>

/** The changes of a slice, as the slice knows them. */
export const entriesOf = ({ first, users, actions, rows, outcomes: known }: StoredSlice): SliceEntry[] =>
  users.map((user, n) => ({
    user,
    number: first + n,
    row: rows[n] ?? null,
    action: actions[n] as PlanAction,
    outcome: known[n] as ChangeOutcome,
  }))

/** A change that was read; `isGone` if its values were removed, as its user was, or as the plan ended long ago. */
export type ReadChange = StoredChange & { isGone?: true }

/** These changes as they are now. Of one that is gone, only what its slice says is left. */
export async function readChanges(
  store: Pick<Store, 'get'>,
  plan: string,
  entries: readonly SliceEntry[],
): Promise<ReadChange[]> {
  const items = await readEach(
    store,
    entries.map(({ user, number }) => planChangeKey(user, plan, number)),
  )
  const found = new Map(items.map((item) => [numberOfPlanChange(item), item]))
  return entries.map((entry) => {
    const item = found.get(entry.number)
    return item ? changeIn(item, entry.user, entry.number) : { ...entry, fields: [], isGone: true }
  })
}

/** A change as it is now; undefined if its user was removed for good. */
export async function readChange(
  store: Pick<Store, 'get'>,
  plan: string,
  { user, number }: Pick<StoredChange, 'user' | 'number'>,
): Promise<StoredChange | undefined> {
  const item = await store.get(planChangeKey(user, plan, number))
  return item && changeIn(item, user, number)
}

/** The changes of one user that a plan contains, in their order. */
export const changesOfUser = async (store: Pick<Store, 'query'>, plan: string, user: string): Promise<StoredChange[]> =>
  (await all(store, planChangesOf(user, plan))).map((item) => changeIn(item, user, numberOfPlanChange(item)))

function changeIn(item: Item, user: string, number: number): StoredChange {
  const { row, action, fields, outcome, error, attempts, order, key, after, together } = changeRows.of(item)
  const links = {
    ...(order && { order }),
    ...(key !== undefined && { key }),
    ...(after && { after }),
    ...(together && { together }),
  }
  const known = { ...links, ...(error && { error }), ...(attempts && { attempts }) }
  return { user, number, row, action, fields, outcome, ...known }
}

// Fields.

/** How a field of a change is read from a user. Texts of attributes have the names of the attributes. */
const ATTRIBUTE = 'attribute:'
export const attributeField = (name: string): string => `${ATTRIBUTE}${name}`
/** The attribute that a field is about; undefined for other fields. */
export const attributeOfField = (field: string): string | undefined =>
  field.startsWith(ATTRIBUTE) ? field.slice(ATTRIBUTE.length) : undefined

/** The fields of a user that changes of plans write. */
const shown: Readonly<Record<string, (user: UserRecord) => unknown>> = {
  first_name: (user) => user.first_name,
  last_name: (user) => user.last_name,
  username: ({ username }) => username,
  email: ({ email }) => email,
  external_id: (user) => user.external_id,
  status: ({ status }) => status,
  deletion_at: ({ deletion_at = null }) => deletion_at,
  role: ({ role }) => role,
  required_actions: (user) => user.required_actions,
  tags: (user) => user.tags.map(({ name }) => name),
  profile_picture: (user) => user.profile_picture,
  preferred_language: (user) => user.preferred_language,
  primary_user_group: (user) => user.primary_user_group_id,
}

/** The value of a field. */
function shownIn(user: UserRecord, field: string): unknown {
  const name = attributeOfField(field)
  if (name === undefined) return shown[field]?.(user) ?? null
  return user.attributes.find((one) => one.name === name)?.value ?? null
}

/** What differs between a user before and after a change. */
export const fieldChanges = (before: UserRecord, after: UserRecord): FieldChange[] =>
  fieldsOf(before, after)
    .map((field) => ({ field, before: shownIn(before, field), after: shownIn(after, field) }))
    .filter((one) => !isSameValue(one.before, one.after))

function fieldsOf(...some: UserRecord[]): string[] {
  const attributes = some.flatMap((user) => user.attributes.map(({ name }) => attributeField(name)))
  return [...Object.keys(shown), ...[...new Set(attributes)].sort()]
}

/** What a creation writes: the fields that have a value. */
export const fieldsOfNew = (user: UserRecord): FieldChange[] =>
  fieldsOf(user)
    .map((field) => ({ field, before: null, after: shownIn(user, field) }))
    .filter(({ after }) => !isEmpty(after))

/** Whether a field has no value: null, an empty text or an empty list. */
export const isEmpty = (value: unknown): boolean =>
  value === null || value === '' || (Array.isArray(value) && value.length === 0)

/** Whether two values of a field are the same. Lists are sets: their order is no change. */
const isSameValue = (one: unknown, other: unknown): boolean => isDeepStrictEqual(asSet(one), asSet(other))
const asSet = (value: unknown): unknown => (Array.isArray(value) ? value.toSorted() : value)

/** A role in a group that a change gives or takes. */
export type GroupRole = { user_group_id: string; role_id: string }

/** The field of a role in a group: MANUAL where it is given by a call or a plan, null where not. No id has a colon. */
const ASSIGNMENT = 'user_group_assignment'
export const assignmentField = ({ user_group_id, role_id }: GroupRole, isGiven: boolean): FieldChange => ({
  field: [ASSIGNMENT, user_group_id, role_id].join(':'),
  before: isGiven ? null : 'MANUAL',
  after: isGiven ? 'MANUAL' : null,
})

/** The group and role that a change is about; undefined for fields of users. */
export function groupRoleOf([first]: readonly FieldChange[]): GroupRole | undefined {
  const [kind, user_group_id, role_id] = first?.field.split(':') ?? []
  return kind === ASSIGNMENT && user_group_id && role_id ? { user_group_id, role_id } : undefined
}

/** Whether a user is as a change expects them: each field that it writes still has the value from before. */
export async function isAsBefore(
  store: Pick<Store, 'get'>,
  user: UserRecord,
  fields: readonly FieldChange[],
): Promise<boolean> {
  const groupRole = groupRoleOf(fields)
  if (!groupRole) return fields.every(({ field, before }) => isSameValue(shownIn(user, field), before))
  const { user_group_id: group_id, role_id } = groupRole
  const found = await groupAssignments.read(store as Store, { user_id: user.id, group_id, role_id })
  const isManual = found !== undefined && groupAssignments.sourceOf(found) === 'MANUAL'
  return (isManual ? 'MANUAL' : null) === fields[0]?.before
}

/** Whether a user has the values that a change has written. */
export const isAsAfter = (user: UserRecord, fields: readonly FieldChange[]): boolean =>
  fields.every(({ field, after }) => isSameValue(shownIn(user, field), after))

/**
 * The order of attributes that a change needs: that before it, if it takes some away, and that of the change which it takes back.
 */
export function orderOf(
  user: UserRecord,
  fields: readonly FieldChange[],
  undone?: PlannedChange['order'],
): Pick<PlannedChange, 'order'> {
  const takesAway = fields.some(({ field, after }) => attributeOfField(field) !== undefined && after === null)
  const before = takesAway ? { before: user.attributes.map(({ name }) => name) } : undefined
  const after = undone?.before && { after: undone.before }
  return before || after ? { order: { ...before, ...after } } : {}
}

/** A user whose new attributes are where they were: each behind the one that it followed. All others keep their order. */
export function withOrder(user: UserRecord, before: UserRecord, names: readonly string[] = []): UserRecord {
  const isOld = (name: string): boolean => before.attributes.some((one) => one.name === name)
  const back = user.attributes.filter(({ name }) => !isOld(name) && names.includes(name))
  if (back.length === 0) return user
  const attributes = user.attributes.filter((one) => !back.includes(one))
  const placeOf = (name: string | undefined): number => attributes.findIndex((one) => one.name === name)
  for (const one of back.sort((a, b) => names.indexOf(a.name) - names.indexOf(b.name))) {
    const followed = names.slice(0, names.indexOf(one.name)).findLast((name) => placeOf(name) >= 0)
    attributes.splice(placeOf(followed) + 1, 0, one)
  }
  return { ...user, attributes }
}

/** A user as a change leaves them, as far as changes show users. */
export function withFields(user: UserRecord, { fields, order }: Pick<PlannedChange, 'fields' | 'order'>): UserRecord {
  const { attributes, tags = user.tags, deletion_at = user.deletion_at, ...others } = patchOf(fields)
  const values = new Map(user.attributes.map(({ name, value }) => [name, value]))
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (value === null) values.delete(name)
    else values.set(name, value)
  }
  const own = groupRoleOf(fields) ? {} : others
  const deadline = typeof deletion_at === 'string' ? { deletion_at } : {}
  const { deletion_at: _deadline, ...lasting } = user
  const after = {
    ...lasting,
    ...own,
    tags,
    attributes: [...values].map(([name, value]) => ({ name, value })),
    ...deadline,
  }
  return withOrder(after as UserRecord, user, order?.after)
}

/** The fields that life cycle actions write. All others are those of a patch. */
const ofLifeCycle = ['status', 'deletion_at']
export const isOfLifeCycle = ({ field }: FieldChange): boolean => ofLifeCycle.includes(field)

/** The body that creates a user as planned. */
export function creationOf(id: string, fields: readonly FieldChange[]): Record<string, unknown> {
  const { attributes, ...body } = patchOf(fields)
  return { ...body, id, attributes: Object.entries(attributes ?? {}).map(([name, value]) => ({ name, value })) }
}

/** The patch of a user that makes a change. */
export function patchOf(fields: readonly FieldChange[]): Record<string, unknown> {
  const patch: Record<string, unknown> = {}
  const attributes: Record<string, unknown> = {}
  for (const { field, after } of fields) {
    const name = attributeOfField(field)
    if (name !== undefined) attributes[name] = after
    else if (field === 'tags') patch['tags'] = (after as string[]).map((tag) => ({ name: tag }))
    else if (field === 'primary_user_group') patch['primary_user_group_id'] = after
    else patch[field] = after
  }
  return Object.keys(attributes).length > 0 ? { ...patch, attributes } : patch
}
