import type { ErrorCode } from '../../schemas/errors.ts'
import type { countNames, planActions, planKinds, planStates } from '../../schemas/plans.ts'
import type { Scope } from '../../schemas/scopes.ts'
import { type AppError, refuse } from '../base/errors.ts'
import { DAY_MS, isPast, momentAfter, withSortedKeys } from '../base/text.ts'
import type { Input } from '../request/context.ts'
import { amendRecord, replaceRecord } from '../table/changes.ts'
import { a, declareFields, everywhere, type RecordOf } from '../table/fields.ts'
import { planKey } from '../table/keys.ts'
import { defineRecord } from '../table/records.ts'
import type { Action, Store } from '../table/store.ts'
import type { FileWork } from './file/fileWork.ts'

export type PlanState = (typeof planStates)[number]
export type PlanKind = (typeof planKinds)[number]
export type PlanAction = (typeof planActions)[number]
export type PlanCounts = Record<(typeof countNames)[number], number>

type Body = Input<'createPlan'>['body']
export type Selection = NonNullable<Body['select']>
export type Change = NonNullable<Body['change']>

/** A selection as a plan keeps it: `user_ids` are kept apart; their number and SHA-256 stand here. */
export type KeptSelection = Omit<Selection, 'user_ids'> & { user_ids?: { count: number; sha256: string } }

/** What only plans of files have. */
export const fileOptions = [
  'format',
  'match_by',
  'mode',
  'columns',
  'empty',
  'pending',
  'unlock',
  'absent',
  'absent_among',
  'include_administrators',
  'on_fault',
] as const satisfies readonly (keyof Body)[]
type FileOptions = Omit<Pick<Body, (typeof fileOptions)[number]>, 'absent_among'>

/** What was asked for. */
export type PlanRequest = FileOptions & {
  select?: KeptSelection
  change?: Change
  absent_among?: KeptSelection
  limits?: NonNullable<Body['limits']>
  plan_id?: string
}

/** A fault of a whole plan, or the reason why a change was not made. */
export type Problem = { code: ErrorCode; detail: string }

/** Where the work on a plan goes on. */
export type Position = {
  /** Counts the transactions of the work, so that none is done twice. */
  step: number
  /** The number of the next change. */
  next: number
  /** How users are found (see selection.ts); null before that is decided. */
  by: 'IDS' | 'WALK' | null
  /** How many users were looked at, of about `total`. */
  looked: number
  total: number
  /** The last user of a walk. */
  after: string | null
  /** How often users who have moved meanwhile were looked for. */
  again: number
  /** How many faults are listed. */
  faults?: number
  /** The work on a file: see file/checkFile.ts. */
  file?: FileWork
}
export const start: Position = { step: 0, next: 1, by: null, looked: 0, total: 0, after: null, again: 0 }

/** What the caller says about the whole file, unpacked, and whether that is true. */
export type FileSum = {
  parts: number
  bytes: number
  sha256: string
  rows: number | null
  /** A digest of the parts whose bytes were found to have this SHA-256; null before that. */
  summed: string | null
  /** How far the comparison is, if it takes several runs, and the state of the calculation. */
  so_far?: { offset: number; state: string }
}

/** Nothing is counted yet. */
export const noCounts: PlanCounts = {
  ...{ rows: 0, creations: 0, updates: 0, lifecycle: 0, assignments: 0, unchanged: 0 },
  ...{ faults: 0, absent: 0, planned: 0, done: 0, skipped: 0, failed: 0 },
}

