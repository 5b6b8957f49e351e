import { type AppError, combineRefusals, refuse } from '../../base/errors.ts'
import { asRecord, isReference } from '../../base/values.ts'
import type { Context, MoreFaults } from '../../request/context.ts'
import { checkedAttributes, type Editions } from '../records/attributes.ts'
import { type Group, groups } from '../records/group.ts'
import { type CheckedLanguage, checkedLanguage } from '../records/preferredLanguage.ts'
import { readUser, type UserRecord } from '../records/user.ts'

type NamedGroup = { group?: Group | undefined; fault?: AppError | undefined }
/** The group and the language that a body names, and the editions of the definitions by which its attributes were checked. */
type References = NamedGroup & CheckedLanguage & { editions?: Editions | undefined }

/**
 * Reads the records that the body of a creation or patch refers to, and finds faults of these references. The body may
 * have other faults, and be of any form. `reading`: the user that a patch changes.
 */
export async function readReferences(
  context: Context,
  body: unknown,
  reading?: Promise<UserRecord | undefined>,
): Promise<References> {
  const { primary_user_group_id: groupId, attributes } = asRecord(body) ?? {}
  const [{ group, fault }, checked, { language, fault: wrongLanguage }] = await Promise.all([
    usableGroup(context, groupId),
    checkedAttributes(context.store, attributes),
    checkedLanguage(context, body, reading),
  ])
  return { ...checked, group, language, fault: combineRefusals([checked.fault, fault, wrongLanguage]) }
}

/** The faults of references in a body that has other faults already. */
export const wrongReferences: MoreFaults = async (context, body, { user_id: id }) => {
  const reading =
    isReference(id) && asRecord(body)?.['preferred_language'] ? readUser(context.store, id, context.now) : undefined
  return (await readReferences(context, body, reading)).fault
}

/** The primary group that a body names: it must exist and not be archived. */
async function usableGroup(context: Context, id: unknown): Promise<NamedGroup> {
  if (!isReference(id)) return {}
  const group = await groups.read(context.store, id)
  if (group && group.status !== 'ARCHIVED') return { group }
  return { fault: refuse('UNKNOWN_USER_GROUP_ID', 'primary_user_group_id') }
}
