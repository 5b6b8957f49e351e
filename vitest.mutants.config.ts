import { defineConfig } from 'vitest/config'
import config from './vitest.unit.config.ts'

/** The unit tests of the code that `npm run mutants` changes: those of everything else only take time. */
export default defineConfig({
  test: { ...config.test, exclude: ['test/{aws,contract,ledger,local,middleware,reference}/**'] },
})
