import { refuse } from '../../base/errors.ts'
import type { Context } from '../../request/context.ts'
import { organisationFields } from '../records/organisation.ts'
import { visibleAttributes } from '../records/shownAttributes.ts'
import { readUser } from '../records/user.ts'
import { viewUser } from '../users/userView.ts'

/** Reads the caller's own record, without tags and hidden attributes, and the settings of the organisation. */
export async function getMe(context: Context) {
  const { store, now, actorId } = context
  const user = await readUser(store, actorId, now)
  if (!user) throw refuse('ACTOR_NOT_ACTIVE')
  const [{ tags: _tags, ...shown }, attributes, organisation] = await Promise.all([
    viewUser(context, user, undefined),
    visibleAttributes(store, user.attributes),
    context.organisation(),
  ])
  const { default_language, languages, features } = organisationFields.shown(organisation)
  const body = { ...shown, attributes, features, languages, default_language }
  // What is hidden from the caller must not show in the ETag either.
  return { status: 200, body, own: body }
}
