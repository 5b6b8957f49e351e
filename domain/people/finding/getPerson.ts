import type { Context, Input } from '../../request/context.ts'
import { readUser, requireUser } from '../records/user.ts'
import { shownTexts, viewPerson } from './person.ts'

/** Reads a person in any status, as tasks name their authors. */
export async function getPerson(context: Context, { path }: Input<'getPerson'>) {
  const [user, shown] = await Promise.all([readUser(context.store, path.user_id, context.now), shownTexts(context)])
  const body = viewPerson(requireUser(user), shown)
  // What is hidden from the caller must not show in the ETag either.
  return { status: 200, body, own: body }
}
