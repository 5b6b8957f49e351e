import { defineConfig } from 'vitest/config'
import config from './vitest.config.ts'

/** The tests that need no database: rules without I/O, and what is built from the contracts. DynamoDB Local is not started. */
export default defineConfig({
  test: {
    ...config.test,
    globalSetup: [],
    include: [
      'test/aws/openapi.test.ts',
      'test/aws/unknownRoute.test.ts',
      'test/contract/characters.test.ts',
      'test/ledger/capacity.test.ts',
      'test/local/{apiOutput,demo,docs,fillDirectory,pages,prepare,settings,validators}.test.ts',
      'test/middleware/remembering.test.ts',
      'test/reference/described.test.ts',
      'test/request/mergePatch.test.ts',
      'test/table/{expressions,verdicts}.test.ts',
      'test/tasks/{cleanHtml,taskBody}.test.ts',
    ],
  },
})
