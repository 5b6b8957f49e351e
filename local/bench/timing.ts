/** The median. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2
}

/** The duration of the work in milliseconds. */
export async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

/** Milliseconds of processor time of this process since then. */
export function cpuMsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

/** Milliseconds of each round after the warm-up. */
export type Times<Name extends string> = Record<Name, number[]>

/**
 * Runs several functions in turn, so that other work on the machine affects all of them alike. Returns the milliseconds
 * of each. The first rounds are a warm-up and do not count.
 */
export async function byTurns<Name extends string>(
  works: Record<Name, (round: number) => Promise<unknown>>,
  { rounds, warmUp }: { rounds: number; warmUp: number },
): Promise<Times<Name>> {
  const names = Object.keys(works) as Name[]
  const times = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Times<Name>
  for (let round = 0; round < warmUp + rounds; round++)
    // Each is first equally often: the second one finds the caches filled.
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const ms = await timed(() => works[name](round))
      if (round >= warmUp) times[name].push(ms)
    }
  return times
}

/** The ratio of two durations: the median of the ratios of all rounds. */
export const ratio = (some: readonly number[], others: readonly number[]): number =>
  median(some.map((ms, round) => ms / (others[round] ?? Number.NaN)))
