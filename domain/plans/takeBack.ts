import { readUser, type UserRecord } from '../people/records/user.ts'
import { actedOn } from '../people/records/userRules.ts'
import { planPartKey, planParts } from '../table/keys.ts'
import type { Store } from '../table/store.ts'
import {
  entriesOf,
  type FieldChange,
  fieldChanges,
  isAsBefore,
  type PlannedChange,
  type ReadChange,
  readChanges,
  type StoredChange,
  type StoredSlice,
  sliceIn,
} from './change.ts'
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
  while (slice) {
    const done = (await readChanges(store, plan, entriesOf(slice))).filter(({ outcome }) => outcome === 'DONE')
    const verdicts = await Promise.all(done.toReversed().map((change) => verdictOn(checking, change)))
    const after = String(slice.first)
    yield { verdicts, at: { by: 'IDS', after, total } }
    slice = await sliceBefore(store, plan, after)
  }
}

/** The last slice of a plan that begins before a change; the very last one without it. */
async function sliceBefore(
  store: Pick<Store, 'query'>,
  plan: string,
  first: string | null,
): Promise<StoredSlice | undefined> {
  if (first === '1') return undefined
  const range = planParts(plan, 'SLICE')
  const to = first === null ? range.to : planPartKey(plan, 'SLICE', Number(first) - 1).sk
  const { items } = await store.query({ ...range, ...(to ? { to } : {}), descending: true, limit: 1 })
  return items[0] && sliceIn(items[0])
}

async function verdictOn({ context }: Checking, change: ReadChange): Promise<Verdict> {
  const { user: id, row } = change
  const user = await readUser(context.store, id, context.now)
  const gone = { code: 'USER_NOT_FOUND', detail: 'There is no such user any more' } as const
  if (!user || change.isGone) return { user: id, fault: faultOf(row, id, gone) }
  const planned = oppositeOf(change, user, context.now)
  if (!(await isAsBefore(context.store, user, planned.fields)))
    return { user: id, change: planned, skipped: changedSince }
  try {
    await requireAllowed(context, user, planned)
    return { user: id, change: planned }
  } catch (error) {
    const refusal = refusalIn(error)
    if (!refusal) throw error
    return { user: id, fault: faultOf(row, id, refusal) }
  }
}

/** The change that takes another one back: its values the other way round. */
function oppositeOf({ action, fields, row }: StoredChange, user: UserRecord, now: string): PlannedChange {
  const back = fields.map(({ field, before, after }): FieldChange => ({ field, before: after, after: before }))
  const act = opposite[action]
  if (act !== 'RESTORE' || !user.deletion_at) return { action: act, fields: back, row }
  // The deadline began when the change was made: it ends now, and comes back if the undo is taken back.
  const deadline = fieldChanges(user, actedOn('restore', user, now)).filter(({ field }) => field === 'deletion_at')
  return { action: act, fields: [...back, ...deadline], row }
}
