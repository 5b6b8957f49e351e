import * as keys from '../store/keys.ts'
import { type Action, all, type Item, type Key, StaleRead, type Store } from '../store/store.ts'
import { nameAmongRecipients, namesInLists } from './userItems.ts'
import { readUser, type UserRecord } from './userRecord.ts'

/** The most actions that one transaction takes. */
const MOST_ACTIONS = 100
/** Assignments per transaction while a rename spreads. */
const PART = 25
/** Such transactions at once. */
const SIDE_BY_SIDE = 8
/** The call that renames spreads the name at once; if it dies, the schedule takes over after this time. */
const GRACE_MS = 60_000

/** What a change of names does beyond the change itself: the entry names what is left to do after the transaction. */
export type Spread = { actions: Action[]; left?: Key }

/**
 * Takes a new name along to the assignments a user holds, in the same transaction where they fit beside `actions`;
 * otherwise notes in it that this is still to be done.
 */
export function spread(
  before: UserRecord,
  after: UserRecord,
  held: readonly Item[],
  { actions, now }: { actions: readonly Action[]; now: string },
): Spread {
  if (before.first_name === after.first_name && before.last_name === after.last_name) return { actions: [...actions] }
  const written = new Set(actions.flatMap((action) => ('put' in action ? [action.put.sk] : [])))
  const gone = new Set(actions.flatMap((action) => ('delete' in action ? [action.delete.sk] : [])))
  const others = held.filter(({ sk }) => !written.has(sk) && !gone.has(sk))
  if (actions.length + others.length <= MOST_ACTIONS)
    return { actions: [...actions, ...others.map((item) => renaming(item, after))] }
  const left = keys.renameKey(new Date(Date.parse(now) + GRACE_MS).toISOString(), after.id)
  return { actions: [...actions, { put: left }], left }
}

/** An assignment at its place under the user's name, if it still exists. */
function renaming(item: Item, user: UserRecord): Action {
  const places = Object.entries(placesIn(item, user))
  return {
    update: { pk: item.pk, sk: item.sk },
    change: `SET ${places.map(([name]) => `#${name} = :${name}`).join(', ')}`,
    if: 'attribute_exists(#pk)',
    values: Object.fromEntries(places),
  }
}

/** Where an assignment stands by its user's name: in lists of groups and channels, or in the task's. */
const placesIn = (item: Item, user: UserRecord): Record<string, string> =>
  item.sk.startsWith('TA#') ? nameAmongRecipients(user) : namesInLists(user)

/**
 * Spreads a user's present name over all his assignments and removes the entry. May be repeated, and two may run at
 * once: each looks at the name again at its end and goes on while it has changed.
 */
export async function finishRename(store: Store, now: string, entry: Key): Promise<void> {
  const id = keys.userOfPurge(entry.sk)
  for (;;) {
    const [user, found] = await Promise.all([readUser(store, id, now), all(store, keys.assignmentsOf(id))])
    const held = found.filter(keys.isAssignment)
    const stale = user ? held.filter((item) => !isPlaced(item, user)) : []
    if (!user || stale.length === 0) break
    for (let start = 0; start < stale.length; start += PART * SIDE_BY_SIDE)
      await Promise.all(
        Array.from({ length: SIDE_BY_SIDE }, (_, n) => stale.slice(start + n * PART, start + (n + 1) * PART))
          .filter(({ length }) => length > 0)
          .map((part) => rename(store, part, user)),
      )
  }
  await store.write([{ delete: { pk: entry.pk, sk: entry.sk } }])
}

async function rename(store: Store, part: readonly Item[], user: UserRecord): Promise<void> {
  try {
    await store.write(part.map((item) => renaming(item, user)))
  } catch (error) {
    // One of them was ended or changed meanwhile: the next look at them decides.
    if (!(error instanceof StaleRead)) throw error
  }
}

const isPlaced = (item: Item, user: UserRecord): boolean =>
  Object.entries(placesIn(item, user)).every(([name, place]) => item[name] === place)

/** Finishes the renames whose callers did not; one that cannot be finished now does not hold up the others. */
export async function finishRenames(store: Store, now: string): Promise<void> {
  const failed: unknown[] = []
  for (const entry of await all(store, keys.dueRenames(now)))
    await finishRename(store, now, entry).catch((error: unknown) => failed.push(error))
  if (failed.length > 0) throw failed[0]
}
