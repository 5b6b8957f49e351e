import { type AppError, type CodedFault, errorOf, faultAt, refuse } from '../../domain/base/errors.ts'
import {
  type Compiled,
  foundFaults,
  inputFaults,
  normalized,
  type Validator,
  valueAt,
} from '../../domain/request/bodies.ts'
import type { BatchItem } from '../../domain/request/context.ts'
import type { CompiledContract } from '../../schemas/contract.ts'
import type { Call, Event, FaultyRequest, Middleware, Validated, ValidRequest } from './call.ts'
import type { BytesBody, readBytes } from './readBytes.ts'
import { type Body, readBody, readHeaders, readQuery } from './readRequest.ts'

/**
 * Reads and validates path, query, headers and body. Faults are not thrown: a caller without rights gets that refusal instead.
 * `bytes` reads a body that is no JSON.
 */
export const validate = (compiled: Compiled, bytes: typeof readBytes | undefined): Middleware<Validated> => ({
  before: async ({ event, context }) => {
    context.request = await requestOf(event, compiled, context.call, bytes)
  },
})

async function requestOf(
  event: Event,
  { contract, default: validator, item }: Compiled,
  call: Call,
  bytes: typeof readBytes | undefined,
): Promise<ValidRequest | FaultyRequest> {
  const { values: query, ignored } = readQuery(event.rawQueryString ?? '', contract)
  call.ignored = ignored
  const headers = readHeaders(event, contract)
  const body = await bodyOf(event, contract, bytes)
  if ('refusal' in body) return { fault: body.refusal, sent: undefined }
  const sent = { path: pathOf(event, contract), query, body: body.value }
  const faults = inputFaults(sent, contract, validator, body.unreadable !== undefined)
  const fault = errorOf([...faults, ...pageFaults(query), ...headers.faults, ...(body.unreadable ?? [])])
  if (fault) return { fault, sent: body.unreadable ? undefined : sent }
  return { input: { ...sent, body: body.bytes ?? validBody(body.value, contract, item) }, headers: headers.values }
}

const pathOf = (event: Event, contract: CompiledContract) => (contract.path ? (event.pathParameters ?? {}) : {})

const validBody = (body: unknown, contract: CompiledContract, item: Validator | undefined): object =>
  item ? { items: itemsOf(body, contract, item) } : ((body ?? {}) as object)

/** A page has a number or a cursor, not both. */
const pageFaults = ({ page_number, page_cursor }: Readonly<Record<string, unknown>>): CodedFault[] =>
  page_number !== undefined && page_cursor !== undefined
    ? [faultAt('VALIDATION_ERROR', 'page_cursor', 'must not be given together with page_number')]
    : []

type ReadBody = { refusal: AppError } | { value?: unknown; bytes?: Uint8Array; unreadable?: CodedFault[] }

async function bodyOf(
  event: Event,
  contract: CompiledContract,
  bytes: typeof readBytes | undefined,
): Promise<ReadBody> {
  if (bytes) return readOf(await bytes(event))
  if (!contract.body) return {}
  const body = readOf(readBody(event, { also: contract.mergePatch && 'application/merge-patch+json' }))
  if (!('value' in body) || contract.item) return body
  return { value: normalized(body.value, contract) }
}

const readOf = (body: Body | BytesBody): ReadBody =>
  'refused' in body ? { refusal: refuse(body.refused, undefined, body.detail) } : body

/** Validates each item of a batch separately. Faults name the same properties as in the single call. */
function itemsOf(body: unknown, contract: CompiledContract, validator: Validator): BatchItem<unknown>[] {
  return (body as { items: unknown[] }).items.map((one) => {
    const item = normalizedItem(one, contract)
    const id = idOf(item, contract.itemId)
    validator(item)
    // A fault within `body` names the property as in a single call, any other one within the item.
    const errors = (validator.errors ?? []).map((error) => ({
      ...error,
      instancePath: error.instancePath.startsWith('/body') ? error.instancePath : `/item${error.instancePath}`,
    }))
    const whole = { item, body: (item as { body?: unknown } | null)?.body }
    const fault = errorOf(foundFaults(errors, whole, contract.faultCodes))
    return fault ? { id, fault, body: whole.body } : { id, value: item }
  })
}

function normalizedItem(item: unknown, contract: CompiledContract): unknown {
  if (typeof item !== 'object' || item === null || !('body' in item)) return item
  return { ...item, body: normalized(item.body, contract) }
}

/** An item's id for the answer; null if it cannot be read. */
function idOf(item: unknown, parts: CompiledContract['itemId']): BatchItem<unknown>['id'] {
  if (!parts) return textAt(item, ['id'])
  const entries = Object.entries(parts).map(([name, path]) => [name, textAt(item, path)] as const)
  return entries.every(([, text]) => text === null) ? null : Object.fromEntries(entries)
}

function textAt(item: unknown, path: readonly string[]): string | null {
  const value = valueAt(item, path)
  return typeof value === 'string' ? value : null
}
