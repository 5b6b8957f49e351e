import type { Context } from '../context.ts'
import { type AppError, refuse, together } from '../errors.ts'
import { wrongTexts } from '../localization.ts'
import { asRecord, isReference } from '../users/userReferences.ts'
import { type Group, readGroup } from './group.ts'

type Named = { parent: Group | undefined; fault: AppError | undefined }

/**
 * Reads the parent that a body names, and what is wrong with that and with its languages. A body may have other faults
 * besides, so nothing of its form is taken for granted.
 */
export async function readNamedParent(context: Context, body: unknown): Promise<Named> {
  const id = asRecord(body)?.parent_id
  const [parent, texts] = await Promise.all([
    isReference(id) ? readGroup(context.store, id) : undefined,
    wrongTexts(context, body),
  ])
  const unknown = isReference(id) && !parent ? refuse('UNKNOWN_USER_GROUP_ID', 'parent_id') : undefined
  return { parent, fault: together([texts, unknown]) }
}

/** What is wrong with the parent and the languages of a body that has other faults. */
export const wrongInGroup = async (context: Context, body: unknown): Promise<AppError | undefined> =>
  (await readNamedParent(context, body)).fault
