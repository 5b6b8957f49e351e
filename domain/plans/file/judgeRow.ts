import { AppError, type CodedFault, faultAt, refuse } from '../../base/errors.ts'
import { userFrom } from '../../people/records/newUser.ts'
import { patchedUser } from '../../people/records/patchedUser.ts'
import { withLanguage } from '../../people/records/preferredLanguage.ts'
import { checkNewRole } from '../../people/records/roleRules.ts'
import type { UserRecord } from '../../people/records/user.ts'
import { actedOn, checkAction, checkAdministrator, type UserAction } from '../../people/records/userRules.ts'
import { readReferences } from '../../people/users/references.ts'
import type { Context, Input } from '../../request/context.ts'
import { fieldChanges, fieldsOfNew, orderOf, type PlannedChange } from '../change.ts'
import { requireFeature } from '../judge.ts'
import type { PlanAction } from '../plan.ts'
import { judgeCreation, judgePatch } from '../userBodies.ts'
import { type PlanFault, refusalIn } from '../verdict.ts'
import type { FileRequest } from './fileRequest.ts'
import type { Columns, RowValues } from './row.ts'
import { fieldOfKey, reservedName, withoutKey } from './rowKey.ts'
import { differing, saidOf } from './rowValues.ts'

// What a row of a file does to one person: the rules are those of the single calls.

/** What judging rows needs. `references` is a context that remembers the groups and definitions that it has read. */
export type Judging = {
  context: Context
  references: Context
  options: FileRequest
  columns: Pick<Columns, 'headerOf'>
  /** The id of the group that a row names. Throws UNKNOWN_USER_GROUP_ID. */
  groupOf: (named: string | null) => Promise<string>
}

/** A name that a row takes. `holder`: who has it now, and `until` when, if they are pending deletion. */
export type Taken = { name: string; field: 'username' | 'external_id'; holder?: string; until?: string }

/** What a check knows of a row: the changes of its user in their order, or its faults; and the names it takes and gives up. */
export type Judged = {
  row: number | null
  user: string
  changes: PlannedChange[]
  faults: PlanFault[]
  takes: Taken[]
  gives: string[]
}

type Row = { row: number; key: string; values: RowValues }
type Patch = Input<'updateUser'>['body']
type Creation = Input<'createUser'>['body']

/** The faults of a row, by fields of users. */
class RowFaults extends Error {
  readonly found: CodedFault[]
  constructor(found: CodedFault[]) {
    super('faults')
    this.found = found
  }
}

/** Judges a row whose user is known, or undefined if nobody has its key. `id`: of a user who is to be created. */
export async function judgeRow(judging: Judging, row: Row, user: UserRecord | undefined, id: string): Promise<Judged> {
  const nothing = { row: row.row, user: user?.id ?? row.values.id ?? id, changes: [], faults: [], takes: [], gives: [] }
  try {
    const found = user ? await changesOf(judging, row, user) : await creationIn(judging, row, id)
    return { ...nothing, ...found }
  } catch (error) {
    return { ...nothing, faults: faultsIn(judging.columns, row.row, error) }
  }
}

type Decided = Pick<Judged, 'changes'> & Partial<Judged>

// Users who exist.

async function changesOf(judging: Judging, row: Row, user: UserRecord): Promise<Decided> {
  const { context, options } = judging
  const { status } = row.values
  const changed = await userAfter(judging, row, user)
  const changes: PlannedChange[] = []
  if (changed !== user) {
    const isReturning = user.status === 'PENDING_DELETION'
    checkAdministrator(await context.actor(), user, changed)
    checkAction(isReturning ? 'restore' : 'update', user, context.actorId)
    const action = isReturning ? 'RESTORE' : 'UPDATE'
    const fields = fieldChanges(user, changed)
    changes.push({ action, fields, row: row.row, ...orderOf(user, fields) })
  }
  for (const step of lifeCycleSteps(changed, status, options.unlock, context.now))
    changes.push({ ...(await changeBy(context, step)), row: row.row })
  // What comes later needs what comes first to be done.
  for (const change of changes.slice(1)) change.after = [user.id]
  return { changes, ...namesOf(user, changed) }
}

