import type { ErrorObject } from 'ajv'
import { type AppError, type CodedFault, errorOf, faultAt, refuse } from '../../domain/base/errors.ts'
import type { BatchItem, Judge } from '../../domain/request/context.ts'
import { faultMessage, isObject, namedBy, partsOf, trimmed } from '../../domain/request/input.ts'
import type { CompiledContract, FaultCode, Schema } from '../../schemas/contract.ts'
import type { Call, Event, FaultyRequest, Middleware, Validated, ValidRequest } from './call.ts'
import { readBody, readHeaders, readQuery } from './readRequest.ts'

type Validator = { (value: unknown): boolean; errors?: ErrorObject[] | null }

/** The module of an endpoint in schemas/compiled. */
export type Compiled = { contract: CompiledContract; default: Validator; item?: Validator; location?: string }

/** Reads and validates path, query, headers and body. Faults are not thrown: a caller without rights gets that refusal instead. */
export const validate = (compiled: Compiled): Middleware<Validated> => ({
  before: ({ event, context }) => {
    context.request = requestOf(event, compiled, context.call)
  },
})

function requestOf(
  event: Event,
  { contract, default: validator, item }: Compiled,
  call: Call,
): ValidRequest | FaultyRequest {
  const { values: query, ignored } = readQuery(event.rawQueryString ?? '', contract)
  call.ignored = ignored
  const headers = readHeaders(event, contract)
  const body = contract.body ? bodyOf(event, contract) : { value: undefined }
  if ('refusal' in body) return { fault: body.refusal, sent: undefined }
  const sent = { path: pathOf(event, contract), query, body: body.value }
  const faults = inputFaults(sent, contract, validator, body.unreadable !== undefined)
  const fault = errorOf([...faults, ...pageFaults(query), ...headers.faults, ...(body.unreadable ?? [])])
  if (fault) return { fault, sent: body.unreadable ? undefined : sent }
  return { input: { ...sent, body: validBody(body.value, contract, item) }, headers: headers.values }
}

const pathOf = (event: Event, contract: CompiledContract) => (contract.path ? (event.pathParameters ?? {}) : {})

const validBody = (body: unknown, contract: CompiledContract, item: Validator | undefined): object =>
  item ? { items: itemsOf(body, contract, item) } : ((body ?? {}) as object)

/** A page has a number or a cursor, not both. */
const pageFaults = ({ page_number, page_cursor }: Readonly<Record<string, unknown>>): CodedFault[] =>
  page_number !== undefined && page_cursor !== undefined
    ? [faultAt('VALIDATION_ERROR', 'page_cursor', 'must not be given together with page_number')]
    : []

/** Validates a body by the contract of an endpoint, for SCIM. Returns the normalized body, and its faults. */
export const judgeBy =
  ({ contract, default: validator }: Compiled, path: object = {}): Judge =>
  (sent) => {
    const body = normalized(sent, contract)
    return { body, fault: errorOf(inputFaults({ path, query: {}, body }, contract, validator, false)) }
  }

type ReadBody = { refusal: AppError } | { value?: unknown; unreadable?: CodedFault[] }

function bodyOf(event: Event, contract: CompiledContract): ReadBody {
  const body = readBody(event, { also: contract.mergePatch && 'application/merge-patch+json' })
  if ('refused' in body) return { refusal: refuse(body.refused, undefined, body.detail) }
  if ('unreadable' in body) return body
  return { value: contract.item ? body.value : normalized(body.value, contract) }
}

/** A body without outer white space and, in a merge patch, without empty objects: both make no difference. */
const normalized = (body: unknown, contract: CompiledContract): unknown =>
  withoutEmptyObjects(contract.trims ? trimmed(body, contract.trims) : body, contract)

function inputFaults(
  input: unknown,
  contract: CompiledContract,
  validator: Validator,
  isUnreadable: boolean,
): CodedFault[] {
  validator(input)
  // An unreadable body has one fault. Faults for its missing properties would only be noise.
  const ofBody = ({ instancePath, params }: ErrorObject): boolean =>
    instancePath.startsWith('/body') || (instancePath === '' && params.missingProperty === 'body')
  const errors = (validator.errors ?? []).filter((error) => !isUnreadable || !ofBody(error))
  return foundFaults(errors, input, contract.faultCodes)
}

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

const valueAt = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (at, name) =>
      typeof at === 'object' && at !== null && Object.hasOwn(at, name) ? Reflect.get(at, name) : undefined,
    value,
  )

/** The faults that a compiled validator found, each once. */
function foundFaults(errors: readonly ErrorObject[], input: unknown, codes: readonly FaultCode[] = []): CodedFault[] {
  const all = new Map<string, CodedFault>()
  for (const error of errors) {
    const property = propertyOf(error)
    const fault = { property, message: faultMessage(error) }
    const code = codes.find((one) => hasCode(one, error, property, input))?.code ?? 'VALIDATION_ERROR'
    all.set(`${property} ${fault.message}`, { fault, code })
  }
  return [...all.values()]
}

const LONGEST_NAME = 200

/** `/body/attributes/3/value` → `attributes.3.value`. */
function propertyOf({ instancePath, keyword, params }: ErrorObject): string {
  const [part = 'body', ...path] = partsOf(instancePath)
  const named = namedBy(keyword, params)
  const inside = part === 'query' ? path.slice(0, 1) : path
  const full = named === undefined ? inside : [...inside, named]
  return full.join('.').slice(0, LONGEST_NAME) || (instancePath === '' ? (named ?? 'body') : part)
}

function hasCode(code: FaultCode, error: ErrorObject, property: string, input: unknown): boolean {
  if (code.keyword !== error.keyword || !code.at.test(property)) return false
  return code.value === undefined || code.value === valueAt(input, partsOf(error.instancePath))
}

/**
 * A merge patch without its empty objects: they change nothing, even if the record has no value yet, or the schema requires
 * members. If the schema allows no object, an empty object stays, so that it is refused.
 */
function withoutEmptyObjects(patch: unknown, { mergePatch, body, item }: CompiledContract): unknown {
  if (!mergePatch || !isObject(patch)) return patch
  const { properties } = (item ? (item.properties as Properties)['body'] : body) as { properties: Properties }
  const entries = Object.entries(patch)
  const kept = entries.filter(([name, value]) => !(isEmpty(value) && takesObjects(properties, name)))
  return kept.length === entries.length ? patch : Object.fromEntries(kept)
}

type Properties = Readonly<Record<string, Schema>>

const isEmpty = (value: unknown): boolean => isObject(value) && Object.keys(value).length === 0

const takesObjects = (properties: Properties, name: string): boolean =>
  Object.hasOwn(properties, name) && [properties[name]?.type].flat().includes('object')
