import { askedCursor } from '../request/askedPage.ts'
import type { Context, Input } from '../request/context.ts'
import { cursorPage, type ListedRow } from '../request/cursorPage.ts'
import * as keys from '../table/keys.ts'
import type { Item } from '../table/store.ts'
import { readAuthors } from './authors.ts'
import { indexKeysOfTask, readWholeTask, stillCounts, type TaskState, taskState } from './task.ts'
import { progressOf, type TaskRecordView, viewTaskRecord, weightOf } from './taskView.ts'

type Query = Input<'listTasks'>['query']
type Filters = Pick<Query, 'distribution_kind' | 'progress_status' | 'external_id'>
/** The index for each field of the sort. */
const indexes = { DUE_AT: 'by_location_or_due', UPDATED_AT: 'by_username_or_change' } as const

/** Lists the tasks that the caller is the author of, and those that the caller received from others. */
export async function listTasks(context: Context, { query }: { query: Query }) {
  const asked = await askedCursor<Filters>(context, ['listTasks'], query, {
    sort: query.sort ?? ['UPDATED_AT_DESC'],
    filters: filtersOf(query),
  })
  const { filters } = asked.cursor
  const { values, next } = await cursorPage(context.store, asked, {
    lists: listsOf(context.actorId, filters),
    indexes,
    keep: (row) => mayBelong(row, filters),
    load: (rows) => loaded(context, rows, filters),
    weigh: ({ state }) => weightOf(state.task, query.body_format),
  })
  const [views, withAuthor] = await Promise.all([
    Promise.all(values.map((value) => shown(context, value, query.body_format))),
    readAuthors(
      context,
      query.embed,
      values.map(({ state }) => state.task),
    ),
  ])
  const tasks = views.map(withAuthor)
  return { status: 200, body: { tasks, pagination: await asked.pagination(next) } }
}

const filtersOf = ({ distribution_kind, progress_status, external_id }: Query): Filters => ({
  ...(distribution_kind ? { distribution_kind } : {}),
  ...(progress_status ? { progress_status } : {}),
  ...(external_id ? { external_id } : {}),
})

/** The lists to merge. Each task is in one of them: assignments of authors to themselves are in a third list. */
const listsOf = (actorId: string, { distribution_kind: kinds }: Filters): string[] => [
  ...(!kinds || kinds.some((kind) => kind !== 'RECEIVED') ? [keys.authoredList(actorId)] : []),
  ...(!kinds || kinds.includes('RECEIVED') ? [keys.ownTaskList(actorId, false)] : []),
]

const isFinished = ({ progress_status }: Filters, finished: boolean): boolean =>
  !progress_status || progress_status.includes(finished ? 'FINISHED' : 'OPEN')

/** Whether a row may belong to the list. Its `source` is the external id of a task, or the progress of an assignment. */
const mayBelong = (row: Item, filters: Filters): boolean =>
  keys.isTaskRow(row)
    ? !filters.external_id || row.source === filters.external_id
    : isFinished(filters, row.source === 'FINISHED')

type Found = { state: TaskState; isRecipient: boolean; isCounted: boolean }

/** The tasks of rows as they are now. */
async function loaded(context: Context, rows: readonly Item[], filters: Filters): Promise<ListedRow<Found>[]> {
  const read = rows.map(async (row): Promise<ListedRow<Found>[]> => {
    const [found, own] = await Promise.all([
      taskOf(context, row, filters),
      context.store.getEventual(keys.taskAssignmentKey(context.actorId, keys.taskOfRow(row))),
    ])
    const isRecipient = own !== undefined && found !== undefined && stillCounts(found.state, context.actorId)
    if (!found || !belongs(row, { ...found, isRecipient }, filters)) return []
    // The row has its sort key in the index of this list, the item those in all others.
    return [
      {
        row: { ...(keys.isTaskRow(row) ? indexKeysOfTask(found.state.task) : own), ...row },
        value: { ...found, isRecipient },
      },
    ]
  })
  return (await Promise.all(read)).flat()
}

/** The task of a row, with its counts if they decide whether it belongs to the list. */
async function taskOf({ store }: Context, row: Item, { progress_status }: Filters) {
  const id = keys.taskOfRow(row)
  const isCounted = keys.isTaskRow(row) && progress_status !== undefined
  const state = isCounted
    ? await readWholeTask(store, id, 'eventual')
    : taskState(await store.getEventual(keys.taskKey(id)))
  return state && { state, isCounted }
}

function belongs(row: Item, { state, isRecipient }: Found, filters: Filters): boolean {
  if (filters.external_id && state.task.external_id !== filters.external_id) return false
  const kinds = filters.distribution_kind
  if (!keys.isTaskRow(row)) return isRecipient
  const kind = isRecipient && state.counts.count === 1 ? 'PERSONAL' : 'DISTRIBUTED'
  return (!kinds || kinds.includes(kind)) && isFinished(filters, progressOf(state.counts) === 'FINISHED')
}

/** A task in the answer, with its progress as a whole. */
async function shown(
  context: Context,
  { state, isRecipient, isCounted }: Found,
  format: Query['body_format'],
): Promise<TaskRecordView> {
  const whole = isCounted ? state : await readWholeTask(context.store, state.task.id, 'eventual')
  return viewTaskRecord(context, { ...state, counts: (whole ?? state).counts }, isRecipient, format)
}
