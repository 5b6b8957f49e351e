import type { Input } from '../../schemas/contract.ts'
import type * as contracts from '../../schemas/tasks.ts'
import { type AppError, refuse } from '../base/errors.ts'
import type { Answer, Context } from '../request/context.ts'
import { absent } from '../table/expressions.ts'
import { userCountKey } from '../table/keys.ts'
import { retrying } from '../table/retry.ts'
import type { Action } from '../table/store.ts'
import type { Entry } from '../table/work.ts'
import { readUser } from '../users/user.ts'
import { unlessImporting } from '../users/userCounts.ts'
import { AT_ONCE, additionEntries, finishEntries, noteAhead } from './addRecipients.ts'
import { activeMembers, type Recipients, readAround } from './channelMembers.ts'
import { dueDateFrom } from './dueDate.ts'
import { reservation } from './externalId.ts'
import { allFound, namedIn, unknownUser } from './named.ts'
import { readWholeTask } from './summary.ts'
import { countsOf, type Task, taskItem } from './task.ts'
import type { TaskBody } from './taskBody.ts'
import { type GivenRecipient, judgedTask, unlessTooLarge } from './taskInput.ts'
import { type TaskRecordView, viewTaskRecord } from './taskView.ts'
import { assignmentCreation } from './taskWrites.ts'

type NewTask = Input<typeof contracts.createTask>['body']

/**
 * What one transaction takes beside the task, its ids and the look at the door of imports: so many recipients, and
 * entries of work for the rest.
 */
const FIRST = 30
const ENTRIES = 37

/** What is wrong with the body of a creation that has other faults, too. */
export const wrongNewTask = async (_context: Context, body: unknown): Promise<AppError | undefined> =>
  judgedTask(body).fault

/**
 * Creates a task with its assignments. However many they are: the first come with the task, in one transaction with the
 * notes of all others, so that it is never without one and everybody gets it, whatever happens to the caller.
 */
export async function createTask(context: Context, { body }: { body: NewTask }): Promise<Answer<TaskRecordView>> {
  const { fault, body: text } = judgedTask(body)
  if (fault) throw fault
  const task = unlessTooLarge(taskFrom({ ...body, body: text }, context))
  // The same however often it is begun, so that entries of work take the places of those of an attempt that failed.
  const beginning = { task, work: context.newId(), isChosen: typeof body.id === 'string' }
  const { ids, entries } = await retrying(async () => {
    const recipients = await recipientsFor(context, body.recipients)
    return { ids: recipients.ids, entries: await written(context, beginning, recipients) }
  })
  const shown = (count: number) => ({
    task,
    counts: { count, open: 0, finished: 0 },
    actorId: context.actorId,
    isRecipient: ids.includes(context.actorId),
    format: undefined,
  })
  if (entries.length === 0) return { status: 201, body: viewTaskRecord(shown(ids.length)) }
  // It is created: whatever fails from here on, the scheduled function does.
  const now = await finishEntries(context, entries)
    .then(() => readWholeTask(context.store, task.id))
    .catch(() => undefined)
  return { status: 201, body: viewTaskRecord({ ...shown(FIRST), ...(now ? { counts: now.counts } : {}) }) }
}

const taskFrom = (
  { id, external_id, title, body, due_at, settings }: Omit<NewTask, 'body'> & { body: TaskBody },
  { actorId, now, newId }: Context,
): Task => ({
  id: id ?? newId(),
  external_id: external_id ?? null,
  title,
  body,
  author_id: actorId,
  due_at: dueDateFrom(due_at),
  settings: settings ? JSON.stringify(settings) : null,
  created_at: now,
  updated_at: now,
})

/** Those who get the task: all users that are named, or who is an active member of the channel now. */
async function recipientsFor(context: Context, given: readonly GivenRecipient[]): Promise<Recipients> {
  const [first] = given
  if (first?.type === 'CHANNEL') {
    const members = await activeMembers(context, await readAround(context, first.id), { property: 'recipients.0.id' })
    if (members.ids.length === 0) throw refuse('NO_RECIPIENTS', 'recipients', 'The channel has no other active member')
    return members
  }
  const named = namedIn('recipients', given)
  const ids = [...named.keys()]
  const users = await Promise.all(ids.map((id) => readUser(context.store, id, context.now)))
  const active = users.map((user) => (user?.status === 'ACTIVE' ? user : undefined))
  return { ids, users: allFound(named, active, unknownUser) }
}

/** Writes a task with its first assignments; answers the entries of work that bring the rest. */
async function written(
  { store, now, shard }: Context,
  { task, work, isChosen }: { task: Task; work: string; isChosen: boolean },
  { ids, users }: Recipients,
): Promise<Entry<'recipients'>[]> {
  // An import may be about to bring a task of the chosen id, or have left what it had brought of it.
  const ours: Action[] = isChosen ? [{ check: userCountKey(shard), ...unlessImporting }] : []
  const first = ids.length <= AT_ONCE - ours.length ? users : users.slice(0, FIRST)
  const rest = ids.slice(first.length)
  const entries = additionEntries({ task, users: rest, now, id: work })
  // Without the task they mean nothing and go: so those that do not fit beside it come before it.
  await noteAhead(store, entries.slice(ENTRIES))
  await store.write([
    {
      put: taskItem(task, countsOf(first.map(() => 'NEW'))),
      if: absent,
      otherwise: { code: 'DUPLICATE_ID', property: 'id' },
    },
    ...reservation(task),
    ...ours,
    ...first.flatMap((user) => assignmentCreation(task, user, now)),
    ...entries.slice(0, ENTRIES).map((put) => ({ put })),
  ])
  return entries
}
