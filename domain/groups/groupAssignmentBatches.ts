import type { Item as ItemOf } from '../../schemas/contract.ts'
import type * as contracts from '../../schemas/groupAssignments.ts'
import { type BatchItem, type BatchResult, runBatch } from '../request/batch.ts'
import type { Answer, Context } from '../request/context.ts'
import { groupAssignmentKey, groupKey, roleKey, userKey } from '../table/keys.ts'
import type { Key } from '../table/store.ts'
import { type AssignmentView, assign, type Triple, withdraw } from './groupAssignmentOperations.ts'

type Query = { embed?: 'ACTIONS'[] }
type Batch<T> = { query: Query; body: { items: BatchItem<T>[] } }
type BatchAnswer = Promise<Answer<{ items: BatchResult<AssignmentView>[] }>>

/** Gives up to 100 users roles in groups, each on its own. */
export const createGroupAssignments = async (
  context: Context,
  { query, body }: Batch<ItemOf<typeof contracts.createGroupAssignments>>,
): BatchAnswer => ({
  status: 200,
  body: {
    items: await runBatch(context, body.items, {
      reads: (item) => [...records(tripleOf(item)), roleKey(item.body.role_id)],
      touches: (item) => touched(tripleOf(item)),
      single: (own, item) => assign(own, tripleOf(item), query.embed),
    }),
  },
})

/** Takes up to 100 roles in groups away, each on its own. */
export const deleteGroupAssignments = async (
  context: Context,
  { query, body }: Batch<ItemOf<typeof contracts.deleteGroupAssignments>>,
): BatchAnswer => ({
  status: 200,
  body: {
    items: await runBatch(context, body.items, {
      reads: (item) => records(item.id),
      touches: (item) => touched(item.id),
      single: (own, item) => withdraw(own, item.id, query.embed),
    }),
  },
})

const tripleOf = ({ group_id, body }: ItemOf<typeof contracts.createGroupAssignments>): Triple => ({
  group_id,
  ...body,
})

const records = ({ group_id, user_id, role_id }: Triple): Key[] => [
  groupKey(group_id),
  userKey(user_id),
  groupAssignmentKey(user_id, group_id, role_id),
]

/** An assignment moves its user's version on, so that two of one user follow each other. */
const touched = ({ user_id }: Triple): string[] => [`user:${user_id}`]
