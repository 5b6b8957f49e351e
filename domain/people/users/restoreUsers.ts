import type { ItemOf } from '../../request/context.ts'
import { restoreUser } from './restoreUser.ts'
import { userBatch } from './userBatches.ts'

/** Restores up to 100 users, each on its own. */
export const restoreUsers = userBatch<ItemOf<'restoreUsers'>>({
  single: (context, { id }, query) => restoreUser(context, { path: { user_id: id }, query }),
})
