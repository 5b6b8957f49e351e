import { charactersIn } from './text.ts'

// The forms of values that may be anything.

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Whether a value is an object or a list. */
export const isNested = (value: unknown): value is object => typeof value === 'object' && value !== null

/** The value, if it is an object with names. */
export const asRecord = (value: unknown) => (isObject(value) ? value : undefined)

/** Whether a value is neither undefined nor null. */
export const isGiven = <T>(value: T): value is NonNullable<T> => value !== undefined && value !== null

const LONGEST_REFERENCE = 255

/** Whether a value has the form of a reference: a text of 1 to 255 characters. */
export const isReference = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && charactersIn(value) <= LONGEST_REFERENCE && value.isWellFormed()

/** Whether a value is nested deeper than this many levels. Goes level by level, as recursion could overflow the stack. */
export function isDeeperThan(levels: number, value: unknown): boolean {
  let level = [value].filter(isNested)
  for (let depth = 0; level.length > 0; depth++) {
    if (depth === levels) return true
    level = level.flatMap((one): unknown[] => Object.values(one)).filter(isNested)
  }
  return false
}
