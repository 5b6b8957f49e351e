import { askedCursor } from '../request/askedPage.ts'
import type { Context, Input } from '../request/context.ts'
import { cursorPage, type ListedRow } from '../request/cursorPage.ts'
import { keyIn } from '../table/items.ts'
import * as keys from '../table/keys.ts'
import type { Item } from '../table/store.ts'
import { readAuthors } from './authors.ts'
import { stillCounts, taskState } from './task.ts'
import { hasProgress, taskAssignments } from './taskAssignment.ts'
import { type BodyFormat, type TaskAssignmentView, viewAssignment, viewTask, weightOf } from './taskView.ts'

type Query = Input<'listOwnTaskAssignments'>['query']
type Filters = Pick<Query, 'distribution_kind' | 'progress_status'>
/** The index for each field of the sort. */
const indexes = { CREATED_AT: 'by_created_at', UPDATED_AT: 'by_updated_at', DUE_AT: 'by_location_or_due' } as const

/** Lists what the caller has to do: tasks from others, and tasks that the caller alone has from themselves. */
export async function listOwnTaskAssignments(context: Context, { query }: { query: Query }) {
  const { distribution_kind, progress_status } = query
  const asked = await askedCursor<Filters>(context, ['listOwnTaskAssignments'], query, {
    sort: query.sort ?? ['CREATED_AT_DESC'],
    filters: { distribution_kind, ...(progress_status ? { progress_status } : {}) },
  })
  const { filters } = asked.cursor
  const kinds = new Set(filters.distribution_kind)
  const { values, next } = await cursorPage(context.store, asked, {
    // Personal tasks are among those that the caller is the author of.
    lists: [...kinds].map((kind) => keys.ownTaskList(context.actorId, kind === 'PERSONAL')),
    indexes,
    keep: ({ source }) => hasProgress(filters.progress_status, source),
    load: (rows) => loaded(context, rows, filters.progress_status, query.body_format),
    weigh: ({ task }) => weightOf(task),
  })
  const withAuthor = await readAuthors(
    context,
    query.embed,
    values.map(({ task }) => task),
  )
  const assignments = values.map((value) => ({ ...value, task: withAuthor(value.task) }))
  return { status: 200, body: { assignments, pagination: await asked.pagination(next) } }
}

/** The assignments of rows with their tasks, as they are now. */
async function loaded(
  context: Context,
  rows: readonly Item[],
  progress: Filters['progress_status'],
  format: BodyFormat,
): Promise<ListedRow<TaskAssignmentView>[]> {
  const { store, actorId } = context
  const read = rows.map(async (row) => {
    const [item, found] = await Promise.all([
      store.getEventual(keyIn(row)),
      store.getEventual(keys.taskKey(keys.taskOfAssignment(row))),
    ])
    const [assignment, state] = [taskAssignments.of(item), taskState(found)]
    if (!assignment || !state) return []
    // A task that the caller gave to other users, too, is not personal.
    if (state.task.author_id === actorId && state.counts.count !== 1) return []
    if (!stillCounts(state, actorId) || !hasProgress(progress, assignment.progress_status)) return []
    // The row has its sort key in the index of this list, the item those in all others.
    return [{ row: { ...item, ...row }, value: viewAssignment(assignment, viewTask(context, state, true, format)) }]
  })
  return (await Promise.all(read)).flat()
}
