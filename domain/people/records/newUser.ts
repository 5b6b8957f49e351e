import { compareBytes } from '../../base/text.ts'
import type { Input } from '../../request/context.ts'
import { isSameRecord } from '../../table/records.ts'
import type { UserRecord } from './user.ts'
import { userFields } from './userFields.ts'

// The record of a user that a creation asks for.

type Creation = Input<'createUser'>['body']

/** The record that a creation asks for. */
export const userFrom = (body: Creation, { id, now, group }: { id: string; now: string; group: string }): UserRecord =>
  userFields.create(
    { ...body, required_actions: [...new Set(body.required_actions)] },
    { id, primary_user_group_id: group, created_at: now, updated_at: now },
  )

/**
 * Whether a creation asks for the user that is stored: the request came twice. Times and the order of sets do not
 * matter.
 */
export function isSameCreation(wanted: UserRecord, found: UserRecord): boolean {
  const { created_at, updated_at, version, primary_was } = found
  const { previous_status: _previous, ...others } = found
  return isSameRecord(
    withSortedSets({ ...wanted, created_at, updated_at, version, primary_was }),
    withSortedSets(others),
  )
}

/** A user with each set sorted, to be compared with another one. */
export const withSortedSets = (user: UserRecord): UserRecord => ({
  ...user,
  required_actions: user.required_actions.toSorted(),
  attributes: user.attributes.toSorted((a, b) => compareBytes(a.name, b.name)),
  tags: user.tags.toSorted((a, b) => compareBytes(a.name, b.name)),
})
