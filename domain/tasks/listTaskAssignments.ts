import { loadUsers } from '../people/records/userReference.ts'
import { askedCursor } from '../request/askedPage.ts'
import type { Context, Input } from '../request/context.ts'
import { cursorPage, type ListedRow } from '../request/cursorPage.ts'
import { keyIn } from '../table/items.ts'
import type { Item } from '../table/store.ts'
import { showsDepartments } from './authors.ts'
import { recipientLists, recipientReader, shownBefore } from './leavingRecipients.ts'
import { readTask, requireAuthored, stillCounts, type TaskState } from './task.ts'
import { hasProgress, isListed, type TaskAssignment, taskAssignments } from './taskAssignment.ts'
import { viewAssignment, viewTask, weightOf } from './taskView.ts'

type ListInput = Input<'listTaskAssignments'>
/** A cursor also says which users must not be shown again: see shownBefore. */
type Filters = Pick<ListInput['query'], 'progress_status'> & { shown?: string }

/** Lists the recipients of a task and how far each has come, for its author. */
export async function listTaskAssignments(context: Context, { path, query }: ListInput) {
  const asked = await askedCursor<Filters>(context, ['listTaskAssignments', path.task_id], query, {
    sort: query.sort ?? ['LASTNAME_ASC'],
    filters: query.progress_status ? { progress_status: query.progress_status } : {},
  })
  const { progress_status, shown } = asked.cursor.filters
  const before = shownBefore(shown)
  const reading = readTask(context.store, path.task_id)
  const own = () => reading.then((state) => requireAuthored(context, state))
  const recipients = recipientReader(context, own)
  // The answer repeats the task with each assignment, so that its weight counts each time.
  let weight = 0
  const [state, { values, next }] = await Promise.all([
    own(),
    cursorPage(recipients, asked, {
      lists: recipientLists(path.task_id),
      indexes: { LASTNAME: 'find' },
      keep: (row) => hasProgress(progress_status, row.hint) && !before.has(row),
      load: async (rows) => {
        const now = await own()
        weight = weightOf({ body: now.task.body }, query.body_format)
        return loaded(context, now, rows, progress_status)
      },
      weigh: () => weight,
    }),
  ])
  const isEmbedded = query.embed?.includes('USER')
  const ids = values.map(({ user_id }) => user_id)
  const [users, showsDepartment] = isEmbedded
    ? await Promise.all([loadUsers(context, ids), showsDepartments(context)])
    : []
  const assignments = values.map((assignment) => {
    const isRecipient = assignment.user_id === context.actorId
    const seen = viewTask(context, state, isRecipient, query.body_format)
    return viewAssignment(assignment, seen, users && { user: users.get(assignment.user_id), showsDepartment })
  })
  const shownNow = before.with(ids, await recipients.leaving)
  const goOn = next && { ...next, filters: { ...next.filters, ...(shownNow ? { shown: shownNow } : {}) } }
  return { status: 200, body: { assignments, pagination: await asked.pagination(goOn) } }
}

/** The assignments of rows, as they are now. */
async function loaded(
  { store }: Context,
  state: TaskState,
  rows: readonly Item[],
  progress: Filters['progress_status'],
): Promise<ListedRow<TaskAssignment>[]> {
  const read = rows.map(async (row) => {
    const item = await store.getEventual(keyIn(row))
    const assignment = taskAssignments.of(item)
    if (!item || !assignment || !stillCounts(state, assignment.user_id) || hasLeft(item, row)) return []
    return hasProgress(progress, assignment.progress_status) ? [{ row: { ...item, ...row }, value: assignment }] : []
  })
  return (await Promise.all(read)).flat()
}

/** Whether an index still shows a user in the order of names although they are at the end of the list by now. */
const hasLeft = (item: Item, row: Item): boolean => !isListed(item) && isListed(row)
