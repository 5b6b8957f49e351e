import { isSameLanguage } from '../../people/records/preferredLanguage.ts'
import type { UserRecord } from '../../people/records/user.ts'
import type { RowValues } from './row.ts'

// The values of a row beside those of a user.

/** What rows are compared with: a user as a row would say it, the group by its id. */
export type SaidUser = Required<Omit<RowValues, 'status'>> & { status: UserRecord['status'] }

/** A user as a row would say it. */
export function saidOf(user: UserRecord): SaidUser {
  const { id, external_id, username, first_name, last_name, email, role, status, preferred_language } = user
  return {
    ...{ id, external_id, username, first_name, last_name, email, role, status, preferred_language },
    primary_user_group: user.primary_user_group_id,
    tags: user.tags.map(({ name }) => name),
    attributes: Object.fromEntries(user.attributes.map(({ name, value }) => [name, value])),
  }
}

/** The values of a row that a user does not have, the status aside. `group` is the id of the group that the row names. */
export function differing(values: RowValues, user: SaidUser, group?: string): Omit<RowValues, 'status'> {
  const { status: _wanted, attributes, ...others } = values
  const fields = Object.entries(others).filter(([field, value]) => {
    const has = user[field as keyof typeof others]
    if (field === 'tags') return !isSameSet(value as string[], has as string[])
    if (field === 'primary_user_group') return (group ?? value) !== has
    if (field === 'preferred_language' && typeof value === 'string' && typeof has === 'string')
      return !isSameLanguage(value)(has)
    return value !== has
  })
  const other = Object.entries(attributes ?? {}).filter(([name, value]) => value !== (user.attributes[name] ?? null))
  return { ...Object.fromEntries(fields), ...(other.length > 0 ? { attributes: Object.fromEntries(other) } : {}) }
}

const isSameSet = (one: readonly string[], other: readonly string[] = []): boolean =>
  one.length === other.length && one.toSorted().join('\n') === other.toSorted().join('\n')

/** Whether a user is as a row wants them: then nothing has to be read. Of one pending deletion it is never so. */
export const isAsWanted = (values: RowValues, user: SaidUser, group?: string): boolean =>
  user.status !== 'PENDING_DELETION' &&
  (values.status === undefined || values.status === user.status) &&
  Object.keys(differing(values, user, group)).length === 0
