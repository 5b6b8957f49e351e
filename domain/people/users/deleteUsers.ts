import type { ItemOf } from '../../request/context.ts'
import { deleteUser } from './deleteUser.ts'
import { userBatch } from './userBatches.ts'

/** Marks up to 100 users for deletion, each on its own. */
export const deleteUsers = userBatch<ItemOf<'deleteUsers'>>({
  single: (context, { id }, query) => deleteUser(context, { path: { user_id: id }, query }),
})
