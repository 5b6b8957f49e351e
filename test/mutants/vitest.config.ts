import { defineConfig } from 'vitest/config'
import config from '../../vitest.unit.config.ts'

/** The unit tests of the code that `npm run mutants` changes, or those that TESTS names: others only take time. */
export default defineConfig({
  test: {
    ...config.test,
    // Stryker runs tests in threads, which take no options of V8.
    execArgv: [],
    ...(process.env['TESTS'] ? { include: [process.env['TESTS']] } : {}),
    exclude: ['test/{aws,contract,ledger,local,middleware,reference}/**'],
  },
})
