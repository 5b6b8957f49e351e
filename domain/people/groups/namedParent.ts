import { type AppError, combineRefusals, refuse } from '../../base/errors.ts'
import { asRecord, isReference } from '../../base/values.ts'
import type { Context, MoreFaults } from '../../request/context.ts'
import { wrongTexts } from '../../request/localizedTexts.ts'
import { type Group, groups } from '../records/group.ts'

// The group above that the body of a creation or patch names, and the faults of its texts.

type NamedParent = { parent: Group | undefined; fault: AppError | undefined }

/**
 * Reads the parent that a body names, and finds faults of the parent and of the texts; `stored` is the group that a
 * patch changes. The body may have any form.
 */
export async function readNamedParent(
  context: Context,
  body: unknown,
  stored?: Promise<Group | undefined>,
): Promise<NamedParent> {
  const id = asRecord(body)?.['parent_id']
  const [parent, texts] = await Promise.all([
    isReference(id) ? groups.read(context.store, id) : undefined,
    wrongTexts(context, body, stored),
  ])
  const unknown = isReference(id) && !parent ? refuse('UNKNOWN_USER_GROUP_ID', 'parent_id') : undefined
  return { parent, fault: combineRefusals([texts, unknown]) }
}

/** Finds faults of the parent and the texts in a body that has other faults already. */
export const wrongInGroup: MoreFaults = async (context, body, { group_id: id }) =>
  (await readNamedParent(context, body, isReference(id) ? groups.read(context.store, id) : undefined)).fault