const notOwn = ['EVENTS', 'ETAG'] as const
export const planFields = declareFields({
  id: { type: a<string>() },
  kind: { type: a<PlanKind>() },
  title: { type: a<string | null>(), set: 'ONCE', default: null, hidden: ['EVENTS'] },
  state: { type: a<PlanState>(), hidden: ['ETAG'] },
  request: { type: a<PlanRequest>(), hidden: ['EVENTS'] },
  /** As they were when the state last changed: events show them. Answers show `tally`. */
  counts: { type: a<PlanCounts>(), initial: noCounts, hidden: ['ETAG'] },
  progress: { type: a<{ done: number; total: number } | null>(), initial: null, hidden: notOwn },
  fault: { type: a<Problem | null>(), initial: null, hidden: notOwn },
  created_by: { type: a<string>(), hidden: ['EVENTS'] },
  created_at: { type: a<string>() },
  /** The scopes that a service token needs for it. An undo needs those of the plan that it takes back, which may be gone by then. */
  scopes: { type: a<readonly Scope[]>(), hidden: everywhere },
  checked_at: { type: a<string | null>(), initial: null, hidden: notOwn },
  applied_by: { type: a<string | null>(), initial: null, hidden: notOwn },
  applied_at: { type: a<string | null>(), initial: null, hidden: notOwn },
  finished_at: { type: a<string | null>(), initial: null, hidden: notOwn },
  expires_at: { type: a<string | null>(), initial: null, hidden: notOwn },
  deletes_at: { type: a<string | null>(), initial: null, hidden: notOwn },
  undone_by: { type: a<string | null>(), initial: null, hidden: notOwn },
  ignored_columns: { type: a<string[]>(), later: true, default: [], hidden: notOwn },
  tally: { type: a<PlanCounts>(), initial: noCounts, hidden: everywhere },
  position: { type: a<Position>(), initial: start, hidden: everywhere },
  /** The call that applied it: what the changes write has its request as cause. */
  apply_request: { type: a<string | null>(), initial: null, hidden: everywhere },
  /** Whether what was done before it was cancelled is counted. */
  settled: { type: a<boolean>(), initial: true, hidden: everywhere },
  /** The file as the call that checks it has described it. */
  file: { type: a<FileSum | null>(), later: true, default: null, hidden: everywhere },
  /** Whether files of it may be left. */
  has_files: { type: a<boolean | null>(), later: true, default: null, hidden: everywhere },
  /** Whether the values of its changes are removed. */
  forgotten: { type: a<boolean>(), initial: false, hidden: everywhere },
})

/** A plan as it is stored. */
export type Plan = RecordOf<typeof planFields>

const verbs: Partial<Record<PlanState, string>> = {
  READY: 'checked',
  REFUSED: 'checked',
  APPLYING: 'applied',
  CANCELLED: 'cancelled',
  DONE: 'finished',
  EXPIRED: 'finished',
}

export const plans = defineRecord<Plan>({
  key: planKey,
  fields: planFields,
  idOf: ({ id }) => [id],
  events: { kind: 'plan', verb: (_, after) => verbs[after.state] },
})

export const newPlan = planFields.create

/** How long a plan waits for its file. */
const WAITING_MS = DAY_MS
/** How long a plan can be applied, once it is checked. */
const READY_MS = 7 * DAY_MS
/** How long a plan can be read after its end. */
const KEPT_MS = 30 * DAY_MS
/** How long the values of changes are kept that were not made. */
const VALUES_MS = 7 * DAY_MS

export const expiryFrom = (now: string): string => momentAfter(now, READY_MS)
export const endOfWaiting = (now: string): string => momentAfter(now, WAITING_MS)

/** States that end by themselves if nobody calls in time. */
const passing: readonly PlanState[] = ['WAITING', 'READY']

const ended: readonly PlanState[] = ['REFUSED', 'DONE', 'CANCELLED', 'EXPIRED']
export const hasEnded = ({ state }: Pick<Plan, 'state'>): boolean => ended.includes(state)

/** What is written when a plan ends: it is kept for 30 days more. */
export const ending = (state: PlanState, now: string): Partial<Plan> => ({
  state,
  progress: null,
  expires_at: null,
  finished_at: now,
  deletes_at: momentAfter(now, KEPT_MS),
})

/**
 * When values of a plan's changes are removed; undefined if none are. Of a plan that was carried out to its end, they are those of
 * users who were not created; of all others all.
 */
