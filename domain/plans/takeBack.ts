import { refuse } from '../base/errors.ts'
import { readUser, type UserRecord } from '../people/records/user.ts'
import { actedOn } from '../people/records/userRules.ts'
import type { Context } from '../request/context.ts'
import { itemOfName, planItemKey, planItems } from '../table/keys.ts'
import type { Store } from '../table/store.ts'
import {
  changesOfUser,
  entriesOf,
  type FieldChange,
  fieldChanges,
  isAsAfter,
  isAsBefore,
  isOfLifeCycle,
  orderOf,
  type PlannedChange,
  type ReadChange,
  readChanges,
  type StoredChange,
  type StoredSlice,
  sliceIn,
  withFields,
} from './change.ts'
import { ownerIn } from './file/joinRows.ts'
import { reservedName } from './file/rowKey.ts'
import { requireAllowed } from './judge.ts'
import { type Plan, type PlanAction, plans } from './plan.ts'
import { type Checking, changedSince, type Found, faultOf, refusalIn, type Verdict } from './verdict.ts'

// An undo is a plan, too: for each change that was made, the one that takes it back, the last one first.

const opposite: Record<PlanAction, PlanAction> = {
  CREATE: 'DELETE',
  UPDATE: 'UPDATE',
  LOCK: 'UNLOCK',
  UNLOCK: 'LOCK',
  DEACTIVATE: 'REACTIVATE',
  REACTIVATE: 'DEACTIVATE',
  DELETE: 'RESTORE',
  RESTORE: 'DELETE',
  ASSIGN: 'UNASSIGN',
  UNASSIGN: 'ASSIGN',
}

/** The plan to take back is not counted to its end yet: the check waits for that. */
export class NotSettled extends Error {
  override name = 'NotSettled'
}

/** The changes that take back a plan, slice after slice from its last one. */
export async function* takenBack(checking: Checking, undo: Plan, plan: string): AsyncGenerator<Found> {
  const { store } = checking.work
  const original = await plans.read(store, plan)
  if (original && !original.settled) throw new NotSettled()
  const total = original?.tally.done ?? 0
  let slice = await sliceBefore(store, plan, undo.position.after)
  const given: Given = new Map()
  let { after, again: skip } = undo.position
  while (slice) {
    const done = (await readChanges(store, plan, entriesOf(slice))).filter(({ outcome }) => outcome === 'DONE')
    const units = await unitsOf(checking, { undo: undo.id, given }, done.toReversed())
    for (const { verdicts, place } of inSteps(units, skip))
      yield { verdicts, at: { by: 'IDS', after, again: place, total } }
    after = String(slice.first)
    skip = 0
    yield { verdicts: [], at: { by: 'IDS', after, again: 0, total } }
    slice = await sliceBefore(store, plan, after)
  }
}

/** The most changes of a step: a change can be taken back by two, so a slice may need two steps. */
const MOST_CHANGES = 80

/** What a slice needs, from a place on, in pieces that each fit into a step; and the place behind each. */
function* inSteps(units: readonly Verdict[][], from: number): Generator<{ verdicts: Verdict[]; place: number }> {
  let verdicts: Verdict[] = []
  for (const [place, unit] of units.entries()) {
    if (place < from) continue
    if (verdicts.length > 0 && verdicts.length + unit.length > MOST_CHANGES) {
      yield { verdicts, place }
      verdicts = []
    }
    verdicts.push(...unit)
  }
  if (verdicts.length > 0) yield { verdicts, place: units.length }
}

/** The names that an undo gives up, with the users who have them until then. */
type Given = Map<string, string>
type Undoing = { undo: string; given: Given }

/** The users of a slice, as they are once what was judged before is taken back. */
type Present = Map<string, UserRecord | undefined>

/** What is known of each change of a slice, or of each circle, the last one first: it is judged by what those before it leave. */
async function unitsOf(checking: Checking, undoing: Undoing, done: readonly ReadChange[]): Promise<Verdict[][]> {
  const { store, now } = checking.context
  const ids = [...new Set(done.map(({ user }) => user))]
  const found = await Promise.all(ids.map((id) => readUser(store, id, now)))
  const present: Present = new Map(ids.map((id, n) => [id, found[n]]))
  const units: Verdict[][] = []
  for (const unit of circlesIn(done)) units.push(await unitOf(checking, undoing, unit, present))
  return units
}

async function unitOf(
  checking: Checking,
  undoing: Undoing,
  unit: readonly ReadChange[],
  present: Present,
): Promise<Verdict[]> {
  // Those of a circle are judged as if each of the others had given up its name.
  if (unit.length > 1) for (const one of unit) noteGiven(undoing.given, one)
  const verdicts: Verdict[] = []
  for (const change of unit) verdicts.push(...(await verdictsOf(checking, undoing, change, present.get(change.user))))
  for (const { change, user, skipped, faults } of verdicts) {
    const before = present.get(user)
    if (change && !skipped && !faults && before) present.set(user, withFields(before, change))
  }
  return unit.length > 1 ? wholeCircle(verdicts) : verdicts
}

/** Changes one by one, those of a circle together. */
function circlesIn(changes: readonly ReadChange[]): ReadChange[][] {
  const units = Map.groupBy(changes, ({ number, together }) => together?.join(' ') ?? number)
  return [...units.values()]
}

/** Notes the names that taking back a change gives up. The names of somebody who is deleted stay reserved. */
function noteGiven(given: Given, { user, action, fields }: ReadChange): void {
  if (action === 'CREATE') return
  for (const field of nameFields) {
    const value = fields.find((one) => one.field === field)?.after
    if (typeof value === 'string') given.set(reservedName[field](value), user)
  }
}
const nameFields = ['username', 'external_id'] as const

