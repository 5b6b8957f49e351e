import { readOrganisation } from '../organisation/organisation.ts'
import { type Entry, type Kind, readAllWork, type Work } from '../table/work.ts'
import { finishAdding } from './addRecipients.ts'
import { finishArchiving, type GroupWork } from './evictMembers.ts'
import { finishRename } from './finishRename.ts'
import { finishMoving } from './moveAssignments.ts'
import { finishDeletion as finishGroupDeletion } from './removeGroups.ts'
import { finishGoneRecipients } from './removeRecipients.ts'
import { finishDeletion } from './removeTask.ts'
import { addOutcome, type Limits, type Outcome, type Scheduled, unlessDown, workThrough } from './workThrough.ts'

const names: Limits = { atOnce: 1, spares: 40_000 }
const tasks: Limits = { atOnce: 1, spares: 22_000 }
const groups: Limits = { atOnce: 4, spares: 12_000 }
/** Kinds with the same limits are worked through together; these sets follow each other in this order. */
const inTurn = [names, tasks, groups]

type Finish<K extends Kind> = (work: Work, entry: Entry<K>) => Promise<void>

/** Who does work of which kind. Each does what its entry says as far as there is time, and ends the entry with the last of it. */
const finishers: { [K in Kind]: { limits: Limits; finish: Finish<K> } } = {
  rename: { limits: names, finish: finishRename },
  recipients: { limits: tasks, finish: finishAdding },
  places: { limits: tasks, finish: finishMoving },
  'gone-recipients': { limits: tasks, finish: finishGoneRecipients },
  'gone-task': { limits: tasks, finish: finishDeletion },
  group: { limits: groups, finish: finishGroup },
}

/** Does all work that is due, as far as there is time. */
export function finishWork(context: Scheduled): Promise<Outcome> {
  const outcome: Outcome = { failed: 0, left: false }
  return unlessDown(outcome, async () => {
    const entries = await readAllWork(context.store)
    for (const limits of inTurn) {
      const some = entries.filter(({ kind }) => finishers[kind].limits === limits)
      addOutcome(outcome, await workThrough(context, limits, some, finish))
      if (outcome.stopped) return
    }
  })
}

async function finishGroup(work: Work, entry: Entry<'group'>): Promise<void> {
  const groupWork: GroupWork = { ...work, predefined: (await readOrganisation(work.store)).predefined }
  if (entry.todo === 'archive') await finishArchiving(groupWork, entry)
  else await finishGroupDeletion(groupWork, entry)
}

const finish = <K extends Kind>(work: Work, entry: Entry<K>): Promise<void> => finishers[entry.kind].finish(work, entry)
