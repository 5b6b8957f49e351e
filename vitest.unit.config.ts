import { defineConfig } from 'vitest/config'
import config from './vitest.config.ts'

/** The tests that need no database: rules without I/O, and what is built from the contracts. DynamoDB Local is not started. */
export default defineConfig({
  test: { ...config.test, globalSetup: ['test/harness/compiled.ts'], include: ['test/**/*.unit.test.ts'] },
})