/** The user with the values of a row, and restored if they are pending deletion; the same object if nothing changes. */
async function userAfter(judging: Judging, row: Row, user: UserRecord): Promise<UserRecord> {
  const { context, options } = judging
  const { id, ...values } = withoutKey(options.match_by, row.values)
  if (id !== undefined && id !== user.id)
    throw new RowFaults([faultAt('VALIDATION_ERROR', 'id', 'must be the id of the user who has the key')])
  const isReturning = user.status === 'PENDING_DELETION'
  if (isReturning) checkReturn(options, values, user)
  const group = values.primary_user_group === undefined ? undefined : await judging.groupOf(values.primary_user_group)
  const patched = await patchedBy(judging, user, patchIn(differing(values, saidOf(user), group), group))
  return isReturning ? { ...actedOn('restore', patched, context.now) } : patched
}

/** The change that an action makes. Throws what the single call would refuse. */
async function changeBy(context: Context, { action, before, after }: Step): Promise<Omit<PlannedChange, 'row'>> {
  const name = action.toUpperCase() as PlanAction
  await requireFeature(context, name)
  checkAdministrator(await context.actor(), before, after)
  checkAction(action, before, context.actorId)
  return { action: name, fields: fieldChanges(before, after).filter(({ field }) => field !== 'deletion_at') }
}

/** Refuses somebody pending deletion who is not to come back, or of whom it is not clear that the row means them. */
function checkReturn({ pending, match_by }: FileRequest, { external_id }: RowValues, user: UserRecord): void {
  if (pending === 'FAULT')
    throw refuse(
      'USER_MODIFICATION_NOT_ALLOWED',
      undefined,
      `The user is PENDING_DELETION until ${user.deletion_at}, and pending is FAULT`,
    )
  const isOther = user.external_id !== null && external_id && external_id.trim() !== user.external_id
  if (match_by === 'USERNAME' && isOther)
    throw refuse(
      'USERNAME_ALREADY_EXISTS',
      'username',
      `The username belongs to another user, who is deleted for good at ${user.deletion_at}`,
    )
}

/** The body of a patch that gives a user these values. */
function patchIn(
  { tags, primary_user_group, ...values }: Omit<RowValues, 'status'>,
  group: string | undefined,
): object {
  return {
    ...values,
    ...(tags === undefined ? {} : { tags: [...new Set(tags)].map((name) => ({ name })) }),
    ...(primary_user_group === undefined ? {} : { primary_user_group_id: group }),
  }
}

/** The user after a patch, as the operation would make them; the same object if nothing changes. */
async function patchedBy({ context, references }: Judging, user: UserRecord, patch: object): Promise<UserRecord> {
  if (Object.keys(patch).length === 0) return user
  const { body, faults } = judgePatch(patch)
  const named = await readReferences(references, body, Promise.resolve(user))
  if (faults.length > 0) throw new RowFaults([...faults, ...codedIn(named.fault)])
  if (named.fault) throw named.fault
  checkNewRole(await context.actor(), (body as Patch).role)
  const group = named.group?.id ?? user.primary_user_group_id
  return patchedUser(user, withLanguage(body as Patch, named), { group, now: context.now })
}

type Step = { action: Exclude<UserAction, 'update' | 'delete' | 'restore'>; before: UserRecord; after: UserRecord }

/** What leads a user to the status that a row wants. A lock is lifted only if the plan says so. */
function lifeCycleSteps(user: UserRecord, wanted: RowValues['status'], unlock: boolean, now: string): Step[] {
  const steps: Step[] = []
  let at = user
  const act = (action: Step['action']): void => {
    const after = actedOn(action, at, now)
    steps.push({ action, before: at, after })
    at = after
  }
  if (wanted === undefined || wanted === at.status) return steps
  if (wanted === 'DEACTIVATED') act('deactivate')
  else if (at.status === 'DEACTIVATED') act('reactivate')
  if (wanted === 'LOCKED' && at.status === 'ACTIVE') act('lock')
  if (wanted === 'ACTIVE' && at.status === 'LOCKED' && unlock) act('unlock')
  return steps
}

const nameFields = ['username', 'external_id'] as const

