import type { ItemOf } from '../../request/context.ts'
import { wrongReferences } from './references.ts'
import { updateUser } from './updateUser.ts'
import { ADMINISTRATORS, namesClaimed, userBatch } from './userBatches.ts'

/** Updates up to 100 users, each on its own. */
export const updateUsers = userBatch<ItemOf<'updateUsers'>>({
  single: (context, { id, body }, query) => updateUser(context, { path: { user_id: id }, query, body }),
  claims: ({ body }) => [...namesClaimed(body), ...(body.role === undefined ? [] : [ADMINISTRATORS])],
  moreFaults: (context, body, user_id) => wrongReferences(context, body, { user_id }, {}),
})
