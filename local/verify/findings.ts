import { isDeepStrictEqual } from 'node:util'

/** A difference between the table and its rules. */
export type Finding = { what: string; found: unknown; expected: unknown }

/** The type of `expect` in checks. vitest's `expect` has it, too. */
export type Expect = (
  found: unknown,
  what?: string,
) => {
  toEqual: (expected: unknown) => void
  toBe: (expected: unknown) => void
  toBeDefined: () => void
  toBeGreaterThan: (least: number) => void
  toMatchObject: (expected: object) => void
}

/** Only this many findings are kept, in case the whole table is damaged. */
const MOST_FINDINGS = 10_000

/** Checks that continue after a finding, and list all. `count` is exact, even if not all findings are kept. */
export function collecting(): { findings: Finding[]; count: () => number; expect: Expect } {
  const findings: Finding[] = []
  let count = 0
  const expect: Expect = (found, what = 'an item') => {
    const unless = (isRight: boolean, expected: unknown) => {
      if (isRight) return
      count++
      if (findings.length < MOST_FINDINGS) findings.push({ what, found, expected })
    }
    return {
      toEqual: (expected) => unless(isDeepStrictEqual(plain(found), plain(expected)), expected),
      toBe: (expected) => unless(Object.is(found, expected), expected),
      toBeDefined: () => unless(found !== undefined, 'something'),
      toBeGreaterThan: (least) => unless(Number(found) > least, `more than ${least}`),
      toMatchObject: (expected) => {
        const part = Object.keys(expected).map((name) => [name, (found as Record<string, unknown>)[name]])
        unless(isDeepStrictEqual(plain(Object.fromEntries(part)), plain(expected)), expected)
      },
    }
  }
  return { findings, count: () => count, expect }
}

/** A value without properties that are undefined: the table does not store them. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value
  const kept = Object.entries(value).filter(([, one]) => one !== undefined)
  return Object.fromEntries(kept.map(([name, one]) => [name, plain(one)]))
}

/** Like `toEqual`, but slow only if there is a difference to show. */
export function expectSame(expect: Expect, found: unknown, expected: unknown, what: string): void {
  if (!isDeepStrictEqual(found, expected)) expect(found, what).toEqual(expected)
}

/** Counts by name. */
export type CountsByName = ReadonlyMap<string, number>

/** Counts one more of a name. */
export const countOne = (tally: Map<string, number>, name: string): void =>
  void tally.set(name, (tally.get(name) ?? 0) + 1)

/** The number of times each name occurs. */
export function tallyOf(names: Iterable<string>): Map<string, number> {
  const tally = new Map<string, number>()
  for (const name of names) countOne(tally, name)
  return tally
}

/** The sums of numbers with the same name. */
export function sumsOf(numbers: Iterable<readonly [name: string, number: number]>): Map<string, number> {
  const sums = new Map<string, number>()
  for (const [name, number] of numbers) sums.set(name, (sums.get(name) ?? 0) + number)
  return sums
}

/** Compares two tallies; a missing count equals zero. Only the names with different numbers are shown. */
export function difference(expect: Expect, found: CountsByName, expected: CountsByName, what: string): void {
  const different = [...new Set([...found.keys(), ...expected.keys()])]
    .filter((name) => (found.get(name) ?? 0) !== (expected.get(name) ?? 0))
    .sort()
  const shown = (tally: CountsByName) => Object.fromEntries(different.map((name) => [name, tally.get(name) ?? 0]))
  expect(shown(found), what).toEqual(shown(expected))
}
