import { type AppError, refuse } from '../base/errors.ts'
import { decideAgain } from '../base/retry.ts'
import { readChannelAccess } from '../people/channels/channelMembers.ts'
import type { Context, Input, RecordAnswer } from '../request/context.ts'
import { reserveIdempotencyKey } from '../request/repetition.ts'
import { doWorkOfCalls } from '../work/workOfCalls.ts'

import { readActiveUser, unknownUser } from './activeUser.ts'
import { addNoted, USERS_WITH_NEW_TASK, writeNewTask } from './addRecipients.ts'
import { activeMembers, type Recipients } from './channelRecipients.ts'
import { namedIds, requireAll } from './namedIds.ts'
import { readWholeTask, requireAuthored, stillCounts, type Task, type TaskCounts, taskFields } from './task.ts'
import { taskAssignments } from './taskAssignment.ts'
import type { TaskBody } from './taskBody.ts'
import { checkedTask, dueDateFrom, type NewRecipient, requireFitting } from './taskRules.ts'
import { type TaskRecordView, viewTaskRecord } from './taskView.ts'

type NewTask = Input<'createTask'>['body']

/** More faults of a creation that the schema has refused. */
export const wrongNewTask = async (_context: Context, body: unknown): Promise<AppError | undefined> =>
  checkedTask(body).fault

/**
 * Creates a task with its assignments, however many they are: the first come with the task, in one transaction with the
 * entries of work for the others. So a task always has an assignment, and all users get it even if the call dies.
 */
export async function createTask(context: Context, { body }: { body: NewTask }): Promise<RecordAnswer<TaskRecordView>> {
  const { fault, body: text } = checkedTask(body)
  if (fault) throw fault
  const task = requireFitting(taskFrom({ ...body, body: text }, context))
  // The same id in every attempt, so that its entries replace those of a failed attempt.
  const work = context.newId()
  const { ids, entries } = await decideAgain(async () => {
    const { ids, firstUsers } = await recipientsOf(context, body.recipients)
    const addition = { task, userIds: ids, now: context.now, id: work, also: reserveIdempotencyKey(context, task.id) }
    return { ids, entries: await writeNewTask(context.store, addition, firstUsers) }
  })
  const answer = (counts: TaskCounts) => ({
    status: 201,
    body: viewTaskRecord(context, { task, counts }, ids.includes(context.actorId)),
    own: taskFields.own(task),
  })
  if (entries.length === 0) return answer({ count: ids.length, open: 0, finished: 0 })
  await doWorkOfCalls(context, entries, addNoted)
  const now = await readWholeTask(context.store, task.id).catch(() => undefined)
  return answer(
    now?.counts ?? { count: USERS_WITH_NEW_TASK, open: 0, finished: 0, left: ids.length - USERS_WITH_NEW_TASK },
  )
}

/** A task whose author is the caller, as it is now. It is not opened, even if the caller is a recipient. */
export async function showOwnTask(context: Context, id: string): Promise<RecordAnswer<TaskRecordView>> {
  const { store, actorId } = context
  const [whole, held] = await Promise.all([readWholeTask(store, id), taskAssignments.read(store, actorId, id)])
  const state = requireAuthored(context, whole)
  const isRecipient = held !== undefined && stillCounts(state, actorId)
  return { status: 200, body: viewTaskRecord(context, state, isRecipient), own: taskFields.own(state.task) }
}

const taskFrom = (
  { id, due_at, settings, ...sent }: Omit<NewTask, 'body'> & { body: TaskBody },
  { actorId, now, newId }: Context,
): Task =>
  taskFields.create(
    { ...sent, due_at: dueDateFrom(due_at), settings: settings && JSON.stringify(settings) },
    { id: id ?? newId(), author_id: actorId, created_at: now, updated_at: now },
  )

/** The users who get the task: those that are named, or the active members of the channel. */
async function recipientsOf(context: Context, recipients: readonly NewRecipient[]): Promise<Recipients> {
  const [first] = recipients
  if (first?.type === 'CHANNEL') {
    const access = await readChannelAccess(context, first.id)
    const members = await activeMembers(context, access, { property: 'recipients.0.id' })
    if (members.ids.length === 0) throw refuse('NO_RECIPIENTS', 'recipients', 'The channel has no other active member')
    return members
  }
  const named = namedIds('recipients', recipients)
  const ids = [...named.keys()]
  const users = await Promise.all(ids.map((id) => readActiveUser(context, id)))
  return { ids, firstUsers: requireAll(named, users, unknownUser) }
}
