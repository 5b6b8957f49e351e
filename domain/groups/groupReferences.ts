import { type AppError, refuse, together } from '../base/errors.ts'
import type { AlsoWrong, Context } from '../request/context.ts'
import { asRecord, isReference } from '../request/input.ts'
import { wrongTexts } from '../request/localization.ts'
import { type Group, readGroup } from './group.ts'

type Named = { parent: Group | undefined; fault: AppError | undefined }

/**
 * Reads the parent that a body names, and what is wrong with that and with its languages; `stored` is the group that a
 * patch changes. A body may have other faults besides, so nothing of its form is taken for granted.
 */
export async function readNamedParent(
  context: Context,
  body: unknown,
  stored?: Promise<Group | undefined>,
): Promise<Named> {
  const id = asRecord(body)?.parent_id
  const [parent, texts] = await Promise.all([
    isReference(id) ? readGroup(context.store, id) : undefined,
    wrongTexts(context, body, stored),
  ])
  const unknown = isReference(id) && !parent ? refuse('UNKNOWN_USER_GROUP_ID', 'parent_id') : undefined
  return { parent, fault: together([texts, unknown]) }
}

/** What is wrong with the parent and the languages of a body that has other faults. */
export const wrongInGroup: AlsoWrong = async (context, body, { group_id: id }) =>
  (await readNamedParent(context, body, isReference(id) ? readGroup(context.store, id) : undefined)).fault
