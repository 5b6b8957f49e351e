import { expect, it, onTestFinished, vi } from 'vitest'
import { environment } from '../../handlers/middleware/environment.ts'
import type { Measures } from '../../handlers/middleware/log.ts'
import { runImport } from '../../handlers/middleware/runImport.ts'

it('an import of several files counts once what it has asked of the table', async () => {
  onTestFinished(() => {
    vi.restoreAllMocks()
    vi.unstubAllEnvs()
  })
  vi.stubEnv('TABLE_NAME', 'of-several-files')
  vi.spyOn(environment, 'client').mockReturnValue({ send: async () => ({}) } as never)
  const logged: [object, (Measures | undefined)?][] = []
  vi.spyOn(environment, 'log').mockImplementation((...line) => void logged.push(line))
  const lambda = { awsRequestId: 'r', getRemainingTimeInMillis: () => 1000 } as never
  const files = [{ line: 1 }, { line: 2 }]
  await runImport('importFile', lambda, async (_context, log) => log.ended(...files))
  expect(logged.map(([line]) => line)).toEqual(
    files.map((file) => ({ level: 'info', endpoint: 'importFile', ...file })),
  )
  expect(logged.map(([, measures]) => measures?.DatabaseRequests)).toEqual([1, undefined])
})
