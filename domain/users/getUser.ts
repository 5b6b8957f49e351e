import type { Input } from '../../schemas/contract.ts'
import type * as contracts from '../../schemas/users.ts'
import type { Answer, Context } from '../request/context.ts'
import { readUser, requireUser } from './user.ts'
import { type UserView, viewUser } from './userView.ts'

/** Reads one user. */
export async function getUser(
  context: Context,
  { path, query }: Input<typeof contracts.getUser>,
): Promise<Answer<UserView>> {
  const user = requireUser(await readUser(context.store, path.user_id, context.now))
  return { status: 200, body: await viewUser(context, user, query.embed) }
}
