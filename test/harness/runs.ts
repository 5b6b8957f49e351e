/**
 * How often a property is tried: half as often as named in a run of all tests, each time with other values, so that the
 * whole stays short. For a long search `RUNS=500 npx vitest run test/tasks/taskModel.test.ts`.
 */
export const runs = (often: number): number => Number(process.env['RUNS'] ?? Math.ceil(often / 2))
