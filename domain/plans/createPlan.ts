import { AppError, type CodedFault, faultAt, refuse, refuseFault, requireNone } from '../base/errors.ts'
import { readDefinitions } from '../people/records/definitionSlots.ts'
import type { Context, Input } from '../request/context.ts'
import { reserveIdempotencyKey } from '../request/repetition.ts'
import { amendRecord, createRecord } from '../table/changes.ts'
import { planIdOf } from '../table/keys.ts'
import type { Action } from '../table/store.ts'
import { faultsOfSelection, keptSelection, requireKnown } from './askedSelection.ts'
import { meaningsBy, type NamedColumns, plain, shortened } from './file/columns.ts'
import { judgeOf, requireFeature } from './judge.ts'
import { addOpen, readOpenPlans } from './openPlans.ts'
import {
  answerPlan,
  type Change,
  endOfWaiting,
  fileOptions,
  hasEnded,
  hidesValues,
  newPlan,
  type Plan,
  type PlanKind,
  type PlanRequest,
  type Position,
  plans,
  readPlan,
  requirePlan,
  start,
  stateConflict,
} from './plan.ts'
import { requireScopes, scopesOf } from './planRights.ts'
import { idItems } from './selection.ts'
import { wakePlan } from './wake.ts'

type Body = Input<'createPlan'>['body']

/** Makes a plan: of a selection and a change, of a file that is still to come, or one that takes back another plan. A worker works it out. */
export async function createPlan(context: Context, { body }: Input<'createPlan'>) {
  const { store, now } = context
  const id = planIdOf(now, context.newId())
  const [{ plan, actions }, open] = await Promise.all([makers[body.kind](context, body, id), readOpenPlans(store)])
  await store.write([
    ...reserveIdempotencyKey(context, id),
    createRecord(plans, plan),
    addOpen(open, plan, now),
    ...actions,
    wakePlan(id, now),
  ])
  return answerPlan(plan, 201)
}

type Made = { plan: Plan; actions: Action[] }

type Asked = Pick<Plan, 'request' | 'scopes'>

const planOf = ({ now, actorId }: Context, id: string, { kind, title }: Body, asked: Asked): Plan =>
  newPlan({ title }, { id, kind, state: 'CHECKING', ...asked, created_by: actorId, created_at: now })

const makers: Record<PlanKind, (context: Context, body: Body, id: string) => Promise<Made>> = {
  SELECTION: selectionOf,
  FILE: fileOf,
  UNDO: undoOf,
}

/** What a plan of each kind may have, besides its title. */
const known: Record<PlanKind, readonly string[]> = {
  SELECTION: ['select', 'change', 'limits'],
  FILE: [...fileOptions, 'limits'],
  UNDO: ['plan_id'],
}

const fault = (property: string, message: string): CodedFault => faultAt('VALIDATION_ERROR', property, message)

/** Faults that the schema cannot name: what belongs to another kind of plan. */
function misplaced({ kind, title: _, ...given }: Body): CodedFault[] {
  const names = Object.keys(given).filter((name) => !known[kind].includes(name))
  const percents = kind === 'FILE' ? [] : Object.keys(given.limits ?? {}).filter((name) => name !== 'changes')
  return [...names, ...percents.map((name) => `limits.${name}`)].map((name) =>
    fault(name, `must not be given with kind ${kind}`),
  )
}

// Selections.

async function selectionOf(context: Context, body: Body, id: string): Promise<Made> {
  const { select = {}, change = {}, limits } = body
  requireNone([
    ...misplaced(body),
    ...(body.change === undefined ? [fault('change', 'must be given')] : []),
    ...(body.select === undefined ? [fault('select', 'must be given')] : faultsOfSelection(select, 'select')),
  ])
  const { kept, ids } = keptSelection(select)
  const request: PlanRequest = { select: kept, change, ...(limits ? { limits } : {}) }
  const scopes = scopesOf(request)
  requireScopes(await context.actor(), scopes)
  await Promise.all([requireKnown(context, select, 'select'), requirePossible(context, change)])
  const plan = planOf(context, id, body, { request, scopes })
  if (!ids) return { plan, actions: [] }
  const position: Position = { ...start, by: 'IDS', total: ids.length }
  return { plan: { ...plan, position }, actions: idItems(id, ids) }
}

/** Refuses a change that cannot be made of anybody. Its faults are named by their place in this call. */
const requirePossible = (context: Context, change: Change): Promise<unknown> =>
  judgeOf(context, change).catch((error: unknown) => {
    throw error instanceof AppError ? placedIn(`change.${Object.keys(change)}`, error) : error
  })

