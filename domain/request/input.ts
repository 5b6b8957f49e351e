import type { ErrorCode } from '../../schemas/errors.ts'
import { errorOf, faultAt } from '../base/errors.ts'
import { charactersIn } from '../base/text.ts'
import { isSameRecord } from '../table/events.ts'

// The input of a call: faults of its form, its texts, the ids that it names, and patches.

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
  maxProperties: ({ limit }) => `must have at most ${limit} members`,
  maxItems: ({ limit }) => `must have at most ${counted(limit, 'item')}`,
  minimum: ({ limit }) => `must be >= ${limit}`,
  maximum: ({ limit }) => `must be <= ${limit}`,
  uniqueItems: () => 'must not have an item twice',
}

const counted = (limit: unknown, noun: string): string => `${limit} ${noun}${limit === 1 ? '' : 's'}`

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

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The value, if it is an object with names. */
export const asRecord = (value: unknown) => (isObject(value) ? value : undefined)

/** Whether a value is neither undefined nor null. */
export const isGiven = <T>(value: T): value is NonNullable<T> => value !== undefined && value !== null

const LONGEST_REFERENCE = 255

/** Whether a value has the form of a reference: a text of 1 to 255 characters. */
export const isReference = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && charactersIn(value) <= LONGEST_REFERENCE && value.isWellFormed()

/** The ids that a request names, each once, with the property that names it first. */
export type Named = ReadonlyMap<string, string>

/** The ids of a list: texts, or objects that have an id. `spelled` normalizes ids that can be written in several ways. */
export function namedIn(
  property: string,
  list: readonly (string | { id: string })[],
  spelled = (id: string) => id,
): Named {
  const named = new Map<string, string>()
  list.forEach((one, index) => {
    const [id, place] = typeof one === 'string' ? [one, `${property}.${index}`] : [one.id, `${property}.${index}.id`]
    if (!named.has(spelled(id))) named.set(spelled(id), place)
  })
  return named
}

/** The records found for the ids, in order. Throws an error that names the properties whose ids were not found. */
export function requireAll<T>(
  named: Named,
  found: readonly (T | undefined)[],
  { code, message }: { code: ErrorCode; message: string },
): T[] {
  const missing = [...named.values()].filter((_, index) => found[index] === undefined)
  const refusal = errorOf(missing.map((place) => faultAt(code, place, message)))
  if (refusal) throw refusal
  return found.filter((one) => one !== undefined)
}

/**
 * The fields of a record that a patch may change, each with the value that null sets; undefined means that null removes
 * the field. If that value is an object, the field is patched field by field.
 */
export type ValueForNull<T> = { readonly [Name in keyof T]?: T[Name] | undefined }

/**
 * A record after a merge patch (RFC 7396); the same object if nothing changes. Fields that are undefined in the patch
 * stay, and so do fields that `forNull` does not name. Without `forNull` every field may change, at any depth. The
 * patch may be faulty: its values are not checked here. Names such as `__proto__` have no special meaning.
 */
export function mergePatch<T extends object>(record: T, patch: unknown, forNull?: ValueForNull<T>): T {
  const after = new Map<string, unknown>(Object.entries(record))
  const mayChange = (name: string): boolean => !forNull || Object.hasOwn(forNull, name)
  for (const [name, patched] of Object.entries(isObject(patch) ? patch : {})) {
    if (patched === undefined || !mayChange(name)) continue
    const value = patchedField(after.get(name), patched, forNull && { value: forNull[name as keyof T] })
    if (value === undefined) after.delete(name)
    else after.set(name, value)
  }
  return changedOrSame(record, Object.fromEntries(after) as T)
}

/** A field after a patch; undefined if the patch removes it. */
function patchedField(before: unknown, patch: unknown, forNull: { value: unknown } | undefined): unknown {
  if (patch === null) return forNull?.value
  if (!isObject(patch) || (forNull && !isObject(forNull.value))) return patch
  return mergePatch(isObject(before) ? before : {}, patch, forNull?.value as ValueForNull<object> | undefined)
}

/** The record after a change, with `marks` such as the time of the change; the same object if nothing changes. */
export const changedOrSame = <T extends object>(before: T, after: T, marks: Partial<T> = {}): T =>
  isSameRecord(after, before) ? before : { ...after, ...marks }

/** Whether a value is an object or a list. */
export const isNested = (value: unknown): value is object => typeof value === 'object' && value !== null

/** Whether a value is nested deeper than this many levels. Goes level by level, as recursion could overflow the stack. */
export function isDeeperThan(levels: number, value: unknown): boolean {
  let level = [value].filter(isNested)
  for (let depth = 0; level.length > 0; depth++) {
    if (depth === levels) return true
    level = level.flatMap((one): unknown[] => Object.values(one)).filter(isNested)
  }
  return false
}
