import type { AppError } from '../../base/errors.ts'
import { runBatch } from '../../request/batch.ts'
import type { Answer, BatchItem, Context, Input } from '../../request/context.ts'
import { textOfKey } from '../../table/items.ts'
import { externalIdKey, usernameKey } from '../../table/keys.ts'
import type { Item } from '../../table/store.ts'
import { users } from '../records/user.ts'
import type { UserView } from './userView.ts'

type Query = Input<'updateUsers'>['query']

type Plan<I> = {
  /** The call for one item. */
  single: (context: Context, item: I, query: Query) => Promise<Answer<UserView>>
  /** The unique names that an item asks for. */
  claims?: (item: I) => string[]
  moreFaults?: (context: Context, body: unknown, id: unknown) => Promise<AppError | undefined>
}

/** The operation that makes a call for each of up to 100 users. */
export const userBatch =
  <I extends { id: string; if_match?: string }>({ single, claims, moreFaults }: Plan<I>) =>
  (context: Context, { query, body }: { query: Query; body: { items: BatchItem<I>[] } }) =>
    runBatch(context, body.items, {
      reads: (item) => [users.key(item.id)],
      changes: (item, [found]) => [...changesOf(item.id, found), ...(claims?.(item) ?? [])],
      single: (own, item) => single(own, item, query),
      ifMatch: ({ if_match }) => if_match,
      moreFaults,
    })

/** What any change of a user may change: the user, their reserved names, the number of administrators. */
function changesOf(id: string, found: Item | undefined): string[] {
  const user = users.of(found)
  return [`user:${id}`, ...(user ? namesClaimed(user) : []), ...(user?.role === 'ADMIN' ? [ADMINISTRATORS] : [])]
}

export const ADMINISTRATORS = 'administrators'
export const namesClaimed = ({ username, external_id }: { username?: string; external_id?: string | null }) => [
  ...(username === undefined ? [] : [textOfKey(usernameKey(username))]),
  ...(external_id ? [textOfKey(externalIdKey(external_id))] : []),
]