function placedIn(part: string, error: AppError): AppError {
  const { code, property, detail, errors } = error
  if (property === undefined || property.startsWith('change.')) return error
  const placed = (name: string): string => `${part}.${name}`
  return new AppError(code, {
    property: placed(property),
    detail: detail?.startsWith(property) ? placed(detail) : detail,
    errors: errors?.map((fault) => ({ ...fault, property: placed(fault.property) })),
  })
}

// Files.

/** A plan that waits for its file. */
async function fileOf(context: Context, body: Body, id: string): Promise<Made> {
  const { kind: _, title: __, select: ___, absent_among: among, ...options } = body
  requireNone([...misplaced(body), ...faultsOfFile(body)])
  const { kept, ids } = among ? keptSelection(among) : {}
  const request: PlanRequest = { ...options, ...(kept ? { absent_among: kept } : {}) }
  const scopes = scopesOf(request)
  requireScopes(await context.actor(), scopes)
  await Promise.all([
    among && requireKnown(context, among, 'absent_among'),
    body.absent === 'DEACTIVATE' && requireFeature(context, 'DEACTIVATE', 'absent'),
    body.columns && requireColumns(context, body.columns),
  ])
  const plan = {
    ...planOf(context, id, body, { request, scopes }),
    state: 'WAITING',
    expires_at: endOfWaiting(context.now),
  } as const
  return { plan: { ...plan, has_files: true }, actions: ids ? idItems(id, ids) : [] }
}

/** A plan of a file keeps what the columns are called: its record must not grow too large. */
const MOST_CHARACTERS = 64_000

function faultsOfFile({ absent = 'KEEP', absent_among, mode, columns = {} }: Body): CodedFault[] {
  const takesAbsent = absent !== 'KEEP'
  return [
    ...(takesAbsent && mode !== 'FULL' ? [fault('mode', `must be FULL with absent ${absent}`)] : []),
    ...(takesAbsent && !absent_among ? [fault('absent_among', `must be given with absent ${absent}`)] : []),
    ...(absent_among ? faultsOfSelection(absent_among, 'absent_among') : []),
    ...(JSON.stringify(columns).length > MOST_CHARACTERS
      ? [fault('columns', `must have at most ${MOST_CHARACTERS} characters as JSON`)]
      : []),
  ]
}

/** Refuses columns whose fields do not exist, or that name a header twice. */
async function requireColumns({ store }: Context, columns: NamedColumns): Promise<void> {
  const double = [...Map.groupBy(Object.keys(columns), plain).values()].find((headers) => headers.length > 1)
  if (double)
    throw refuseFault('VALIDATION_ERROR', 'columns', `must name the header ${shortened(double[0] ?? '')} once`)
  // The database's library loses this one.
  if (Object.hasOwn(columns, '__proto__')) throw refuseFault('VALIDATION_ERROR', 'columns', 'must not name __proto__')
  meaningsBy(columns, await readDefinitions(store))
}

// Undos.

async function undoOf(context: Context, body: Body, id: string): Promise<Made> {
  const { store, now } = context
  requireNone(misplaced(body))
  const { plan_id } = body
  if (plan_id === undefined) throw refuse('VALIDATION_ERROR', 'plan_id', 'must be given with kind UNDO')
  const original = await requirePlan(store, plan_id, now)
  const { scopes } = original
  requireScopes(await context.actor(), scopes)
  await requireUndoable(context, original)
  const plan = planOf(context, id, body, { request: { plan_id }, scopes })
  return {
    plan,
    actions: [amendRecord(plans, original, { undone_by: id }, { expected: { undone_by: original.undone_by } })],
  }
}

/** Refuses to take back a plan of which nothing was done, whose values are gone, or that another plan takes back. */
async function requireUndoable({ store, now }: Context, plan: Plan): Promise<void> {
  const isDone = plan.state === 'DONE' || (plan.state === 'CANCELLED' && (plan.tally.done > 0 || !plan.settled))
  if (!isDone) throw stateConflict(plan, 'only what was done can be taken back')
  if (plan.state !== 'DONE' && hidesValues(plan, now)) throw stateConflict(plan, 'its values have been removed')
  const other = plan.undone_by === null ? undefined : await readPlan(store, plan.undone_by, now)
  if (!other || (hasEnded(other) && other.state !== 'DONE')) return
  throw stateConflict(plan, `the plan ${other.id} takes it back`)
}
