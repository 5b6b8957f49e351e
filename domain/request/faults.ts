import type { ErrorObject } from 'ajv'
import type { CompiledContract, FaultCode } from '../../schemas/contract.ts'
import type { CodedFault } from '../base/errors.ts'

// The faults of an input by the contract of an endpoint: what its validator finds, and what we say about it.

export type Validator = { (value: unknown): boolean; errors?: ErrorObject[] | null }

/** The module of an endpoint in schemas/compiled. */
export type Compiled = { contract: CompiledContract; default: Validator; item?: Validator; location?: string }

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

/** One fault that a compiled validator found. */
export type SchemaFault = {
  instancePath: string
  keyword: string
  params: Record<string, unknown>
}

/** The parts of a JSON pointer: `/attributes/3/value` → attributes, 3, value. */
export const partsOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))

/**
 * The property that is missing or not allowed: the validator reports such a fault at the object that lacks or has it.
 */
export function namedBy(keyword: string, params: Record<string, unknown>): string | undefined {
  if (keyword === 'required' || keyword === 'dependentRequired') return String(params['missingProperty'])
  return keyword === 'additionalProperties' ? String(params['additionalProperty']) : undefined
}

/** The message of a fault. All messages follow the name of the property and say what it must be, or must not be. */
export function faultMessage({ keyword, params }: Pick<SchemaFault, 'keyword' | 'params'>): string {
  if (keyword === 'additionalProperties') return 'must be a known property'
  if (keyword === 'required') return 'must be given'
  if (keyword === 'dependentRequired') return `must be given together with ${params['property']}`
  if (keyword === 'enum') return `must be one of ${(params['allowedValues'] as unknown[]).map(String).join(', ')}`
  if (keyword === 'pattern') return 'must have an allowed form'
  if (keyword === 'not') return 'must not be a reserved word'
  return limits[keyword]?.(params) ?? 'must be valid'
}

const formats: Readonly<Record<string, string>> = {
  visible: 'must have a character that can be seen',
  'idn-email': 'must be an e-mail address, with up to 64 characters before the @',
}

type Say = (params: Record<string, unknown>) => string

/** The messages of other schema keywords. In one place, as compiled validators would repeat them for every field. */
const limits: Record<string, Say> = {
  type: ({ type }) => `must be ${String(type).replaceAll(',', ' or ')}`,
  format: ({ format }) => formats[format as string] ?? 'must have an allowed form',
  minLength: ({ limit }) => `must have at least ${counted(limit, 'character')}`,
  maxLength: ({ limit }) => `must have at most ${counted(limit, 'character')}`,
  minItems: ({ limit }) => `must have at least ${counted(limit, 'item')}`,
  minProperties: ({ limit }) => `must have at least ${counted(limit, 'member')}`,
  maxProperties: ({ limit }) => `must have at most ${counted(limit, 'member')}`,
  maxItems: ({ limit }) => `must have at most ${counted(limit, 'item')}`,
  minimum: ({ limit }) => `must be >= ${limit}`,
  maximum: ({ limit }) => `must be <= ${limit}`,
  uniqueItems: () => 'must not have an item twice',
}

const counted = (limit: unknown, noun: string): string => `${limit} ${noun}${limit === 1 ? '' : 's'}`