export const forgetsAt = ({ state, finished_at, forgotten, tally }: Plan): string | undefined =>
  !forgotten && finished_at !== null && (state !== 'DONE' || tally.creations > 0)
    ? momentAfter(finished_at, VALUES_MS)
    : undefined

/** Whether the values of a plan's changes are removed, or about to be. */
export function hidesValues(plan: Plan, now: string): boolean {
  const forgets = forgetsAt(plan)
  return plan.forgotten || (forgets !== undefined && forgets <= now)
}

/** A plan as of now: one whose time to be uploaded or applied is over is EXPIRED since then, whether that is written yet or not. */
export const stateNow = (plan: Plan, now: string): Plan =>
  passing.includes(plan.state) && isPast(plan.expires_at ?? undefined, now)
    ? { ...plan, ...ending('EXPIRED', plan.expires_at ?? now) }
    : plan

/** A plan as calls see it now; undefined if it has been kept long enough, whether it is removed yet or not. */
export function seenNow(plan: Plan, now: string): Plan | undefined {
  const seen = stateNow(plan, now)
  return isPast(seen.deletes_at ?? undefined, now) ? undefined : seen
}

/** The plan as of now; undefined if there is none any more. */
export async function readPlan(store: Pick<Store, 'get'>, id: string, now: string): Promise<Plan | undefined> {
  const plan = await plans.read(store, id)
  return plan && seenNow(plan, now)
}

/** The plan that a path names. Throws PLAN_NOT_FOUND. */
export async function requirePlan(store: Pick<Store, 'get'>, id: string, now: string): Promise<Plan> {
  const plan = await readPlan(store, id, now)
  if (!plan) throw refuse('PLAN_NOT_FOUND', 'plan_id')
  return plan
}

export const stateConflict = ({ state }: Pick<Plan, 'state'>, but: string): AppError =>
  refuse('PLAN_STATE_CONFLICT', undefined, `The plan is ${state}: ${but}`)

/** A plan as it is answered. */
export const viewPlan = (plan: Plan) => ({
  ...planFields.shown(plan),
  // The database does not keep the order of what was sent.
  request: {
    ...(withSortedKeys(plan.request) as PlanRequest),
    // What the call said that checks it: who has a file can tell whether it is this one.
    ...(plan.file ? { file: { bytes: plan.file.bytes, sha256: plan.file.sha256 } } : {}),
  },
  counts: plan.tally,
})

/** The answer that shows a plan. */
export const answerPlan = (plan: Plan, status = 200) => ({
  status,
  body: viewPlan(plan),
  own: planFields.own(plan),
})

/** Another state of a plan, with an event. Stale if the plan has another state, or its work has gone on. */
export function move(plan: Plan, fields: Partial<Plan> & { state: PlanState }): { after: Plan; action: Action } {
  const counts = fields.tally ?? plan.tally
  const after = { ...plan, ...fields, counts }
  return { after, action: replaceRecord(plans, plan, after) }
}

/** Progress of the work on a plan, without an event. Stale if its state is another one, or another process has done the step. */
export function progressed(
  plan: Plan,
  fields: Partial<Plan> & { position: Position },
): { after: Plan; action: Action } {
  const { state, position } = plan
  return {
    after: { ...plan, ...fields },
    action: amendRecord(plans, plan, fields, { expected: { state, position } }),
  }
}

/** Counts with more added. */
export const adding = (counts: PlanCounts, more: Partial<PlanCounts>): PlanCounts => {
  const sum = { ...counts }
  for (const [name, by] of Object.entries(more)) sum[name as keyof PlanCounts] += by
  return sum
}

/** What kind of change an action is counted as. */
export const countOf: Record<PlanAction, keyof PlanCounts> = {
  CREATE: 'creations',
  UPDATE: 'updates',
  LOCK: 'lifecycle',
  UNLOCK: 'lifecycle',
  DEACTIVATE: 'lifecycle',
  REACTIVATE: 'lifecycle',
  DELETE: 'lifecycle',
  RESTORE: 'lifecycle',
  ASSIGN: 'assignments',
  UNASSIGN: 'assignments',
}
