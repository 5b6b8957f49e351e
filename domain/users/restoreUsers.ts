import type { Item } from '../../schemas/contract.ts'
import type * as contracts from '../../schemas/users.ts'
import { restoreUser } from './restoreUser.ts'
import { userBatch } from './userBatches.ts'

/** Restores up to 100 users, each on its own. */
export const restoreUsers = userBatch<Item<typeof contracts.restoreUsers>>({
  single: (context, { id }, query) => restoreUser(context, { path: { user_id: id }, query, body: {} }),
})
