const isNested = (value: unknown): value is object => typeof value === 'object' && value !== null

/**
 * Whether a value is nested deeper than so many levels: looked at level by level, as what is deep enough has no room on
 * the stack, be it to be measured or written as JSON.
 */
export function isDeeperThan(levels: number, value: unknown): boolean {
  let level = [value].filter(isNested)
  for (let depth = 0; level.length > 0; depth++) {
    if (depth === levels) return true
    level = level.flatMap((one): unknown[] => Object.values(one)).filter(isNested)
  }
  return false
}
