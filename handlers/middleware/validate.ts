import type { ErrorObject } from 'ajv'
import { AppError, errorOf, type Found, refuse } from '../../domain/base/errors.ts'
import type { BatchItem } from '../../domain/request/batch.ts'
import { trimmed } from '../../domain/request/input.ts'
import type { Contract } from '../../schemas/contract.ts'
import type { Call, CallContext, Event, Middleware } from './call.ts'
import { withoutEmptyObjects } from './emptyObjects.ts'
import { foundFaults } from './faults.ts'
import { readBody, readQuery } from './readRequest.ts'

type Judge = { (value: unknown): boolean; errors?: ErrorObject[] | null }

/** What schemas/compiled holds for an endpoint. */
export type Validators = { default: Judge; item?: Judge; location?: string }

/**
 * Reads and judges path, query and body. A fault is only noted here: whether the caller may know of it is decided when
 * the actor is known: first who calls, then what he may, then what is wrong.
 */
export const validate = (contract: Contract, validators: Validators): Middleware => ({
  before: (request) => {
    const { call } = request.context as CallContext
    try {
      call.input = inputOf(request.event, contract, validators, call)
    } catch (error) {
      if (!(error instanceof AppError)) throw error
      call.fault = error
    }
  },
})

function inputOf(event: Event, contract: Contract, validators: Validators, call: Call) {
  const { values: query, ignored } = readQuery(event.rawQueryString ?? '', contract)
  call.ignored = ignored
  const body = contract.body ? bodyOf(event, contract) : { value: undefined }
  const path = contract.path ? (event.pathParameters ?? {}) : {}
  if (body.value !== undefined) call.given = { body: body.value, path }
  const input = { path, query, body: body.value }
  const faults = judged(input, contract, validators.default, body.unreadable !== undefined)
  const fault = errorOf([...faults, ...(body.unreadable ?? [])])
  if (fault) throw fault
  const items = validators.item && itemsOf(body.value, contract, validators.item)
  return { ...input, body: items ? { items } : (body.value ?? {}) }
}

function bodyOf(event: Event, contract: Contract): { value?: unknown; unreadable?: Found[] } {
  const body = readBody(event, contract.mergePatch ?? false)
  if ('refused' in body) throw refuse(body.refused, undefined, body.detail)
  if ('unreadable' in body) return body
  return { value: contract.item ? body.value : taken(body.value, contract) }
}

/** A body as it is judged and used: what makes no difference is gone. */
const taken = (body: unknown, contract: Contract): unknown =>
  withoutEmptyObjects(contract.trims ? trimmed(body, contract.trims) : body, contract)

function judged(input: unknown, contract: Contract, judge: Judge, isUnreadable: boolean): Found[] {
  judge(input)
  // Of a body that cannot be read nothing else is told, such as what it lacks.
  const ofBody = ({ instancePath, params }: ErrorObject): boolean =>
    instancePath.startsWith('/body') || (instancePath === '' && params.missingProperty === 'body')
  const errors = (judge.errors ?? []).filter((error) => !isUnreadable || !ofBody(error))
  return foundFaults(errors, input, contract.faultCodes)
}

/** Every item of a batch is judged on its own; its faults name properties as the single call would. */
function itemsOf(body: unknown, contract: Contract, judge: Judge): BatchItem<unknown>[] {
  return (body as { items: unknown[] }).items.map((given) => {
    const item = takenItem(given, contract)
    const id = idOf(item, contract.itemId)
    judge(item)
    // The item stands where the request stands for a single call; its body is the body.
    const errors = (judge.errors ?? []).map((error) => ({
      ...error,
      instancePath: error.instancePath.startsWith('/body') ? error.instancePath : `/item${error.instancePath}`,
    }))
    const whole = { item, body: (item as { body?: unknown } | null)?.body }
    const fault = errorOf(foundFaults(errors, whole, contract.faultCodes))
    return fault ? { id, fault, body: whole.body } : { id, value: item }
  })
}

function takenItem(item: unknown, contract: Contract): unknown {
  if (typeof item !== 'object' || item === null || !('body' in item)) return item
  return { ...item, body: taken(item.body, contract) }
}

/** What can be read of an item's id, to be echoed whatever is wrong with the rest of it. */
function idOf(item: unknown, parts: Contract['itemId']): BatchItem<unknown>['id'] {
  if (!parts) return textAt(item, ['id'])
  const entries = Object.entries(parts).map(([name, path]) => [name, textAt(item, path)] as const)
  return entries.every(([, text]) => text === null) ? null : Object.fromEntries(entries)
}

function textAt(item: unknown, path: readonly string[]): string | null {
  let value: unknown = item
  for (const name of path)
    value = typeof value === 'object' && value !== null && Object.hasOwn(value, name) ? Reflect.get(value, name) : null
  return typeof value === 'string' ? value : null
}
