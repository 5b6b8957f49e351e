import { setTimeout } from 'node:timers/promises'

/** The median. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2
}

/** The ratio of two durations: the median of the ratios of all rounds. */
export const ratio = (some: readonly number[], others: readonly number[]): number =>
  median(some.map((ms, round) => ms / (others[round] ?? Number.NaN)))

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

/** The rounds of a quick run, which shows that a part works; its ratios say little. */
const MOST_ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? Number.POSITIVE_INFINITY)

/**
 * Runs several functions in turn, so that other work on the machine affects all of them alike. Returns the milliseconds
 * of each in every round after the warm-up; a function that measures itself returns them.
 */
export async function byTurns<Name extends string>(
  works: Record<Name, (round: number) => Promise<unknown>>,
  { rounds, warmUp }: { rounds: number; warmUp: number },
): Promise<Record<Name, number[]>> {
  const names = Object.keys(works) as Name[]
  const times = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<Name, number[]>
  const [first, all] = [Math.min(warmUp, MOST_ROUNDS), Math.min(warmUp, MOST_ROUNDS) + Math.min(rounds, MOST_ROUNDS)]
  for (let round = 0; round < all; round++)
    // Each is first equally often: the second one finds the caches filled.
    for (const name of round % 2 === 0 ? names : names.toReversed()) times[name].push(await msOf(works[name], round))
  for (const name of names) times[name].splice(0, first)
  return times
}

async function msOf(work: (round: number) => Promise<unknown>, round: number): Promise<number> {
  const startedAt = performance.now()
  const own = await work(round)
  return typeof own === 'number' ? own : performance.now() - startedAt
}

const LOOK_MS = 250

/** Looks again and again until the answer is true. Returns the seconds that it took. */
export async function until(isDone: () => Promise<boolean>, everyMs = LOOK_MS): Promise<number> {
  const startedAt = performance.now()
  while (!(await isDone())) await setTimeout(everyMs)
  return (performance.now() - startedAt) / 1000
}
