import { treeChanged } from '../groups/groupTree.ts'
import { type Action, nameOf, replacing } from '../table/store.ts'
import { MOST_ACTIONS, pack } from '../table/transactions.ts'
import { needTime, patiently } from './importContext.ts'
import type { Change, Plan } from './plan.ts'

/**
 * Writes what users refer to: first and in one transaction what every directory has, then the rest, so that nothing refers
 * to what does not exist yet. Throws StaleRead where others have changed any of it since the file was checked.
 */
export async function writeReference({ context, changes, treeVersion, written }: Plan): Promise<void> {
  const inOrder = [...changes.filter(({ first }) => first), ...changes.filter(({ first }) => !first)]
  let version = treeVersion
  for (const { pieces, actions } of pack(inOrder, actionsOf, MOST_ACTIONS - 1)) {
    needTime(context)
    // No group has been moved since the file was checked against the tree.
    const tree = pieces.some(({ inTree }) => inTree) ? [treeChanged(version++)] : []
    await patiently(() => context.store.write([...actions, ...tree]))
    for (const { put, verdict } of pieces) written.set(nameOf(put), verdict)
  }
}

/** Overwrites only what is still as it was read. */
const actionsOf = ({ put, read, beside = [] }: Change): Action[] => [
  replacing(put, read),
  ...beside.map(({ otherwise: _ofTheApi, ...action }) => action),
]
