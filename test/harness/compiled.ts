import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'
import { browserPath, hasBrowser } from './browser.ts'

/**
 * Compiles contracts and client before the tests of a run, if they have changed; in watch mode before each run. Unpacks the browser,
 * which files that run at the same time would do at once.
 */
export default async function setup(project: TestProject): Promise<void> {
  if (!compile()) throw new Error('Contracts or client do not compile (npm run compile, npm run client): see above')
  // A fault is only shown then: the next run compiles again.
  project.onTestsRerun(async () => void compile())
  if (hasBrowser) await browserPath()
}

/** In other processes, which load the schemas as they are by then. */
const compile = (): boolean => ['compile.ts', 'client.ts'].every(run)

function run(script: string): boolean {
  const path = fileURLToPath(new URL(`../../local/build/${script}`, import.meta.url))
  return spawnSync(process.execPath, [path], { stdio: ['ignore', 'ignore', 'inherit'] }).status === 0
}
