import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/harness/database.ts'],
    // On two cores: the others wait for the databases.
    maxWorkers: 3,
    testTimeout: 90_000,
    hookTimeout: 120_000,
  },
})