/** If one of a circle is not taken back, none is. */
const wholeCircle = (verdicts: readonly Verdict[]): Verdict[] =>
  verdicts.some(({ skipped, faults }) => skipped || faults)
    ? verdicts.map((one) => (one.faults ? one : { ...one, skipped: changedSince }))
    : [...verdicts]

/** The last slice of a plan that begins before a change; the very last one without it. */
async function sliceBefore(
  store: Pick<Store, 'query'>,
  plan: string,
  first: string | null,
): Promise<StoredSlice | undefined> {
  if (first === '1') return undefined
  const range = planItems(plan, 'SLICE')
  const to = first === null ? range.to : planItemKey(plan, 'SLICE', Number(first) - 1).sk
  const { items } = await store.query({ ...range, ...(to ? { to } : {}), descending: true, limit: 1 })
  return items[0] && sliceIn(items[0])
}

async function verdictsOf(
  { context }: Checking,
  undoing: Undoing,
  change: ReadChange,
  user: UserRecord | undefined,
): Promise<Verdict[]> {
  const { user: id, row } = change
  const gone = { code: 'USER_NOT_FOUND', detail: 'There is no such user any more' } as const
  if (!user || change.isGone) return [{ user: id, faults: faultOf(row, id, gone) }]
  const planned = oppositesOf(change, user, context.now)
  const first = planned[0] as PlannedChange
  const isSame = change.action !== 'CREATE' || isAsAfter(user, change.fields)
  if (!isSame || !(await isAsBefore(context.store, user, first.fields)))
    return [{ user: id, change: first, skipped: changedSince }]
  return judgedBack(context, undoing, { change, planned, user }).catch((error: unknown) => {
    const refusal = refusalIn(error)
    if (!refusal) throw error
    return [{ user: id, faults: faultOf(row, id, refusal) }]
  })
}

type Back = { change: ReadChange; planned: readonly PlannedChange[]; user: UserRecord }

/** The changes that take one back, if their caller may make them, and nobody else has the names. */
async function judgedBack(context: Context, undoing: Undoing, { change, planned, user }: Back): Promise<Verdict[]> {
  const [first] = planned as [PlannedChange]
  const after = await namesBack(context, undoing, first)
  for (const one of planned) await requireAllowed(context, user, one)
  noteGiven(undoing.given, change)
  if (after.length > 0 && !first.together) first.after = after
  return planned.map((one, n) => ({ user: user.id, change: one, ...(n > 0 ? { as: 'FURTHER' as const } : {}) }))
}

/** The users for whom names wait that are taken back, as the undo changes them first. Throws NAME_RESERVED if somebody else keeps one. */
async function namesBack(context: Context, undoing: Undoing, { fields }: PlannedChange): Promise<string[]> {
  const waits = await Promise.all(nameFields.map((field) => holderBefore(context, undoing, fields, field)))
  return waits.filter((one) => one !== undefined)
}

/** Who gives up a name that is taken back; undefined if it is free, or is not taken back. */
async function holderBefore(
  context: Context,
  { undo, given }: Undoing,
  fields: readonly FieldChange[],
  field: (typeof nameFields)[number],
): Promise<string | undefined> {
  const { before, after } = fields.find((one) => one.field === field) ?? {}
  if (typeof after !== 'string') return undefined
  const name = reservedName[field](after)
  if (typeof before === 'string' && reservedName[field](before) === name) return undefined
  const holder = ownerIn(await context.store.get(itemOfName(name)), context.now)
  if (!holder) return undefined
  if (given.get(name) !== holder.id && !(await givesBack(context, undo, holder.id, name)))
    throw refuse('NAME_RESERVED', field, reservedUntil(field, holder.until))
  return holder.id
}

const reservedUntil = (field: string, until: string | undefined): string =>
  until ? `The ${field} is reserved until ${until}` : `Another user has the ${field} by now`

/** Whether an earlier change of an undo gives up a name. */
async function givesBack({ store }: Context, undo: string, user: string, name: string): Promise<boolean> {
  const changes = await changesOfUser(store, undo, user)
  return changes.some(({ fields, outcome }) =>
    fields.some(
      ({ field, before }) =>
        (field === 'username' || field === 'external_id') &&
        outcome === 'PLANNED' &&
        typeof before === 'string' &&
        reservedName[field](before) === name,
    ),
  )
}

/** The changes that take another one back: its values the other way round. */
function oppositesOf(change: StoredChange, user: UserRecord, now: string): PlannedChange[] {
  const { action, fields, row, together } = change
  const back = fields.map(({ field, before, after }): FieldChange => ({ field, before: after, after: before }))
  const act = opposite[action]
  if (action === 'CREATE') {
    const status = fieldChanges(user, actedOn('delete', user, now)).filter(({ field }) => field === 'status')
    return [{ action: act, fields: status, row }]
  }
  const others = back.filter((field) => !isOfLifeCycle(field))
  // What was restored and changed at once is changed back first.
  if (action === 'RESTORE' && others.length > 0)
    return [
      { action: 'UPDATE', fields: others, row, ...orderOf(user, others, change.order) },
      { action: act, fields: back.filter(isOfLifeCycle), row, after: [change.user] },
    ]
  const links = together ? { together: [...together] } : {}
  if (act !== 'RESTORE' || !user.deletion_at)
    return [{ action: act, fields: back, row, ...orderOf(user, back, change.order), ...links }]
  // The deadline began when the change was made: it ends now, and comes back if the undo is taken back.
  const deadline = fieldChanges(user, actedOn('restore', user, now)).filter(({ field }) => field === 'deletion_at')
  return [{ action: act, fields: [...back, ...deadline], row }]
}
