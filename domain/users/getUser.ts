import type { Context, Input } from '../request/context.ts'
import { ownOfUser, readUser, requireUser } from './user.ts'
import { viewUser } from './userView.ts'

/** Reads one user. */
export async function getUser(context: Context, { path, query }: Input<'getUser'>) {
  const user = requireUser(await readUser(context.store, path.user_id, context.now))
  return { status: 200, body: await viewUser(context, user, query.embed), own: ownOfUser(user) }
}
