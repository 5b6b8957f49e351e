import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { TestProject } from 'vitest/node'

/** Compiles the contracts before the tests of a run, if they have changed. In watch mode again before each further run. */
export default function setup(project: TestProject): void {
  if (!compile()) throw new Error('The contracts do not compile (npm run compile): the fault is above')
  // A fault is only shown then: the next run compiles again.
  project.onTestsRerun(async () => void compile())
}

/** In a process of its own, which loads the schemas as they are by then. */
function compile(): boolean {
  const script = fileURLToPath(new URL('../../local/build/compile.ts', import.meta.url))
  return spawnSync(process.execPath, [script], { stdio: ['ignore', 'ignore', 'inherit'] }).status === 0
}
