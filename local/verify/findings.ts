import { isDeepStrictEqual } from 'node:util'

/** What is not as it should be. */
export type Finding = { what: string; found: unknown; expected: unknown }

/** How checks are told: in the words of vitest, whose `expect` is one of these. */
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

/** Checks that go on after a finding, and list them all. */
export function collecting(): { findings: Finding[]; expect: Expect } {
  const findings: Finding[] = []
  const expect: Expect = (found, what = 'an item') => {
    const unless = (isRight: boolean, expected: unknown) => {
      if (!isRight) findings.push({ what, found, expected })
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
  return { findings, expect }
}

/** A value without properties that are undefined: the table does not store them. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value
  const kept = Object.entries(value).filter(([, one]) => one !== undefined)
  return Object.fromEntries(kept.map(([name, one]) => [name, plain(one)]))
}

/** As `toEqual` does, but it takes its time only where there is something to show. */
export function expectSame(expect: Expect, found: unknown, expected: unknown, what: string): void {
  if (!isDeepStrictEqual(found, expected)) expect(found, what).toEqual(expected)
}
