import { inParallel } from '../base/flow.ts'
import { readOrganisation } from '../organisation/organisation.ts'
import { turnOf } from '../table/keys.ts'
import type { Key } from '../table/store.ts'
import {
  type AnyEntry,
  type Entry,
  freeEntries,
  isForStream,
  isOverdue,
  isStuck,
  type Kind,
  readAllWork,
  readTurn,
  type Work,
} from '../table/work.ts'
import { addNoted } from './addRecipients.ts'
import { finishArchiving, type GroupWork } from './evictMembers.ts'
import { finishRename } from './finishRename.ts'
import { finishMigration } from './migrate.ts'
import { finishMoving } from './moveAssignments.ts'
import { finishDeletion as finishGroupDeletion } from './removeGroups.ts'
import { finishGoneRecipients } from './removeRecipients.ts'
import { finishDeletion } from './removeTask.ts'
import {
  addOutcome,
  type Limits,
  type Logged,
  type Outcome,
  type Scheduled,
  unlessDown,
  workThrough,
} from './workThrough.ts'

const names: Limits = { atOnce: 1, spares: 40_000 }
const tasks: Limits = { atOnce: 1, spares: 22_000 }
const groups: Limits = { atOnce: 4, spares: 12_000 }
const layout: Limits = { atOnce: 1, spares: 12_000 }
/** Kinds with the same limits are worked through together; these sets follow each other in this order. */
const inTurn = [names, tasks, groups, layout]

type Finish<K extends Kind> = (work: Logged, entry: Entry<K>) => Promise<void>

/** What does work of which kind: as far as there is time. The last step ends the entry. */
const finishers: { [K in Kind]: { limits: Limits; finish: Finish<K> } } = {
  rename: { limits: names, finish: finishRename },
  recipients: { limits: tasks, finish: addNoted },
  places: { limits: tasks, finish: finishMoving },
  'gone-recipients': { limits: tasks, finish: finishGoneRecipients },
  'gone-task': { limits: tasks, finish: finishDeletion },
  group: { limits: groups, finish: finishGroup },
  migration: { limits: layout, finish: finishMigration },
}

/**
 * What the schedule found to do: all entries, those that fail again and again, and for how many seconds no process has
 * done the oldest.
 */
export type Found = { entries: number; stuck: number; overdueSeconds: number }

/** Does all work that nobody has, as far as there is time: the schedule's part. */
export function finishWork(context: Scheduled): Promise<Outcome & { found?: Found }> {
  const outcome: Outcome & { found?: Found } = { failed: 0, left: false }
  return unlessDown(outcome, async () => {
    const now = context.clock().toISOString()
    const entries = await readAllWork(context.store)
    const earliest = entries.reduce((first, { due = now }) => Math.min(first, Date.parse(due)), Date.parse(now))
    const overdueSeconds = (Date.parse(now) - earliest) / 1000
    outcome.found = { entries: entries.length, stuck: entries.filter(isStuck).length, overdueSeconds }
    const turns = [...Map.groupBy(entries, turnOf).values()]
    const due = turns.filter((turn) => turn.some((entry) => isOverdue(entry, now)))
    for (const limits of inTurn) {
      const some = due.filter(([first]) => first && finishers[first.kind].limits === limits)
      const free = some.map((turn) => freeEntries<AnyEntry>(turn, now, false))
      addOutcome(outcome, await workThrough(context, limits, free, finish))
      if (outcome.stopped) return
    }
  })
}

/** Turns that a worker of the stream does at once, each in all of its time. */
const handedOver: Limits = { atOnce: 10, spares: 0 }

/** Does the work that calls have handed over: the entries with these keys, and all that is to be done in turn with them. */
export function takeOver(context: Scheduled, keys: readonly Key[]): Promise<Outcome> {
  const outcome: Outcome = { failed: 0, left: false }
  const free = async (turn: string): Promise<AnyEntry[]> => {
    const now = context.clock().toISOString()
    const entries = await readTurn(context.store, turn)
    const isMeant = entries.some((entry) => isForStream(entry) || isOverdue(entry, now))
    return isMeant ? freeEntries(entries, now, true) : []
  }
  return unlessDown(outcome, () =>
    inParallel(handedOver.atOnce, new Set(keys.map(turnOf)), async (turn) => {
      // Another call may have added to this turn meanwhile, and its worker left it to this one.
      for (let some = await free(turn); some.length > 0; some = outcome.left || outcome.stopped ? [] : await free(turn))
        addOutcome(outcome, await workThrough(context, handedOver, [some], finish))
    }),
  )
}

async function finishGroup(work: Work, entry: Entry<'group'>): Promise<void> {
  const groupWork: GroupWork = { ...work, predefined: (await readOrganisation(work.store)).predefined }
  if (entry.todo === 'archive') await finishArchiving(groupWork, entry)
  else await finishGroupDeletion(groupWork, entry)
}

const finish = <K extends Kind>(work: Logged, entry: Entry<K>): Promise<void> =>
  finishers[entry.kind].finish(work, entry)
