import { slices } from '../base/sideBySide.ts'
import { absent, either, is } from '../table/expressions.ts'
import * as keys from '../table/keys.ts'
import { type Action, all, type Item, type Key, StaleRead, type Store } from '../table/store.ts'
import { comingTasks, comingTasksKey } from '../table/taskKeys.ts'
import { ImportStopped } from './importContext.ts'

/** What a part of an import is about to bring: enough to take away again what has come of it. */
export type Part = { users: PartUser[]; tasks: PartTask[] }
export type PartTask = { id: string; users: string[] }
export type PartUser = { id: string; username: string; external_id: string | null }

/** The entry of a part that is about to come: of users, or of tasks. */
export const partEntry = (id: string, part: Part): Item => ({
  ...(part.tasks.length > 0 ? { ...comingTasksKey(id), kind: 'coming' } : keys.comingUsersKey(id)),
  data: part,
})

/** Users looked after at once: enough to fill the waiting time of one another's calls. */
const SIDE_BY_SIDE = 8
/** A run stops this long before its time is over: a part takes a few seconds. */
const RESERVE_MS = 15_000
/** Deletions in one transaction, beside its check. */
const DELETIONS = 90

type Clearing = { store: Store; timeLeft?: () => number }

/**
 * Takes away what an import has left that died: of a user or task whose record was never written, everything else. Only
 * for who has closed the door; may be repeated. Throws where something remains.
 */
export async function clearUnfinished({ store, timeLeft = () => Number.POSITIVE_INFINITY }: Clearing): Promise<void> {
  const entries = await Promise.all([keys.comingUsers, comingTasks].map((range) => all(store, range)))
  for (const entry of entries.flat()) {
    if (timeLeft() < RESERVE_MS) throw new ImportStopped('The time was too short to clear away what an import has left')
    const { users, tasks } = entry.data as Part
    const waiting = [
      ...users.map((user) => () => clearUser(store, user)),
      ...tasks.map((task) => () => clearTask(store, task)),
    ]
    const work = async (): Promise<void> => {
      for (let next = waiting.shift(); next; next = waiting.shift()) await next()
    }
    await Promise.all(Array.from({ length: SIDE_BY_SIDE }, work))
    await store.write([deletion(entry)])
  }
}

async function clearUser(store: Store, { id, username, external_id }: PartUser): Promise<void> {
  const names = [keys.usernameKey(username), ...(external_id === null ? [] : [keys.externalIdKey(external_id)])]
  await clear(store, keys.userKey(id), async () => {
    const [held, { items }] = await Promise.all([
      Promise.all(names.map((key) => store.get(key))),
      store.query({ ...keys.ofUser(id), limit: DELETIONS }),
    ])
    const isHis = { if: either(absent, is({ owner: id })) }
    return [
      ...items.filter(({ sk }) => sk !== keys.tombstoneKey(id).sk).map(deletion),
      ...held.flatMap((item) => (item?.owner === id ? [{ ...deletion(item), ...isHis }] : [])),
    ]
  })
}

/** The assignments of a task lie with its recipients. */
async function clearTask(store: Store, { id, users }: PartTask): Promise<void> {
  for (const some of slices(users, DELETIONS))
    await clear(store, keys.taskKey(id), async () => {
      const items = await Promise.all(some.map((user) => store.get(keys.taskAssignmentKey(user, id))))
      return items.flatMap((item) => (item ? [deletion(item)] : []))
    })
}

const deletion = ({ pk, sk }: Item): { delete: Key } => ({ delete: { pk, sk } })

/**
 * Deletes what lies around a record, as long as there is no record: each transaction makes sure of that by deleting the
 * record on condition that there is none.
 */
async function clear(store: Store, record: Key, leftovers: () => Promise<Action[]>): Promise<void> {
  for (;;) {
    const [deletions, found] = await Promise.all([leftovers(), store.get(record)])
    if (found || deletions.length === 0) return
    await store.write([{ delete: record, if: absent }, ...deletions]).catch((error: unknown) => {
      // Somebody has come in between: look again.
      if (!(error instanceof StaleRead)) throw error
    })
  }
}
