import { isDeepStrictEqual } from 'node:util'
import { isObject } from './input.ts'

/**
 * The fields of a record that a patch may change, each with what null makes of it; undefined means that null removes
 * it. Where that is an object, the field is patched field by field.
 */
export type Cleared<T> = { readonly [Name in keyof T]?: T[Name] | undefined }

/**
 * A record after a merge patch (RFC 7396); the very same object if nothing changes. Fields that are undefined in the patch
 * stay, and so do fields that `cleared` does not name. Without `cleared` every field may change, at any depth. The patch
 * may be faulty: its values are not checked here. Names such as `__proto__` have no special meaning.
 */
export function mergePatch<T extends object>(record: T, patch: unknown, cleared?: Cleared<T>): T {
  const after = new Map<string, unknown>(Object.entries(record))
  const mayChange = (name: string): boolean => !cleared || Object.hasOwn(cleared, name)
  for (const [name, patched] of Object.entries(isObject(patch) ? patch : {})) {
    if (patched === undefined || !mayChange(name)) continue
    const value = patchedField(after.get(name), patched, cleared && { empty: cleared[name as keyof T] })
    if (value === undefined) after.delete(name)
    else after.set(name, value)
  }
  return changedOrSame(record, Object.fromEntries(after) as T)
}

/** A field after a patch; undefined if the patch removes it. */
function patchedField(before: unknown, patch: unknown, cleared: { empty: unknown } | undefined): unknown {
  if (patch === null) return cleared?.empty
  if (!isObject(patch) || (cleared && !isObject(cleared.empty))) return patch
  return mergePatch(isObject(before) ? before : {}, patch, cleared?.empty as Cleared<object> | undefined)
}

/** The record after a change, with `marks` such as the time of the change; the same object if nothing changes. */
export const changedOrSame = <T extends object>(before: T, after: T, marks: Partial<T> = {}): T =>
  isDeepStrictEqual(after, before) ? before : { ...after, ...marks }
