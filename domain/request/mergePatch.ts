/**
 * Settings after a merge patch (RFC 7396), as far as their defaults name them: null brings a default back, an object is
 * patched field by field. A patch may be faulty: what of it does not fit stands in the outcome, for others to judge.
 */
export function patchedSettings<T extends object>(before: T, patch: unknown, defaults: Partial<T>): T {
  const given = isObject(patch) ? patch : {}
  const entries = Object.entries(defaults).map(([name, fallback]) => {
    const [was, value] = [before[name as keyof T], given[name]]
    if (value === undefined) return [name, was]
    if (value === null) return [name, fallback]
    return [name, isObject(fallback) && isObject(value) ? patchedSettings(was as object, value, fallback) : value]
  })
  return { ...before, ...Object.fromEntries(entries) }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
