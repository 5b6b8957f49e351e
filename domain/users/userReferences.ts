import { checkAgainstDefinitions, type Editions, type GivenAttribute } from '../attributes/attributeDefinition.ts'
import { AppError, refuse, together } from '../base/errors.ts'
import { type Group, groups } from '../groups/group.ts'
import type { Context } from '../request/context.ts'
import { asRecord, isReference } from '../request/input.ts'
import { adminRole, mayAssign } from '../roles/role.ts'

type NamedGroup = { group?: Group | undefined; fault?: AppError | undefined }
/** The group that a body names, and the editions of the definitions by which its attributes were judged. */
type References = NamedGroup & { editions?: Editions | undefined }

/** A body with more attributes is refused for their number. */
const MOST_ATTRIBUTES = 50

/**
 * Reads the records that the body of a creation or patch refers to, and what is wrong with the references. The body may
 * have other faults, so nothing of its form is taken for granted.
 */
export async function readReferences(context: Context, body: unknown): Promise<References> {
  const { primary_user_group_id: groupId, attributes } = asRecord(body) ?? {}
  const [{ group, fault }, judged] = await Promise.all([
    usableGroup(context, groupId),
    judgedAttributes(context, attributes),
  ])
  return { ...judged, group, fault: together([judged.fault, fault]) }
}

/** What is wrong with the references of a body that has other faults. */
export const wrongReferences = async (context: Context, body: unknown): Promise<AppError | undefined> =>
  (await readReferences(context, body)).fault

/** Refuses to make a user an administrator unless the actor may. */
export async function checkNewRole(context: Context, role: 'USER' | 'ADMIN' | undefined): Promise<void> {
  if (role !== 'ADMIN') return
  if (!mayAssign(await context.actor(), adminRole, 'ORGANISATION')) throw refuse('ROLE_NOT_ASSIGNABLE', 'role')
}

/** The primary group that a body names: it must exist and not be archived. */
async function usableGroup(context: Context, id: unknown): Promise<NamedGroup> {
  if (!isReference(id)) return {}
  const group = await groups.read(context.store, id)
  if (group && group.status !== 'ARCHIVED') return { group }
  return { fault: refuse('UNKNOWN_USER_GROUP_ID', 'primary_user_group_id') }
}

async function judgedAttributes({ store }: Context, attributes: unknown): Promise<Omit<References, 'group'>> {
  const readable = Array.isArray(attributes) ? attributes.slice(0, MOST_ATTRIBUTES).map(readableAttribute) : []
  try {
    return { editions: await checkAgainstDefinitions(store, readable) }
  } catch (error) {
    if (error instanceof AppError && error.errors) return { fault: error }
    throw error
  }
}

function readableAttribute(attribute: unknown): GivenAttribute | undefined {
  const { name, value } = asRecord(attribute) ?? {}
  return isReference(name) ? { name, value: typeof value === 'string' ? value : undefined } : undefined
}
