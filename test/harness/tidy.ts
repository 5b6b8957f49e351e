import fc from 'fast-check'
import { afterAll, vi } from 'vitest'
import { SEED } from './runs.ts'
import { undoAll } from './undo.ts'

// Runs with every test file. Files share processes: the next one finds environment variables, spies and handlers as this one did.

fc.configureGlobal({ seed: SEED })

const before = { ...process.env }

afterAll(() => {
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name]
  Object.assign(process.env, before)
  vi.useRealTimers()
  vi.restoreAllMocks()
  undoAll()
})
