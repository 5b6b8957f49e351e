import type { ItemOf } from '../../request/context.ts'
import { updateUser } from './updateUser.ts'
import { ADMINISTRATORS, namesClaimed, userBatch } from './userBatches.ts'
import { wrongReferences } from './userWrites.ts'

/** Updates up to 100 users, each on its own. */
export const updateUsers = userBatch<ItemOf<'updateUsers'>>({
  single: (context, { id, body }, query) => updateUser(context, { path: { user_id: id }, query, body }),
  claims: ({ body }) => [...namesClaimed(body), ...(body.role === undefined ? [] : [ADMINISTRATORS])],
  alsoWrong: (context, body, user_id) => wrongReferences(context, body, { user_id }, {}),
})
