import { fileURLToPath } from 'node:url'
import { defineConfig } from 'vitest/config'
import Order from './test/harness/order.ts'

// What tests start loads the same files again and again: Node keeps what it has compiled of them, and Serverless the
// validators that it has made of its schema, a third of the time of each command.
const cache = fileURLToPath(new URL('node_modules/.cache/', import.meta.url))
process.env['NODE_COMPILE_CACHE'] ??= `${cache}compiled`
process.env['SLS_SCHEMA_CACHE_BASE_DIR'] ??= `${cache}serverless`
// The compilers that tests start, of TypeScript and of bundles, have their memory for a short time: to clean it up less often
// saves them a fifth of the time.
process.env['GOGC'] ??= '300'
// Node tries one address of `localhost` after the other, and gives each a quarter of a second: too little where the
// processor is busy, as the service then seems not to be there.
const patient = '--network-family-autoselection-attempt-timeout=10000'
process.env['NODE_OPTIONS'] = [process.env['NODE_OPTIONS'], patient].filter(Boolean).join(' ')

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/harness/compiled.ts', 'test/harness/database.ts', 'test/harness/packages.ts'],
    setupFiles: ['test/harness/tidy.ts'],
    // Starting a process for each file, and loading everything anew in it, takes a third of the processor time.
    isolate: false,
    reporters: ['default', './test/harness/slowest.ts'],
    sequence: { sequencer: Order },
    // On two cores: half of them wait for the database.
    maxWorkers: 4,
    // How long something takes is not what is tested, and a machine may be busy: limits only end what hangs.
    testTimeout: 900_000,
    hookTimeout: 900_000,
    expect: { poll: { timeout: 120_000 } },
  },
})
