import { keyOf } from '../../table/actions.ts'
import { exists } from '../../table/expressions.ts'
import { keyIn, textOfKey } from '../../table/items.ts'
import * as keys from '../../table/keys.ts'
import type { Action, Item } from '../../table/store.ts'
import { roomBeside } from '../../table/transactions.ts'
import { noteOnce, workEntry } from '../../table/work.ts'
import type { Entry } from '../../table/workKinds.ts'
import type { UserRecord } from './user.ts'
import { nameAmongRecipients, namesInLists } from './userSearch.ts'

type Named = Pick<UserRecord, 'id' | 'first_name' | 'last_name'>

/** The actions of a change; `work` is the entry of what is left to do or to check. */
type Renaming = { actions: readonly Action[]; work?: Entry<'rename'> }

/**
 * Adds the moves of the user's assignments to the actions of a change, if the name changes: lists are sorted by name. If the
 * moves do not fit into one transaction, the call does them as work. If they fit, a worker still looks once more, because a task
 * that is given to the user between this read and this write does not change their record, so this write cannot see it.
 */
export function withRename(
  before: UserRecord,
  after: UserRecord,
  held: readonly Item[],
  actions: readonly Action[],
  now: string,
): Renaming {
  if (before.first_name === after.first_name && before.last_name === after.last_name) return { actions }
  const written = new Set(actions.map((action) => textOfKey(keyOf(action))))
  const toMove = held.filter((item) => !written.has(textOfKey(item)))
  // With the entry.
  const isAll = toMove.length < roomBeside(actions)
  const { id, version } = after
  const work = workEntry('rename', id, { version }, now, { taker: isAll ? 'STREAM' : 'CALL' })
  const moves = isAll ? toMove.map((item) => renamed(item, after)) : []
  return { actions: [...actions, ...moves, noteOnce(work)], work }
}

/** Moves an assignment in its lists to where it belongs under the user's name; stale if it no longer exists. */
export const renamed = (item: Item, user: Named): Action => ({
  update: keyIn(item),
  set: nameKeysIn(item, user),
  if: exists,
})

/** Whether an assignment is in its lists under the user's name. */
export const hasNameOf = (item: Item, user: Named): boolean =>
  Object.entries(nameKeysIn(item, user)).every(([name, sortKey]) => item[name] === sortKey)

/** The sort keys of an assignment in the lists of its group or channel, or of its task. */
const nameKeysIn = (item: Item, user: Named): Record<string, string> =>
  keys.kindOfAssignment(item) === 'TASK' ? nameAmongRecipients(user) : namesInLists(user)
