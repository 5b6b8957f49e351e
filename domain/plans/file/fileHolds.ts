import type { Store } from '../../table/store.ts'
import type { Holds } from '../carryOut.ts'
import type { PlanRequest } from '../plan.ts'
import { conditionOf } from '../selected.ts'
import { fileRequest } from './fileRequest.ts'
import { keyNameOf } from './rowKey.ts'

/**
 * Returns a test: whether what chose a user for a change of a file is still so. They must have the key that they had: nobody knows any
 * more whether a row has another one. Somebody without a row must be among those whom the file is about, too.
 */
export async function fileHolds(store: Store, request: PlanRequest): Promise<Holds> {
  const { match_by, absent_among } = fileRequest(request)
  const isAmong = absent_among ? await conditionOf(store, absent_among) : undefined
  return async (user, { key, row }) => {
    if (key !== undefined && keyNameOf(match_by, user) !== key) return undefined
    return row === null && isAmong ? isAmong(user) : { actions: [] }
  }
}
