import { isObject } from '../base/values.ts'
import { isSameRecord } from '../table/records.ts'

// Merge patches: what a change makes of a record.

/**
 * The fields of a record that a patch may change, each with the value that null sets; undefined means that null removes
 * the field. If that value is an object, the field is patched field by field.
 */
type ValueForNull<T> = { readonly [Name in keyof T]?: T[Name] | undefined }

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
