import type { Input } from '../../schemas/contract.ts'
import type * as contracts from '../../schemas/tasks.ts'
import type { Answer, Context } from '../context.ts'
import { refuse } from '../errors.ts'
import { retrying } from '../retrying.ts'
import { taskAssignmentKey } from '../store/keys.ts'
import { readUser } from '../users/userRecord.ts'
import { AT_ONCE, beginAdding, finishEntries, unlessUnsettled } from './addRecipients.ts'
import { authored } from './authored.ts'
import { activeMembers, type Recipients, readAround } from './channelMembers.ts'
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
    ? addUsers(context, path.task_id, { ids: [recipient.id], property: 'recipient.id' })
    : addMembers(context, path.task_id, recipient.id)

/** Gives a task to up to a hundred more users, for its author; to none if one of them cannot get it. */
export const addTaskAssignments = (
  context: Context,
  { path, body }: Input<typeof contracts.addTaskAssignments>,
): SummaryAnswer => {
  const ids = new Set(body.user_ids.map((one) => (typeof one === 'string' ? one : one.id)))
  return addUsers(context, path.task_id, { ids: [...ids], property: 'user_ids' })
}

type Named = { ids: readonly string[]; property: string }

function addUsers(context: Context, task: string, { ids, property }: Named): SummaryAnswer {
  return retrying(async () => {
    const [whole, users] = await Promise.all([readWholeTask(context.store, task), candidates(context, task, ids)])
    const state = authored(context, whole)
    await unlessUnsettled(context.store, state)
    // Who has the task already may be whatever he is by now.
    const missing = users.flatMap(({ user, isAssigned }) => {
      if (isAssigned) return []
      if (user?.status !== 'ACTIVE') throw refuse('UNKNOWN_USER_ID', property)
      return [user]
    })
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

/** Users, and whether they have the task already. */
const candidates = ({ store, now }: Context, task: string, ids: readonly string[]) =>
  Promise.all(
    ids.map(async (id) => {
      const [user, item] = await Promise.all([readUser(store, id, now), store.get(taskAssignmentKey(id, task))])
      return { user, isAssigned: item !== undefined }
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
