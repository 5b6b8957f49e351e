import type { Input } from '../../request/context.ts'
import { changedOrSame, mergePatch } from '../../request/patch.ts'
import { patchedAttributes } from './attributes.ts'
import type { UserRecord } from './user.ts'
import { userFields } from './userFields.ts'

type Patch = Input<'updateUser'>['body']

/** The user after a merge patch, the group aside; the same object if nothing changes. */
export function patchedUser(user: UserRecord, body: Patch, { group, now }: { group: string; now: string }): UserRecord {
  const { attributes } = body
  const patch = attributes ? { ...body, attributes: patchedAttributes(user.attributes, attributes) } : body
  const next = mergePatch(user, patch, userFields.valueForNull)
  const after = { ...next, required_actions: [...new Set(next.required_actions)], primary_user_group_id: group }
  return changedOrSame(user, after, { updated_at: now, version: user.version + 1 })
}
