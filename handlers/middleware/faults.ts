import type { ErrorObject } from 'ajv'
import { AppError, type Fault } from '../../domain/errors.ts'
import { messageOf, namedBy, partsOf, unescaped } from '../../domain/faultText.ts'
import type { FaultCode } from '../../schemas/contract.ts'
import { type ErrorCode, strongest } from '../../schemas/errors.ts'

/** One fault and the code that it stands for. */
export type Found = { fault: Fault; code: ErrorCode }

/** What a compiled validator found, property by property, each fault once. */
export function foundFaults(errors: readonly ErrorObject[], input: unknown, codes: readonly FaultCode[] = []): Found[] {
  const all = new Map<string, Found>()
  for (const error of errors) {
    const property = propertyOf(error)
    const fault = { property, message: messageOf(error) }
    const code = codes.find((one) => fits(one, error, property, input))?.code ?? 'VALIDATION_ERROR'
    all.set(`${property} ${fault.message}`, { fault, code })
  }
  return [...all.values()]
}

/** What one answer tells: more faults nobody reads, and a megabyte of them would not pass the gateway. */
const MOST_FAULTS = 300
const LONGEST_NAME = 200

/** One error for several faults: its code is the strongest of theirs, its property the one at fault there. */
export function errorOf(found: readonly Found[]): AppError | undefined {
  if (found.length === 0) return undefined
  const code = strongest(found.map((one) => one.code))
  const { fault } = found.find((one) => one.code === code) as Found
  const told = found.slice(0, MOST_FAULTS).map((one) => one.fault)
  return new AppError(code, {
    property: fault.property,
    detail: `${fault.property} ${fault.message}`,
    errors: told.includes(fault) ? told : [fault, ...told.slice(1)],
  })
}

/** `/body/attributes/3/value` → `attributes.3.value`; the parts of a request are no part of a property's name. */
function propertyOf({ instancePath, keyword, params }: ErrorObject): string {
  const [part = 'body', ...path] = partsOf(instancePath)
  const named = namedBy(keyword, params)
  const inside = part === 'query' ? path.slice(0, 1) : path
  const full = named === undefined ? inside : [...inside, named]
  return full.join('.').slice(0, LONGEST_NAME) || (instancePath === '' ? (named ?? 'body') : part)
}

function fits(code: FaultCode, error: ErrorObject, property: string, input: unknown): boolean {
  if (code.keyword !== error.keyword || !code.at.test(property)) return false
  return code.value === undefined || code.value === valueAt(input, error.instancePath)
}

function valueAt(input: unknown, path: string): unknown {
  return path
    .split('/')
    .slice(1)
    .reduce<unknown>((value, part) => (value as Record<string, unknown> | undefined)?.[unescaped(part)], input)
}
