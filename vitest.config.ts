import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/harness/database.ts'],
    reporters: ['default', './test/harness/slowest.ts'],
    // On two cores: the others wait for the database.
    maxWorkers: 3,
    testTimeout: 90_000,
    hookTimeout: 120_000,
  },
})
