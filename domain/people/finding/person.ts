import type { Context } from '../../request/context.ts'
import { shownAttributes } from '../records/shownAttributes.ts'
import type { UserRecord } from '../records/user.ts'
import { attributeOf } from '../records/userSearch.ts'

/** The attributes that a person is shown with. */
const texts = ['department', 'location', 'job_title'] as const
export type ShownTexts = ReadonlySet<(typeof texts)[number]>

/** Which of a person's texts the caller may see. */
export const shownTexts = (context: Context): Promise<ShownTexts> => shownAttributes(context, texts)

/** A user as all other users see them. Of one pending deletion only the id is shown. */
export function viewPerson(user: UserRecord, shown: ShownTexts) {
  const is_deleted = user.status === 'PENDING_DELETION'
  const textOf = (name: (typeof texts)[number]) =>
    is_deleted || !shown.has(name) ? null : (attributeOf(user, name) ?? null)
  return {
    id: user.id,
    first_name: is_deleted ? '' : user.first_name,
    last_name: is_deleted ? '' : user.last_name,
    department: textOf('department'),
    location: textOf('location'),
    job_title: textOf('job_title'),
    profile_picture: is_deleted ? null : user.profile_picture,
    is_deleted,
  }
}
