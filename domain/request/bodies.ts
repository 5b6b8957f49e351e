import type { ErrorObject } from 'ajv'
import type { CompiledContract, FaultCode, Schema } from '../../schemas/contract.ts'
import { type CodedFault, errorOf } from '../base/errors.ts'
import type { Judge } from './context.ts'
import { faultMessage, isObject, namedBy, partsOf, trimmed } from './input.ts'

// Bodies by the contract of an endpoint. Calls are validated by it, and so is what comes by another way: SCIM, files.

export type Validator = { (value: unknown): boolean; errors?: ErrorObject[] | null }

/** The module of an endpoint in schemas/compiled. */
export type Compiled = { contract: CompiledContract; default: Validator; item?: Validator; location?: string }

/** Returns a function that validates bodies by the contract of an endpoint: the normalized body, and its faults one by one. */
export const bodyJudge =
  ({ contract, default: validator }: Compiled, path: object = {}) =>
  (sent: unknown): { body: unknown; faults: CodedFault[] } => {
    const body = normalized(sent, contract)
    return { body, faults: inputFaults({ path, query: {}, body }, contract, validator, false) }
  }

/** The same with all faults as one error. */
export const judgeBy = (compiled: Compiled, path: object = {}): Judge => {
  const judge = bodyJudge(compiled, path)
  return (sent) => {
    const { body, faults } = judge(sent)
    return { body, fault: errorOf(faults) }
  }
}

/** A body without outer white space and, in a merge patch, without empty objects: both make no difference. */
export const normalized = (body: unknown, contract: CompiledContract): unknown =>
  withoutEmptyObjects(contract.trims ? trimmed(body, contract.trims) : body, contract)

/** The faults of an input by a contract. Of an unreadable body those of its properties are left out. */
export function inputFaults(
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

/** The value at a place in another one; undefined if there is none. */
export const valueAt = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (at, name) =>
      typeof at === 'object' && at !== null && Object.hasOwn(at, name) ? Reflect.get(at, name) : undefined,
    value,
  )

/** The faults that a compiled validator found, each once. */
export function foundFaults(
  errors: readonly ErrorObject[],
  input: unknown,
  codes: readonly FaultCode[] = [],
): CodedFault[] {
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
