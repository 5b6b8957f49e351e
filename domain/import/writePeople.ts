import { sideBySide, slices } from '../base/sideBySide.ts'
import { compareBytes } from '../base/text.ts'
import { SHARDS } from '../table/counters.ts'
import { absent, every, exists } from '../table/expressions.ts'
import * as keys from '../table/keys.ts'
import type { Action, Item } from '../table/store.ts'
import { type Door, lost } from './door.ts'
import { type ImportContext, needTime } from './importContext.ts'
import { orStale, sizeOf, type UserPart, userParts } from './parts.ts'
import { doggedly, patiently } from './patience.ts'
import type { NewTask, NewUser, Plan } from './plan.ts'
import { type Part, partEntry } from './unfinished.ts'

/** Rows between two looks at the door. */
const BULK_AT_ONCE = 200
/** Parts on their way at once, each on a shard of its own where counters have shards: enough to keep the store busy. */
const AT_ONCE = 8

/** Brings in the users of a plan, with all that comes to exist together with them. */
export async function writeUsers(plan: Plan, door: Door): Promise<void> {
  const { context } = plan
  const { predefined } = plan.organisation
  const fresh = [...plan.users.values()]
    .flatMap((user): NewUser[] => (user.kind === 'new' ? [user.fresh] : []))
    // Those of one group one after the other: a part has fewer groups to count in.
    .sort((a, b) => compareBytes(a.user.primary_user_group_id, b.user.primary_user_group_id))
  const editions = new Map([...plan.definitions].map(([name, { edition }]) => [name, edition]))
  let [nth, done] = [0, 0]
  await sideBySide(AT_ONCE, userParts(fresh, { now: context.now, predefined, editions }), async (part) => {
    const shard = nth++ % SHARDS
    const names = part.users.map(({ user: { id, username, external_id } }) => ({ id, username, external_id }))
    await writePart(context, door, {
      parts: [{ users: names, tasks: [] }],
      bulk: part.bulk,
      actions: [...part.actions, ...counted(part, shard, door)],
    })
    done += part.users.length
    context.onProgress?.({ section: 'users', done, total: fresh.length })
  })
  for (const ids of slices(plan.tombstones, 500))
    await doggedly(() => context.store.bulk(ids.map((id) => ({ put: keys.tombstoneKey(id) }))))
}

/** The counters of a part; that of the users is also what the door is closed at, and what attributes are counted in. */
function counted({ counts }: UserPart, shard: number, door: Door): Action[] {
  const all = counts.actions(shard)
  const isOfUsers = (action: Action) =>
    'update' in action && action.update.sk === keys.userCountKey(shard).sk && action.update.pk === 'USERS'
  const condition = door.behind()
  const behind = (action: Action): Action => ({
    ...action,
    ...condition,
    if: every(condition.if, ...(action.if ? [action.if] : [])),
  })
  if (!all.some(isOfUsers)) return [...all, { check: keys.userCountKey(shard), ...condition }]
  return all.map((action) => (isOfUsers(action) ? behind(action) : action))
}

type Writing = { parts: readonly Part[]; bulk: readonly Item[]; actions: readonly Action[] }

/**
 * Writes a part: first a note of what it is going to be, then what nobody sees without its records, then, together with
 * the end of the note, the records. Whatever ends in between, clearUnfinished knows what to take away.
 */
async function writePart(context: ImportContext, door: Door, { parts, bulk, actions }: Writing): Promise<void> {
  needTime(context)
  const { store } = context
  const entries = parts.map((part) => partEntry(context.newId(), part))
  await doggedly(() => store.bulk(entries.map((put) => ({ put }))))
  // These writes have no condition of their own: only while the door is surely closed can nobody else want their names.
  for (const some of slices(bulk, BULK_AT_ONCE))
    await doggedly(async () => {
      door.check()
      await store.bulk(some.map((put) => ({ put })))
    })
  const end = { if: exists, otherwise: lost }
  const ends = entries.map(({ pk, sk }) => ({ delete: { pk, sk }, ...end }))
  await patiently(async () => {
    door.check()
    await store.write([...actions, ...ends])
  })
}

/** What tasks of one part bring into their transaction. */
const MOST_ACTIONS = 90
const MOST_BYTES = 2_500_000
/** Assignments of tasks that come together, and those that one note names: it may be no larger than an item. */
const MOST_ASSIGNMENTS = 12_000
const MOST_NAMED = 4_000

/** What tasks are about to bring, in as many notes as it takes. */
function notesOf(tasks: readonly NewTask[]): Part[] {
  const notes: Part[] = []
  let room = 0
  for (const { id, assignments } of tasks)
    for (const some of slices(assignments, MOST_NAMED)) {
      if (some.length > room) {
        notes.push({ users: [], tasks: [] })
        room = MOST_NAMED
      }
      notes.at(-1)?.tasks.push({ id, users: some.map(keys.userOfRow) })
      room -= some.length
    }
  return notes
}

/** Brings in the tasks of a plan, each with all of its assignments. */
export async function writeTasks({ context, tasks }: Plan, door: Door): Promise<void> {
  let [nth, done] = [0, 0]
  await sideBySide(AT_ONCE, taskParts(tasks), async (part) => {
    await writePart(context, door, {
      parts: notesOf(part),
      bulk: part.flatMap(({ assignments }) => assignments),
      actions: [
        ...part.flatMap(({ put, beside }) => [{ put, if: absent }, ...orStale(beside)]),
        { check: keys.userCountKey(nth++ % SHARDS), ...door.behind() },
      ],
    })
    done += part.length
    context.onProgress?.({ section: 'tasks', done, total: tasks.length })
  })
}

function* taskParts(tasks: readonly NewTask[]): Generator<NewTask[]> {
  let [part, actions, bytes, assignments]: [NewTask[], number, number, number] = [[], 0, 0, 0]
  for (const task of tasks) {
    actions += 1 + task.beside.length
    bytes += sizeOf(task.put)
    assignments += task.assignments.length
    if (part.length > 0 && (actions > MOST_ACTIONS || bytes > MOST_BYTES || assignments > MOST_ASSIGNMENTS)) {
      yield part
      ;[part, actions, bytes, assignments] = [[], 1 + task.beside.length, sizeOf(task.put), task.assignments.length]
    }
    part.push(task)
  }
  if (part.length > 0) yield part
}
