import type { ErrorObject } from 'ajv'
import type { Found } from '../../domain/base/errors.ts'
import { messageOf, namedBy, partsOf, unescaped } from '../../domain/request/input.ts'
import type { FaultCode } from '../../schemas/contract.ts'

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

const LONGEST_NAME = 200

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
