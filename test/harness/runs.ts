/**
 * The seed of random data: the same in every run, so that a failure comes from a change, not from chance.
 * `SEED=$RANDOM npx vitest run test/contract/fuzz.test.ts` tries other data.
 */
export const SEED = Number(process.env['SEED'] ?? 1)

/**
 * How often a property is tried: half as often as named in a run of all tests, so that the whole stays short. For a long search `RUNS=500 npx vitest run test/tasks/taskModel.test.ts`.
 */
export const runs = (often: number): number => Number(process.env['RUNS'] ?? Math.ceil(often / 2))
