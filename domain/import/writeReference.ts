import { treeChanged } from '../groups/groupTree.ts'
import { type Action, nameOf, replacing } from '../table/store.ts'
import { needTime } from './importContext.ts'
import { orStale, sizeOf } from './parts.ts'
import { patiently } from './patience.ts'
import type { Change, Plan } from './plan.ts'

/**
 * What one transaction takes: 100 actions, the version of the tree of groups among them, and 4 MB, of which a record may
 * need twice its size to be compared.
 */
const MOST_ACTIONS = 99
const MOST_BYTES = 1_500_000

/**
 * Writes what people refer to. What every directory has comes first and in one transaction, then the rest in an order in
 * which nothing refers to what is not there yet.
 */
export async function writeReference({ context, changes, treeVersion }: Plan): Promise<void> {
  const inOrder = [...changes.filter(({ first }) => first), ...changes.filter(({ first }) => !first)]
  let version = treeVersion
  let [together, bytes, inTree]: [Action[], number, boolean] = [[], 0, false]
  const write = async (): Promise<void> => {
    // Nobody has moved a group since the file was held against the tree.
    const actions = inTree ? [...together, treeChanged(version++)] : together
    await patiently(() => context.store.write(actions))
    ;[together, bytes, inTree] = [[], 0, false]
  }
  for (const change of inOrder) {
    const [actions, size] = [actionsOf(change), sizeOf(change.put)]
    const isFull = together.length + actions.length > MOST_ACTIONS || bytes + size > MOST_BYTES
    if (isFull || meet(together, actions)) {
      needTime(context)
      await write()
    }
    together.push(...actions)
    bytes += size
    inTree ||= change.inTree ?? false
  }
  if (together.length > 0) await write()
}

/** Whether two lists of actions have an item in common, which one transaction must not touch twice. */
function meet(some: readonly Action[], others: readonly Action[]): boolean {
  const touched = new Set(some.map(keyOf))
  return others.some((action) => touched.has(keyOf(action)))
}

function keyOf(action: Action): string {
  if ('put' in action) return nameOf(action.put)
  if ('update' in action) return nameOf(action.update)
  return nameOf('delete' in action ? action.delete : action.check)
}

/** Overwrites only what is still as it was read. */
const actionsOf = ({ put, read, beside = [] }: Change): Action[] => [replacing(put, read), ...orStale(beside)]
