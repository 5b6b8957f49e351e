import { refuseFault } from '../base/errors.ts'
import { BudgetSpent, limitedStore, RECORD_BYTES } from '../table/budget.ts'
import type { Store } from '../table/store.ts'
import type { Window } from './askedPage.ts'
import { partsOfPage } from './readPage.ts'

/** Read units that a page by number may take (contract, Lists). Tests make them fewer. */
export const pageBudget = { units: 4_000 }

/** The part of the budget for the check of the caller and for counters. */
const UNITS_OF_THE_CALL = 10
/** The bytes of rows that one unit reads, if the read may lag. */
const BYTES_PER_UNIT = 8192

/**
 * Limits what a page by number reads: the rows before it, its own rows, and the records that its order needs. `sizes` are those
 * of its segments, if counted. A page by cursor has no limit.
 */
export function limitedPage<S extends Pick<Store, 'query' | 'getEventual'>>(
  store: S,
  window: Window,
  sizes: readonly number[] | undefined,
): S {
  const { skip, take, isByNumber } = window
  if (!isByNumber) return store
  const parts = sizes ? partsOfPage(window, sizes) : [{ skip, take }]
  const bytes = (pageBudget.units - UNITS_OF_THE_CALL) * BYTES_PER_UNIT - take * RECORD_BYTES
  const needed = parts.reduce((sum, part) => sum + part.skip + part.take, 0)
  return limitedStore(store, { byteBudget: { bytes }, needed })
}

/** For `catch`: refuses a page by number that needs more than its budget. Throws every other error as it is. */
export function refuseTooFar(error: unknown): never {
  if (!(error instanceof BudgetSpent)) throw error
  const detail = 'must be nearer to the first or the last page: use page_cursor to go further'
  throw refuseFault('VALIDATION_ERROR', 'page_number', detail)
}
