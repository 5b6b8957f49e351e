import { expect } from 'vitest'
import { finishHandedOver, finishOverdue } from '../../domain/maintenance/finishWork.ts'
import { workKey } from '../../domain/table/keys.ts'
import { type Any, call, type Request } from '../harness/call.ts'
import type { Service } from '../harness/service.ts'

/** Lets a worker do what there is to do for a plan, as the table's stream and the schedule do. `log` gets its lines. */
export const work = (service: Service, id: string, log = failOnError) =>
  finishHandedOver({ store: service.store, clock: service.now, timeLeft: () => 60_000, operation: 'finishWork', log }, [
    workKey('plan', id),
  ])

/** A run of the schedule, with what it has found. */
export const overdue = (service: Service) =>
  finishOverdue({ store: service.store, clock: service.now, timeLeft: () => 60_000, log: failOnError })

function failOnError(line: Any): void {
  if (line.level === 'error') throw new Error(JSON.stringify(line))
}

/** What the table's stream calls the function `finishWork` with, and its time. */
export const handedOver = (plan: string): [event: Any, lambda: Any] => {
  const { pk, sk } = workKey('plan', plan)
  return [
    { Records: [{ dynamodb: { Keys: { pk: { S: pk }, sk: { S: sk } } } }] },
    { getRemainingTimeInMillis: () => 60_000 },
  ]
}

export const create = (body: object, request: Request = {}) => call('createPlan', { body, ...request })
export const get = async (plan_id: string): Promise<Any> => (await call('getPlan', { path: { plan_id } })).body
export const apply = (plan_id: string, planned: number, request: Request = {}) =>
  call('applyPlan', { path: { plan_id }, body: { planned }, ...request })
export const cancel = (plan_id: string, request: Request = {}) => call('cancelPlan', { path: { plan_id }, ...request })
export const changes = async (plan_id: string, query: Record<string, string> = {}): Promise<Any[]> =>
  (await call('listPlanChanges', { path: { plan_id }, query: { page_limit: 100, ...query } })).body.changes
export const faults = async (plan_id: string): Promise<Any[]> =>
  (await call('listPlanFaults', { path: { plan_id }, query: { page_limit: 100 } })).body.faults

/** A plan that a worker has checked. */
export async function checked(service: Service, body: object, request: Request = {}): Promise<Any> {
  const made = await create(body, request)
  expect([made.status, made.body]).toMatchObject([201, { state: 'CHECKING' }])
  await work(service, made.body.id)
  return get(made.body.id)
}

/** A plan of a selection that is checked. */
export const selected = (service: Service, select: object, change: object, more: object = {}): Promise<Any> =>
  checked(service, { kind: 'SELECTION', select, change, ...more })

/** Applies a checked plan to its end. */
export async function applied(service: Service, { id, counts }: Any, request: Request = {}): Promise<Any> {
  const { status, body } = await apply(id, counts.planned, request)
  expect([status, body]).toMatchObject([202, { state: 'APPLYING' }])
  await work(service, id)
  return get(id)
}

/** Takes a plan back to the end. */
export const undone = async (service: Service, plan_id: string): Promise<Any> =>
  applied(service, await checked(service, { kind: 'UNDO', plan_id }))
