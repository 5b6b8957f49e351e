import { defineConfig } from 'vitest/config'
import config from '../../vitest.config.ts'
import unit from '../../vitest.unit.config.ts'

/**
 * The unit tests of the code that `npm run mutants` changes, or those that TESTS names: others only take time. Tests with a
 * database can be named too.
 */
const { TESTS } = process.env
const { test } = TESTS && !TESTS.includes('.unit.') ? config : unit

export default defineConfig({
  test: {
    ...test,
    // Stryker runs tests in threads, which take no options of V8.
    execArgv: [],
    ...(TESTS ? { include: [TESTS] } : {}),
    exclude: ['test/{aws,contract,ledger,local,middleware,reference}/**'],
  },
})
