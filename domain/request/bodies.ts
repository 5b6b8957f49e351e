import type { ErrorObject } from 'ajv'
import type { CompiledContract, FaultCode, Schema } from '../../schemas/contract.ts'
import { type CodedFault, errorOf } from '../base/errors.ts'
import type { Judge } from './context.ts'

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

// What a fault says.

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

// Texts that are damaged, or have white space around them.

/** The fault of a text with U+FFFD: decoders put this character in place of bytes that they cannot read. */
export const damage = 'must be UTF-8: it has U+FFFD, which stands for bytes that are not'

const isDamaged = (text: unknown): boolean => typeof text === 'string' && text.includes('\ufffd')

const LONGEST_PLACE = 200
type Node = { value: unknown; place: string }

/** The places of damaged texts in a JSON value, keys included: `tags.3.name`; '' for the value itself. */
export function damagedAt(value: unknown): string[] {
  const found = new Set<string>()
  const nodes: Node[] = [{ value, place: '' }]
  // A list that grows while it is read: recursion would run out of stack on a deeply nested body.
  for (const node of nodes) {
    if (isDamaged(node.value)) found.add(node.place)
    for (const [name, inner] of inside(node)) {
      if (isDamaged(name)) found.add(inner.place)
      nodes.push(inner)
    }
  }
  return [...found]
}

const inside = ({ value, place }: Node): [name: string, Node][] =>
  isNested(value)
    ? Object.entries(value).map(([name, inner]) => [
        name,
        { value: inner, place: `${place}${place && '.'}${name}`.slice(0, LONGEST_PLACE) },
      ])
    : []

type Change = (value: unknown) => unknown

/**
 * A record without white space around the named texts, plain or localized. The same object if there is nothing to trim.
 */
export const trimmed = (record: unknown, names: readonly string[]): unknown =>
  changed(record, names, (value) =>
    Array.isArray(value) ? value.map((one) => changed(one, ['text'], withoutSpace)) : withoutSpace(value),
  )

const withoutSpace: Change = (value) => (typeof value === 'string' ? value.trim() : value)

function changed(record: unknown, names: readonly string[], change: Change): unknown {
  if (typeof record !== 'object' || record === null || Array.isArray(record)) return record
  const entries = Object.entries(record).filter(([name]) => names.includes(name))
  const after = entries.map(([name, value]) => [name, change(value)] as const)
  return after.every(([, value], n) => value === entries[n]?.[1]) ? record : { ...record, ...Object.fromEntries(after) }
}

// Values of any form.

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether a value is an object or a list. */
export const isNested = (value: unknown): value is object => typeof value === 'object' && value !== null
