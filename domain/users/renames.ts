import { sideBySide, slices } from '../base/sideBySide.ts'
import { exists } from '../table/expressions.ts'
import * as keys from '../table/keys.ts'
import { type Action, all, happened, type Item, StaleRead, type Store } from '../table/store.ts'
import { type Entry, endWork, idOfWork, isLate, noteAgain, type Work, workEntry } from '../table/work.ts'
import { nameAmongRecipients, namesInLists } from './userItems.ts'
import { readUser, type UserRecord } from './userRecord.ts'

/** The most actions that one transaction takes. */
const MOST_ACTIONS = 100
/** Assignments per transaction while a rename spreads. */
const PART = 25
/** Such transactions at once. */
const SIDE_BY_SIDE = 8

/** What a change of names does beyond the change itself: the entry names what is left to do after the transaction. */
export type Spread = { actions: Action[]; left?: Entry<'rename'> }

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
  const { id, version } = after
  return {
    actions: [...actions, noteAgain('rename', id, { version }, now)],
    left: workEntry('rename', id, { version }, now),
  }
}

/** An assignment at its place under the user's name, if it still exists. */
function renaming(item: Item, user: UserRecord): Action {
  return {
    update: { pk: item.pk, sk: item.sk },
    set: placesIn(item, user),
    if: exists,
  }
}

/** Where an assignment stands by its user's name: in lists of groups and channels, or in the task's. */
const placesIn = (item: Item, user: UserRecord): Record<string, string> =>
  item.sk.startsWith('TA#') ? nameAmongRecipients(user) : namesInLists(user)

/**
 * Spreads a user's present name over all his assignments, as far as there is time, and removes the entry when all have it.
 * May be repeated, and two may run at once: each looks at the name again at its end and goes on while it has changed.
 */
export async function finishRename(work: Work, entry: Entry<'rename'>): Promise<void> {
  const { store, now } = work
  const id = idOfWork(entry)
  for (;;) {
    const [user, found] = await Promise.all([readUser(store, id, now), all(store, keys.assignmentsOf(id))])
    const held = found.filter(keys.isAssignment)
    const stale = user ? held.filter((item) => !isPlaced(item, user)) : []
    if (!user || stale.length === 0) break
    await sideBySide(SIDE_BY_SIDE, slices(stale, PART), async (part) => {
      if (!isLate(work)) await rename(store, part, user)
    })
    if (isLate(work)) return
  }
  // A rename that was noted since has an end of its own.
  await happened(store.write([endWork(entry, { version: entry.version })]))
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
