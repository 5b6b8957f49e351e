import { inParallel } from '../base/parallel.ts'
import { finishMembers } from '../people/groups/changeMembers.ts'
import { finishArchiving, type GroupWork } from '../people/groups/moveToAllUsers.ts'
import { finishGroupDeletion } from '../people/groups/removeGroups.ts'
import { readOrganisation } from '../people/records/organisation.ts'
import { applyRules } from '../people/rules/applyRules.ts'
import { finishRulesForUser } from '../people/rules/applyToUser.ts'
import { rulesForWork } from '../people/rules/rulesForWork.ts'
import { finishRename } from '../people/users/finishRename.ts'
import { finishPlan } from '../plans/finishPlan.ts'
import { queueOf } from '../table/keys.ts'
import { readAllWork, readQueue } from '../table/readWork.ts'
import type { Key } from '../table/store.ts'
import type { AnyEntry, Entry, Kind } from '../table/workKinds.ts'
import { addNoted } from '../tasks/addRecipients.ts'
import { finishMoving } from '../tasks/moveAssignments.ts'
import { finishGoneRecipients } from '../tasks/removeRecipients.ts'
import { finishTaskDeletion } from '../tasks/removeTask.ts'
import type { Work } from '../work/steps.ts'
import { freeEntries, isForStream, isOverdue, isStuck } from '../work/taking.ts'
import {
  type AttemptContext,
  addOutcome,
  type Outcome,
  type Share,
  untilDown,
  type WorkerContext,
  workThrough,
} from '../work/workThrough.ts'
import { finishMigration } from './migrate.ts'

/** What each part of the work may take of a run of the schedule, in the order in which the parts are done. */
const shares = {
  users: { atOnce: 1, reserve: 40_000 },
  tasks: { atOnce: 1, reserve: 22_000 },
  groups: { atOnce: 4, reserve: 12_000 },
  rules: { atOnce: 1, reserve: 12_000 },
  plans: { atOnce: 2, reserve: 12_000 },
  layout: { atOnce: 1, reserve: 12_000 },
} satisfies Record<string, Share>

type Finish<K extends Kind> = (work: AttemptContext, entry: Entry<K>) => Promise<unknown>

/** The function that finishes each kind of work, as far as there is time, and its share. Its last step deletes the entry. */
const finishers: { [K in Kind]: { share: keyof typeof shares; finish: Finish<K> } } = {
  rename: { share: 'users', finish: finishRename },
  settle: { share: 'users', finish: finishRulesForUser },
  recipients: { share: 'tasks', finish: addNoted },
  places: { share: 'tasks', finish: finishMoving },
  'gone-recipients': { share: 'tasks', finish: finishGoneRecipients },
  'gone-task': { share: 'tasks', finish: finishTaskDeletion },
  members: { share: 'groups', finish: finishMembersOf },
  group: { share: 'groups', finish: finishGroup },
  rules: { share: 'rules', finish: applyRules },
  plan: { share: 'plans', finish: finishPlan },
  migration: { share: 'layout', finish: finishMigration },
}

/**
 * Whether this version can finish an entry. A later version may have noted a kind that this one does not know: during a
 * deployment, and after a rollback. It stays until that version is back.
 */
const isKnown = ({ kind }: AnyEntry): boolean => Object.hasOwn(finishers, kind)

/**
 * What the schedule found: how many entries, how many of them fail again and again, for how many seconds the oldest is overdue,
 * and for how many seconds a plan has been waiting until it can go on.
 */
export type Found = { entries: number; stuck: number; overdueSeconds: number; planWaitSeconds: number }

/** Does all overdue work, as far as there is time: the part of the schedule, in the function `purge`. */
export function finishOverdue(context: WorkerContext): Promise<Outcome & { found?: Found }> {
  const outcome: Outcome & { found?: Found } = { failed: 0, left: false }
  return untilDown(outcome, async () => {
    const now = context.clock().toISOString()
    const entries = await readAllWork(context.store)
    const secondsSince = (moments: (string | null | undefined)[]): number =>
      moments.reduce((most, moment) => Math.max(most, (Date.parse(now) - Date.parse(moment ?? now)) / 1000), 0)
    const overdueSeconds = secondsSince(entries.map(({ due }) => due))
    const planWaitSeconds = secondsSince(entries.map((entry) => (entry.kind === 'plan' ? entry.waits : undefined)))
    outcome.found = { entries: entries.length, stuck: entries.filter(isStuck).length, overdueSeconds, planWaitSeconds }
    const [known, unknown] = [entries.filter(isKnown), entries.filter((entry) => !isKnown(entry))]
    for (const [work, some] of Map.groupBy(unknown, ({ kind }) => kind))
      context.log({ level: 'error', work, entries: some.length, fault: 'unknown kind of work' })
    const queues = [...Map.groupBy(known, queueOf).values()]
    const due = queues.filter((queue) => queue.some((entry) => isOverdue(entry, now)))
    for (const [name, share] of Object.entries<Share>(shares)) {
      const some = due.filter(([first]) => first && finishers[first.kind].share === name)
      const free = some.map((queue) => freeEntries<AnyEntry>(queue, now, false))
      addOutcome(outcome, await workThrough(context, share, free, finish))
      if (outcome.stopped) return
    }
  })
}

/** The queues that a worker of the stream does at the same time. Each may take all of the worker's time. */
const handedOver: Share = { atOnce: 10, reserve: 0 }

/**
 * Does the work that calls have handed over: the entries with these keys, and all others of their queues. The part of the
 * stream, in the function `finishWork`.
 */
export function finishHandedOver(context: WorkerContext, keys: readonly Key[]): Promise<Outcome> {
  const outcome: Outcome = { failed: 0, left: false }
  return untilDown(outcome, () =>
    inParallel(handedOver.atOnce, new Set(keys.map(queueOf)), (queue) => finishQueue(context, queue, outcome)),
  )
}

/**
 * Does the entries of a queue. Looks for new entries at the end: other workers have skipped them, as this one holds the
 * queue.
 */
async function finishQueue(context: WorkerContext, queue: string, outcome: Outcome): Promise<void> {
  do {
    const entries = await readFree(context, queue)
    if (entries.length === 0) return
    addOutcome(outcome, await workThrough(context, handedOver, [entries], finish))
  } while (!outcome.left && !outcome.stopped)
}

/** The entries of a queue that the stream's worker may do now. */
async function readFree({ store, clock }: WorkerContext, queue: string): Promise<AnyEntry[]> {
  const now = clock().toISOString()
  const entries = (await readQueue(store, queue)).filter(isKnown)
  const isForWorker = entries.some((entry) => isForStream(entry) || isOverdue(entry, now))
  return isForWorker ? freeEntries(entries, now, true) : []
}

async function finishMembersOf(work: Work, entry: Entry<'members'>): Promise<void> {
  const { predefined } = await readOrganisation(work.store)
  await finishMembers({ ...work, predefined, rules: rulesForWork(work) }, entry)
}

async function finishGroup(work: Work, entry: Entry<'group'>): Promise<void> {
  const { predefined, has_rules = false } = await readOrganisation(work.store)
  const groupWork: GroupWork = { ...work, predefined, rules: rulesForWork(work), hasRules: async () => has_rules }
  if (entry.todo === 'archive') await finishArchiving(groupWork, entry)
  else await finishGroupDeletion(groupWork, entry)
}

const finish = <K extends Kind>(work: AttemptContext, entry: Entry<K>): Promise<unknown> =>
  finishers[entry.kind].finish(work, entry)
