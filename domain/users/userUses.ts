import type { Editions } from '../attributes/attributeRules.ts'
import { useCount } from '../table/keys.ts'
import type { UserRecord } from './userRecord.ts'

/** What a change of a user means for the counters of attributes, and the editions that its new values must fit. */
export type Uses = {
  by: (readonly [attribute: string, by: number])[]
  judged: (readonly [name: string, edition: number | undefined])[]
}

type Owner = Pick<UserRecord, 'attributes' | 'counted'>

/** The names of a user's attributes. */
export const attributeNames = ({ attributes }: Owner): string[] => attributes.map(({ name }) => name)

/** What a record says of its attributes when all of them are counted; nothing where there are none. */
export function countedMark(user: Owner): { counted?: number } {
  const names = attributeNames(user).sort()
  return names.length > 0 ? { counted: digest(names.join('\n')) } : {}
}

/** 16 bits are enough: it only ever tells apart what was written while two versions of the service ran. */
function digest(names: string): number {
  let sum = 0x811c
  // Technical names are ASCII, so every unit is a byte.
  for (let at = 0; at < names.length; at++) sum = (Math.imul(sum ^ names.charCodeAt(at), 0x01000193) >>> 0) % 0xfff1
  return sum
}

/** The names of a user's attributes that are counted: all of them, or none. */
const countedNames = (user: Owner | undefined): string[] =>
  user?.counted !== undefined && user.counted === countedMark(user).counted ? attributeNames(user) : []

/**
 * Compares what is counted of a user with what they come to have. An attribute that they have already and that is not
 * counted was given by an earlier version of the service: its definition stays until all of those are counted.
 */
export function usesChanged(before: Owner | undefined, after: Owner, editions?: Editions): Uses {
  const had = new Set(before ? attributeNames(before) : [])
  const [counted, has] = [new Set(countedNames(before)), new Set(attributeNames(after))]
  const more = [...has].filter((name) => !counted.has(name))
  const less = [...counted].filter((name) => !has.has(name))
  return {
    by: [...more.map((name) => [useCount(name), 1] as const), ...less.map((name) => [useCount(name), -1] as const)],
    judged: more.filter((name) => !had.has(name)).map((name) => [name, editions?.get(name)] as const),
  }
}
