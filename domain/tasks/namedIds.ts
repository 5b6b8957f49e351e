import type { ErrorCode } from '../../schemas/errors.ts'
import { errorOf, faultAt } from '../base/errors.ts'

// The ids that a request names.

/** The ids that a request names, each once, with the property that names it first. */
export type NamedIds = ReadonlyMap<string, string>

/** The ids of a list: texts, or objects that have an id. `spelled` normalizes ids that can be written in several ways. */
export function namedIds(
  property: string,
  list: readonly (string | { id: string })[],
  spelled = (id: string) => id,
): NamedIds {
  const named = new Map<string, string>()
  list.forEach((one, index) => {
    const [id, place] = typeof one === 'string' ? [one, `${property}.${index}`] : [one.id, `${property}.${index}.id`]
    if (!named.has(spelled(id))) named.set(spelled(id), place)
  })
  return named
}

/** The records found for the ids, in order. Throws an error that names the properties whose ids were not found. */
export function requireAll<T>(
  named: NamedIds,
  found: readonly (T | undefined)[],
  { code, message }: { code: ErrorCode; message: string },
): T[] {
  const missing = [...named.values()].filter((_, index) => found[index] === undefined)
  const refusal = errorOf(missing.map((place) => faultAt(code, place, message)))
  if (refusal) throw refusal
  return found.filter((one) => one !== undefined)
}
