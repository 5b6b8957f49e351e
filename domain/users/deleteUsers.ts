import type { Item } from '../../schemas/contract.ts'
import type * as contracts from '../../schemas/users.ts'
import { deleteUser } from './deleteUser.ts'
import { userBatch } from './userBatches.ts'

/** Marks up to 100 users for deletion, each on its own. */
export const deleteUsers = userBatch<Item<typeof contracts.deleteUsers>>({
  single: (context, { id }, query) => deleteUser(context, { path: { user_id: id }, query, body: {} }),
})
