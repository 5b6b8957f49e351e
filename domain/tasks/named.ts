import type { ErrorCode } from '../../schemas/errors.ts'
import { errorOf, faultAt } from '../base/errors.ts'

/** The ids that a request names, each once, and where it stands first, as a property is called. */
export type Named = ReadonlyMap<string, string>

/** The ids of a list: each by itself, or as the object that has it; `spelled` where the same id has several spellings. */
export function namedIn(
  property: string,
  given: readonly (string | { id: string })[],
  spelled = (id: string) => id,
): Named {
  const places = new Map<string, string>()
  given.forEach((one, index) => {
    const [id, place] = typeof one === 'string' ? [one, `${property}.${index}`] : [one.id, `${property}.${index}.id`]
    const known = spelled(id)
    if (!places.has(known)) places.set(known, place)
  })
  return places
}

/** What the ids stand for, in their order; refuses with the places of those that stand for nothing. */
export function allFound<T>(
  named: Named,
  found: readonly (T | undefined)[],
  { code, message }: { code: ErrorCode; message: string },
): T[] {
  const places = [...named.values()].filter((_, index) => found[index] === undefined)
  const refusal = errorOf(places.map((place) => faultAt(code, place, message)))
  if (refusal) throw refusal
  return found as T[]
}

/** Who cannot be given a task: nobody tells whether he exists. */
export const unknownUser = { code: 'UNKNOWN_USER_ID', message: 'names no active user' } as const
