/**
 * How often a property is tried: this often in every run of the tests, each time with other values. For a long search
 * `RUNS=500 npx vitest run test/tasks/taskModel.test.ts`.
 */
export const runs = (often: number): number => Number(process.env['RUNS'] ?? often)
