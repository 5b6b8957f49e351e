import { checkAgainstDefinitions, type Editions, type GivenAttribute } from '../attributes/attributeRules.ts'
import { AppError, refuse, together } from '../base/errors.ts'
import { type Group, groups } from '../groups/group.ts'
import type { Context } from '../request/context.ts'
import { asRecord, isReference } from '../request/input.ts'

type NamedGroup = { group?: Group | undefined; fault?: AppError | undefined }
/** The group that a body names, and the editions of the definitions by which its attributes were judged. */
type Named = NamedGroup & { editions?: Editions | undefined }

/** More attributes than a user can have are refused for their number. */
const MOST_ATTRIBUTES = 50

/**
 * Reads what the body of a creation or patch names outside the user, and what is wrong with that. A body may have other
 * faults besides, so nothing of its form is taken for granted.
 */
export async function readNamed(context: Context, body: unknown): Promise<Named> {
  const { primary_user_group_id: groupId, attributes } = asRecord(body) ?? {}
  const [{ group, fault }, judged] = await Promise.all([
    usableGroup(context, groupId),
    judgedAttributes(context, attributes),
  ])
  return { ...judged, group, fault: together([judged.fault, fault]) }
}

/** What is wrong with the references of a body that has other faults. */
export const wrongReferences = async (context: Context, body: unknown): Promise<AppError | undefined> =>
  (await readNamed(context, body)).fault

/** The group that a body names as primary group: it must exist and not be archived. */
async function usableGroup(context: Context, id: unknown): Promise<NamedGroup> {
  if (!isReference(id)) return {}
  const group = await groups.read(context.store, id)
  if (group && group.status !== 'ARCHIVED') return { group }
  return { fault: refuse('UNKNOWN_USER_GROUP_ID', 'primary_user_group_id') }
}

const readable = (attributes: unknown): (GivenAttribute | undefined)[] =>
  Array.isArray(attributes) ? attributes.slice(0, MOST_ATTRIBUTES).map(readableAttribute) : []

function readableAttribute(given: unknown): GivenAttribute | undefined {
  const { name, value } = asRecord(given) ?? {}
  return isReference(name) ? { name, value: typeof value === 'string' ? value : undefined } : undefined
}

async function judgedAttributes({ store }: Context, attributes: unknown): Promise<Omit<Named, 'group'>> {
  try {
    return { editions: await checkAgainstDefinitions(store, readable(attributes)) }
  } catch (error) {
    if (error instanceof AppError && error.errors) return { fault: error }
    throw error
  }
}
