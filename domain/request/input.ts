import type { ErrorCode } from '../../schemas/errors.ts'
import { errorOf, faultAt } from '../base/errors.ts'
import { charactersIn } from '../base/text.ts'
import { isSameRecord } from '../table/records.ts'
import { isNested, isObject } from './bodies.ts'

// The valid input of a call: the ids that it names, and patches.

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

/** The record after a change, with `stamps` such as the time of the change; the same object if nothing changes. */
export const changedOrSame = <T extends object>(before: T, after: T, stamps: Partial<T> = {}): T =>
  isSameRecord(after, before) ? before : { ...after, ...stamps }

/** Whether a value is nested deeper than this many levels. Goes level by level, as recursion could overflow the stack. */
export function isDeeperThan(levels: number, value: unknown): boolean {
  let level = [value].filter(isNested)
  for (let depth = 0; level.length > 0; depth++) {
    if (depth === levels) return true
    level = level.flatMap((one): unknown[] => Object.values(one)).filter(isNested)
  }
  return false
}
