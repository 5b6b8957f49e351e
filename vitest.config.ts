import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/harness/database.ts'],
    reporters: ['default', './test/harness/slowest.ts'],
    // On two cores: the others wait for the database.
    maxWorkers: 3,
    // A worker keeps the packages it has loaded and forgets the modules of the project after each file.
    isolate: false,
    testTimeout: 90_000,
    hookTimeout: 120_000,
  },
})