/** The names that a user takes and gives up by a change. */
function namesOf(before: UserRecord, after: UserRecord): Pick<Judged, 'takes' | 'gives'> {
  const [takes, gives]: [Taken[], string[]] = [[], []]
  for (const field of nameFields) {
    const [had, has] = [before[field], after[field]].map((value) =>
      value === null || value === undefined ? undefined : reservedName[field](value),
    )
    if (had === has) continue
    if (has !== undefined) takes.push({ name: has, field })
    if (had !== undefined) gives.push(had)
  }
  return { takes, gives }
}

// New users.

async function creationIn(judging: Judging, row: Row, id: string): Promise<Decided & { user: string }> {
  const { context, references, options } = judging
  const { primary_user_group, tags, attributes, ...values } = row.values
  const named = primary_user_group === undefined || primary_user_group === null
  const group = named ? undefined : await judging.groupOf(primary_user_group)
  const sent = {
    ...{ role: 'USER', status: 'ACTIVE', ...values, id: values.id ?? id, [fieldOfKey[options.match_by]]: row.key },
    ...(group === undefined ? {} : { primary_user_group_id: group }),
    ...(tags === undefined ? {} : { tags: [...new Set(tags)].map((name) => ({ name })) }),
    attributes: Object.entries(attributes ?? {}).flatMap(([name, value]) => (value === null ? [] : [{ name, value }])),
  }
  const { body, faults } = judgeCreation(sent)
  const found = await readReferences(references, body)
  const all = [...faults, ...codedIn(found.fault)].map((fault) => inFields(fault, sent.attributes))
  if (all.length > 0) throw new RowFaults(all)
  const actor = await context.actor()
  checkNewRole(actor, (body as Creation).role)
  const { predefined } = await context.organisation()
  const after = userFrom(withLanguage(body as Creation, found), {
    id: String(sent.id),
    now: context.now,
    group: found.group?.id ?? predefined.ALL_USERS ?? '',
  })
  checkAdministrator(actor, undefined, after)
  // A group that the row does not name is the one of all users, whichever that is when the user is created.
  const fields = fieldsOfNew(after).filter(({ field }) => group !== undefined || field !== 'primary_user_group')
  const takes = nameFields.flatMap((field): Taken[] => {
    const value = after[field]
    return value === null ? [] : [{ name: reservedName[field](value), field }]
  })
  return { user: after.id, changes: [{ action: 'CREATE', fields, row: row.row }], takes, gives: [] }
}

/** A fault of the list of attributes in a creation, with the name of the attribute in place of its number. */
function inFields({ code, fault }: CodedFault, attributes: readonly { name: string }[]): CodedFault {
  const [field, place] = fault.property.split('.')
  const name = field === 'attributes' && place !== undefined ? attributes[Number(place)]?.name : undefined
  return name === undefined ? { code, fault } : faultAt(code, `attributes.${name}`, fault.message)
}

// Faults.

const codedIn = (error: AppError | undefined): CodedFault[] =>
  error ? (error.errors ?? []).map((fault) => ({ code: error.code, fault })) : []

/** The faults that an error is, with the columns of the file. Throws it if it is none. */
export function faultsIn({ headerOf }: Pick<Columns, 'headerOf'>, row: number, error: unknown): PlanFault[] {
  if (error instanceof RowFaults || (error instanceof AppError && error.errors)) {
    const found = error instanceof RowFaults ? error.found : codedIn(error as AppError)
    return found.map(({ code, fault: { property, message } }) => {
      const column = columnOf(headerOf, property)
      return { row, column, code, detail: `${column ?? fieldIn(property)} ${message}` }
    })
  }
  const refusal = refusalIn(error)
  if (!refusal) throw error
  const property = error instanceof AppError ? error.property : undefined
  return [{ row, column: property === undefined ? null : columnOf(headerOf, property), ...refusal }]
}

/** The field of a user that a property of a body is about. */
function fieldIn(property: string): string {
  const [field = '', ...inside] = property.split('.')
  if (field === 'attributes' && inside.length > 0) return `attribute:${inside.join('.')}`
  return field === 'primary_user_group_id' ? 'primary_user_group' : field
}

const columnOf = (headerOf: Columns['headerOf'], property: string): string | null => headerOf(fieldIn(property))
