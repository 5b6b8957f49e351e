import { hash } from 'node:crypto'
import { AppError, type CodedFault, faultAt, refuse, requireNone } from '../base/errors.ts'
import { definitions } from '../people/records/attributeDefinition.ts'
import { groups } from '../people/records/group.ts'
import { roles } from '../people/records/role.ts'
import type { Context, Input } from '../request/context.ts'
import { reserveIdempotencyKey } from '../request/repetition.ts'
import { planIdOf } from '../table/keys.ts'
import type { Action } from '../table/store.ts'
import { judgeOf } from './judge.ts'
import { addOpen, readOpenPlans } from './openPlans.ts'
import {
  answerPlan,
  type Change,
  hasEnded,
  hidesValues,
  newPlan,
  type Plan,
  type PlanRequest,
  type Position,
  plans,
  readPlan,
  requirePlan,
  start,
  stateConflict,
} from './plan.ts'
import { requireScopes, scopesOf } from './planRights.ts'
import { idItems, wordsOf } from './selection.ts'
import { wakePlan } from './wake.ts'

type Body = Input<'createPlan'>['body']

/** Makes a plan of a selection and a change, or one that takes back another plan. A worker works it out. */
export async function createPlan(context: Context, { body }: Input<'createPlan'>) {
  const { store, now } = context
  const id = planIdOf(now, context.newId())
  const [{ plan, actions }, open] = await Promise.all([
    body.kind === 'UNDO' ? undoOf(context, body, id) : selectionOf(context, body, id),
    readOpenPlans(store),
  ])
  await store.write([
    ...reserveIdempotencyKey(context, id),
    plans.create(plan),
    addOpen(open, id, now),
    ...actions,
    wakePlan(id, now),
  ])
  return answerPlan(plan, 201)
}

type Made = { plan: Plan; actions: Action[] }

type Asked = Pick<Plan, 'request' | 'scopes'>

const planOf = ({ now, actorId }: Context, id: string, { kind, title }: Body, asked: Asked): Plan =>
  newPlan({ title }, { id, kind, state: 'CHECKING', ...asked, created_by: actorId, created_at: now })

// Selections.

async function selectionOf(context: Context, body: Body, id: string): Promise<Made> {
  requireNone(faultsOf(body))
  const { select = {}, change = {}, limits } = body
  const { user_ids, ...others } = select
  const request: PlanRequest = {
    select: { ...others, ...(user_ids ? { user_ids: { count: user_ids.length, sha256: digestOf(user_ids) } } : {}) },
    change,
    ...(limits ? { limits } : {}),
  }
  const scopes = scopesOf(request)
  requireScopes(await context.actor(), scopes)
  await Promise.all([requireKnown(context, others), requirePossible(context, change)])
  const plan = planOf(context, id, body, { request, scopes })
  if (!user_ids) return { plan, actions: [] }
  const position: Position = { ...start, by: 'IDS', total: user_ids.length }
  return { plan: { ...plan, position }, actions: idItems(id, user_ids) }
}

const digestOf = (ids: readonly string[]): string => hash('sha256', JSON.stringify(ids))

/** Faults that the schema cannot name: what goes together, and what is missing. A blank is no "not given". */
function faultsOf({ select, change, plan_id }: Body): CodedFault[] {
  return [
    ...(plan_id === undefined ? [] : [fault('plan_id', 'must be given only with kind UNDO')]),
    ...(change === undefined ? [fault('change', 'must be given')] : []),
    ...(select === undefined ? [fault('select', 'must be given')] : faultsOfSelection(select)),
  ]
}

const fault = (property: string, message: string): CodedFault => faultAt('VALIDATION_ERROR', property, message)

/** Filters that need another one beside them. */
const pairs = [
  ['attribute_technical_name', 'attribute_value'],
  ['attribute_value', 'attribute_technical_name'],
  ['role_id', 'user_group_id'],
] as const

function faultsOfSelection(select: NonNullable<Body['select']>): CodedFault[] {
  const named = Object.keys(select)
  const isWhole = select.all !== undefined || select.user_ids !== undefined
  const lone = pairs.filter(([one, other]) => select[one] !== undefined && select[other] === undefined)
  return [
    ...(named.length === 0 ? [fault('select', 'must say which users: by all, user_ids or filters')] : []),
    ...(isWhole && named.length > 1 ? [fault('select', 'must have nothing beside all or user_ids')] : []),
    ...lone.map(([one, other]) => fault(`select.${other}`, `must be given together with ${one}`)),
    ...(select.search_term !== undefined && wordsOf(select).length === 0
      ? [fault('select.search_term', 'must have a word')]
      : []),
  ]
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

type Filters = Omit<NonNullable<Body['select']>, 'user_ids'>

/** Refuses a selection that names records that do not exist: it would match nobody by a slip of the pen. */
async function requireKnown(
  { store }: Context,
  { user_group_id, role_id, attribute_technical_name: name }: Filters,
): Promise<void> {
  const [group, role, definition] = await Promise.all([
    user_group_id === undefined ? true : groups.read(store, user_group_id),
    role_id === undefined ? true : roles.read(store, role_id),
    name === undefined ? true : definitions.read(store, name),
  ])
  if (!group) throw refuse('UNKNOWN_USER_GROUP_ID', 'select.user_group_id')
  if (!role) throw refuse('ROLE_DOES_NOT_EXIST', 'select.role_id')
  if (!definition) throw refuse('NO_USER_ATTRIBUTE_DEFINITION_FOR_NAME_FOUND', 'select.attribute_technical_name')
}

// Undos.

async function undoOf(context: Context, body: Body, id: string): Promise<Made> {
  const { store, now } = context
  const wrong = (['select', 'change', 'limits'] as const).filter((name) => body[name] !== undefined)
  requireNone(wrong.map((name) => faultAt('VALIDATION_ERROR', name, 'must not be given with kind UNDO')))
  const { plan_id } = body
  if (plan_id === undefined) throw refuse('VALIDATION_ERROR', 'plan_id', 'must be given with kind UNDO')
  const original = await requirePlan(store, plan_id, now)
  const { scopes } = original
  requireScopes(await context.actor(), scopes)
  await requireUndoable(context, original)
  const plan = planOf(context, id, body, { request: { plan_id }, scopes })
  return { plan, actions: [plans.amend(original, { undone_by: id }, { expected: { undone_by: original.undone_by } })] }
}

/** Refuses to take back a plan of which nothing was done, whose values are gone, or that another plan takes back. */
async function requireUndoable({ store, now }: Context, plan: Plan): Promise<void> {
  const isDone = plan.state === 'DONE' || (plan.state === 'CANCELLED' && (plan.tally.done > 0 || !plan.settled))
  if (!isDone) throw stateConflict(plan, 'only what was done can be taken back')
  if (hidesValues(plan, now)) throw stateConflict(plan, 'its values have been removed')
  const other = plan.undone_by === null ? undefined : await readPlan(store, plan.undone_by, now)
  if (!other || (hasEnded(other) && other.state !== 'DONE')) return
  throw stateConflict(plan, `the plan ${other.id} takes it back`)
}
