import type { Input } from '../../schemas/contract.ts'
import type * as contracts from '../../schemas/taskAssignments.ts'
import type { Answer, Context } from '../request/context.ts'
import { taskAssignmentKey } from '../table/keys.ts'
import { retrying } from '../table/retry.ts'
import { readUser } from '../users/user.ts'
import { AT_ONCE, beginAdding, finishEntries, unlessUnsettled } from './addRecipients.ts'
import { authored } from './authored.ts'
import { activeMembers, type Recipients, readAround } from './channelMembers.ts'
import { allFound, type Named, namedIn, unknownUser } from './named.ts'
import { readWholeTask, type Summary, summaryOf } from './summary.ts'
import type { TaskState } from './task.ts'
import { assignmentCreation, countedOn, newOnes } from './taskWrites.ts'

type SummaryAnswer = Promise<Answer<Summary>>

/** Gives a task to one more user, or to the members of a channel, for its author. */
export const addTaskRecipient = (
  context: Context,
  { path, body: { recipient } }: Input<typeof contracts.addTaskRecipient>,
): SummaryAnswer =>
  recipient.type === 'USER'
    ? addUsers(context, path.task_id, new Map([[recipient.id, 'recipient.id']]))
    : addMembers(context, path.task_id, recipient.id)

/** Gives a task to up to a hundred more users, for its author; to none if one of them cannot get it. */
export const addTaskAssignments = (
  context: Context,
  { path, body }: Input<typeof contracts.addTaskAssignments>,
): SummaryAnswer => addUsers(context, path.task_id, namedIn('user_ids', body.user_ids))

function addUsers(context: Context, task: string, named: Named): SummaryAnswer {
  const ids = [...named.keys()]
  return retrying(async () => {
    const [whole, found] = await Promise.all([readWholeTask(context.store, task), candidates(context, task, ids)])
    const state = authored(context, whole)
    await unlessUnsettled(context.store, state)
    const missing = allFound(named, found, unknownUser).filter((user) => user !== 'ASSIGNED')
    return add(context, state, { ids: missing.map(({ id }) => id), users: missing })
  })
}

function addMembers(context: Context, task: string, channelId: string): SummaryAnswer {
  return retrying(async () => {
    const [whole, around] = await Promise.all([readWholeTask(context.store, task), readAround(context, channelId)])
    const state = authored(context, whole)
    const missing = await activeMembers(context, around, { property: 'recipient.id', task })
    await unlessUnsettled(context.store, state)
    return add(context, state, missing)
  })
}

/** Users as far as they are active; who has the task already may be whatever he is by now. */
const candidates = ({ store, now }: Context, task: string, ids: readonly string[]) =>
  Promise.all(
    ids.map(async (id) => {
      const [user, item] = await Promise.all([readUser(store, id, now), store.get(taskAssignmentKey(id, task))])
      if (item) return 'ASSIGNED'
      return user?.status === 'ACTIVE' ? user : undefined
    }),
  )

async function add(context: Context, state: TaskState, { ids, users }: Recipients): SummaryAnswer {
  const { store, now } = context
  const { task, counts } = state
  if (ids.length === 0) return { status: 200, body: summaryOf(counts) }
  if (ids.length <= AT_ONCE) {
    const creations = users.flatMap((user) => assignmentCreation(task, user, now))
    await store.write([...creations, countedOn(state, newOnes(ids.length))])
    return { status: 201, body: summaryOf({ ...counts, count: counts.count + ids.length }) }
  }
  const entries = await beginAdding(store, { task, users: ids, now, id: context.newId() })
  // It is noted: where this fails, the scheduled function does it.
  await finishEntries(context, entries).catch(() => undefined)
  const after = authored(context, await readWholeTask(store, task.id))
  return { status: 201, body: summaryOf(after.counts) }
}
