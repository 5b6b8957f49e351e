import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { hasBrowser } from '../harness/browser.ts'

// Format, lint, types and layers. Checked beside the other tests, as these commands leave a processor without work.

test('npm run check finds nothing', async () => {
  expect(await faultsOf('check')).toBeUndefined()
})

// Its types are in its packages, which not every clone has.
test.runIf(hasBrowser)('the types of test/browser fit', async () => {
  expect(await faultsOf('types', '-p', 'test/browser')).toBeUndefined()
})

/** What a script of package.json prints, if it fails. */
async function faultsOf(script: string, ...args: string[]): Promise<string | undefined> {
  const run = spawn('npm', ['run', '--silent', script, '--', ...args])
  const [out, errors, [status]] = await Promise.all([text(run.stdout), text(run.stderr), once(run, 'close')])
  return status === 0 ? undefined : out + errors
}
