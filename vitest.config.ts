import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/harness/database.ts'],
    // On two cores three finish first: one of them waits for DynamoDB Local, which does one thing at a time.
    maxWorkers: 3,
    testTimeout: 90_000,
    hookTimeout: 120_000,
  },
})
