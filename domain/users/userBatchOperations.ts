import type { Input, Item as ItemOf } from '../../schemas/contract.ts'
import type * as contracts from '../../schemas/users.ts'
import { type BatchItem, type BatchResult, runBatch } from '../request/batch.ts'
import type { Answer, Context } from '../request/context.ts'
import { userKey, usernameKey } from '../table/keys.ts'
import type { Item } from '../table/store.ts'
import { deleteUser, restoreUser, updateUser } from './userOperations.ts'
import { userOf } from './userRecord.ts'
import { wrongReferences } from './userReferences.ts'
import type { UserView } from './userView.ts'

type BatchAnswer = Promise<Answer<{ items: BatchResult<UserView>[] }>>
type Embedding = Input<typeof contracts.updateUsers>['query']
type Patch = ItemOf<typeof contracts.updateUsers>
type Only = ItemOf<typeof contracts.deleteUsers>

/** Updates up to 100 users, each on its own. */
export const updateUsers = async (
  context: Context,
  { query, body }: { query: Embedding; body: { items: BatchItem<Patch>[] } },
): BatchAnswer => ({
  status: 200,
  body: {
    items: await runBatch(context, body.items, {
      reads: (item) => [userKey(item.id)],
      touches: (item, [found]) => [...touched(item.id, found), ...claimed(item)],
      single: (own, item) => updateUser(own, { path: { user_id: item.id }, query, body: item.body }),
      alsoWrong: wrongReferences,
    }),
  },
})

/** Marks up to 100 users for deletion, each on its own. */
export const deleteUsers = each(deleteUser)

/** Restores up to 100 users, each on its own. */
export const restoreUsers = each(restoreUser)

function each(single: typeof deleteUser) {
  return async (
    context: Context,
    { query, body }: { query: Embedding; body: { items: BatchItem<Only>[] } },
  ): BatchAnswer => ({
    status: 200,
    body: {
      items: await runBatch(context, body.items, {
        reads: (item) => [userKey(item.id)],
        touches: (item, [found]) => touched(item.id, found),
        single: (own, item) => single(own, { path: { user_id: item.id }, query, body: {} }),
      }),
    },
  })
}

/** What any change of a user may touch: himself, what he has reserved, the number of administrators. */
function touched(id: string, found: Item | undefined): string[] {
  const user = found && userOf(found)
  if (!user) return [`user:${id}`]
  return [
    `user:${id}`,
    usernameKey(user.username).pk,
    ...(user.external_id === null ? [] : [`external:${user.external_id}`]),
    ...(user.role === 'ADMIN' ? ['administrators'] : []),
  ]
}

/** What a patch asks for that only one can have. */
const claimed = ({ body }: Patch): string[] => [
  ...(body.username === undefined ? [] : [usernameKey(body.username).pk]),
  ...(body.external_id ? [`external:${body.external_id}`] : []),
  ...(body.role === undefined ? [] : ['administrators']),
]
