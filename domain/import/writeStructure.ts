import { treeChanged } from '../people/records/groupTree.ts'
import { textOfKey } from '../table/items.ts'
import { pack } from '../table/pack.ts'
import type { Action } from '../table/store.ts'
import type { Draft, DraftedChange } from './draft.ts'
import { requireTime } from './importContext.ts'
import { retryBusy } from './importRetries.ts'

/**
 * Writes what users refer to: first what every directory has, in one transaction, then the rest. So no record refers to one that does
 * not exist yet.
 */
export async function writeStructure({ context, changes, structure, written }: Draft): Promise<void> {
  const inOrder = [...changes.filter(({ first }) => first), ...changes.filter(({ first }) => !first)]
  let { treeVersion } = structure
  for (const { pieces, actions } of pack(inOrder, actionsOf, { spare: 1 })) {
    requireTime(context)
    // No group has been moved since the file was checked against the tree.
    const tree = pieces.some(({ inTree }) => inTree) ? [treeChanged(treeVersion++)] : []
    await retryBusy(() => context.store.write([...actions, ...tree]))
    for (const { write, outcome } of pieces) written.set(textOfKey(write.put), outcome)
  }
}

/** Refusals are for callers of the API: here a failed condition means that the draft is out of date. */
const actionsOf = ({ write, also = [] }: DraftedChange): Action[] => [
  write,
  ...also.map(({ otherwise: _refusal, ...action }) => action),
]
