import type { Item } from '../../schemas/contract.ts'
import type * as contracts from '../../schemas/users.ts'
import { updateUser } from './updateUser.ts'
import { ADMINISTRATORS, namesClaimed, userBatch } from './userBatches.ts'
import { wrongReferences } from './userWrites.ts'

/** Updates up to 100 users, each on its own. */
export const updateUsers = userBatch<Item<typeof contracts.updateUsers>>({
  single: (context, { id, body }, query) => updateUser(context, { path: { user_id: id }, query, body }),
  claims: ({ body }) => [...namesClaimed(body), ...(body.role === undefined ? [] : [ADMINISTRATORS])],
  alsoWrong: wrongReferences,
})
