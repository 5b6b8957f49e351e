import { refuse } from '../base/errors.ts'
import { backOff } from '../table/backOff.ts'
import { StaleRead } from '../table/store.ts'

const ATTEMPTS = 10

/** Reads, decides and writes again while somebody else was faster; gives up as CONCURRENT_MODIFICATION. */
export async function retrying<T>(readDecideWrite: () => Promise<T>): Promise<T> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    try {
      return await readDecideWrite()
    } catch (error) {
      if (!(error instanceof StaleRead)) throw error
      await backOff(attempt)
    }
  }
  throw refuse('CONCURRENT_MODIFICATION')
}
