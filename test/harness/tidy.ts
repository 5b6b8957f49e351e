import { syncBuiltinESMExports } from 'node:module'
import timers from 'node:timers'
import fc from 'fast-check'
import { afterAll, vi } from 'vitest'
import { SEED } from './runs.ts'
import { undoAll } from './undo.ts'

// Runs with every test file. Files share processes: the next one finds environment variables, spies and handlers as this one did.

fc.configureGlobal({ seed: SEED })

// A test says how much time a call has. A busy machine may take longer for what does not take long: so the timer that ends
// calls, the only one of node:timers, counts only where there are less than two seconds.
const [SHORT_MS, NEVER_MS] = [2000, 2 ** 31 - 1]
const { setTimeout } = timers
timers.setTimeout = Object.assign(
  (end: () => void, ms: number) => setTimeout(end, ms < SHORT_MS ? ms : NEVER_MS),
  setTimeout,
)
syncBuiltinESMExports()

const before = { ...process.env }

afterAll(async () => {
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name]
  Object.assign(process.env, before)
  vi.useRealTimers()
  vi.restoreAllMocks()
  timers.setTimeout = setTimeout
  syncBuiltinESMExports()
  await undoAll()
})
