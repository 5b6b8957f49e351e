import { type AppError, requireNone } from '../base/errors.ts'
import { decideAgain } from '../base/retry.ts'
import { asRecord } from '../base/values.ts'
import type { Context, Input } from '../request/context.ts'
import { changeIfMatch } from '../request/etags.ts'
import { changedOrSame, mergePatch } from '../request/patch.ts'
import { recipientsOf } from '../table/keys.ts'
import { mostThatFit } from '../table/pack.ts'
import type { Item } from '../table/store.ts'
import { noteOnce, workEntry } from '../table/work.ts'
import { doWorkOfCalls } from '../work/workOfCalls.ts'

import { finishMoving, movement } from './moveAssignments.ts'
import { finishEarlierRemoval } from './removeRecipients.ts'
import {
  readWholeTask,
  requireAuthored,
  stillCounts,
  type Task,
  type TaskState,
  taskChange,
  taskFields,
} from './task.ts'
import { isListed, takerFor, taskAssignments } from './taskAssignment.ts'
import { patchedBody, type TaskBody } from './taskBody.ts'
import {
  checkedTask,
  codedFaults,
  patchedDueDate,
  requireFitting,
  settingsFaults,
  unknownDateFaults,
} from './taskRules.ts'
import { viewTaskRecord } from './taskView.ts'

type Patch = Input<'updateTask'>['body']

/** Assignments that move in the transaction of the change, with the task, its event and two external ids. */
const MOST_MOVED = mostThatFit({ each: 1, besides: 4, hasEvents: true })

/** More faults of a patch that the schema has refused. */
export const wrongPatch = async (_context: Context, body: unknown): Promise<AppError | undefined> =>
  checkedPatch(body).fault

/** The faults of a patch that do not depend on the task, and its clean body. Recipients that are sent back are ignored. */
const checkedPatch = (patch: unknown): ReturnType<typeof checkedTask> => {
  const { body, due_at, settings } = asRecord(patch) ?? {}
  return checkedTask({ body, due_at, settings }, unknownDateFaults)
}

/** Changes a task, for its author; its assignments move in their recipients' lists. */
export async function updateTask(context: Context, { path, body }: Input<'updateTask'>) {
  const { store, actorId, now } = context
  const { fault, body: clean } = checkedPatch(body)
  if (fault) throw fault
  // Repeated here and not by the endpoint: cleaning a body takes long and is needed only once.
  return decideAgain(async () => {
    const [whole, own, rows] = await Promise.all([
      readWholeTask(store, path.task_id),
      taskAssignments.read(store, actorId, path.task_id),
      store.query({ ...recipientsOf(path.task_id), limit: MOST_MOVED + 1 }),
    ])
    const state = requireAuthored(context, whole)
    await finishEarlierRemoval(store, state)
    const before = state.task
    const task = changeIfMatch(context, before, () => patched(before, body, { clean, now }), taskFields.own(before))
    if (task !== before) await write(context, state, { task, rows: rows.items })
    const isRecipient = own !== undefined && stillCounts(state, actorId)
    return { status: 200, body: viewTaskRecord(context, { ...state, task }, isRecipient), own: taskFields.own(task) }
  })
}

/** The task with what a patch says; the same object if that changes nothing. */
function patched(task: Task, patch: Patch, { clean, now }: { clean: TaskBody; now: string }): Task {
  const { title = task.title, external_id = task.external_id, body, due_at, settings } = patch
  const text = body === undefined ? { body: task.body, faults: [] } : patchedBody(task.body, body, clean)
  const due = due_at === undefined ? { due_at: task.due_at, faults: [] } : patchedDueDate(task.due_at, due_at)
  const kept =
    settings === undefined ? { settings: task.settings, faults: [] } : patchedSettings(task.settings, settings)
  requireNone([
    ...codedFaults('VALIDATION_ERROR', text.faults),
    ...codedFaults('INVALID_DUE_DATE', due.faults),
    ...kept.faults,
  ])
  const after = { ...task, title, external_id, body: text.body, due_at: due.due_at, settings: kept.settings }
  const changed = changedOrSame(task, after, { updated_at: now })
  return changed === task ? task : requireFitting(changed)
}

function patchedSettings(stored: string | null, patch: Record<string, unknown> | null) {
  if (patch === null) return { settings: null, faults: [] }
  const settings = mergePatch<object>(stored === null ? {} : JSON.parse(stored), patch)
  const faults = settingsFaults(settings, ', with the stored ones')
  return { settings: faults.length > 0 ? stored : JSON.stringify(settings), faults }
}

async function write(
  context: Context,
  before: TaskState,
  { task, rows }: { task: Task; rows: readonly Item[] },
): Promise<void> {
  const { store, now } = context
  // The index may not show all assignments yet: only if it does, this is all there is to do.
  if (rows.length === before.counts.count && rows.length <= MOST_MOVED) {
    const moves = rows.filter(isListed).map((row) => movement(row, task))
    return store.write([...taskChange(before, task, true), ...moves])
  }
  // Work that was noted before keeps its taker. That run sees by the task's version that there is more to do.
  const entry = workEntry('places', task.id, { task: task.id }, now, { taker: takerFor(before.counts.count) })
  await store.write([...taskChange(before, task, false), noteOnce(entry)])
  await doWorkOfCalls(context, [entry], finishMoving)
}
