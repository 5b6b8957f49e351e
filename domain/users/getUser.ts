import type * as contracts from '../../schemas/users.ts'
import type { Operation } from '../request/context.ts'
import { readUser, requireUser } from './user.ts'
import { type UserView, viewUser } from './userView.ts'

/** Reads one user. */
export const getUser: Operation<typeof contracts.getUser, UserView> = async (context, { path, query }) => {
  const user = requireUser(await readUser(context.store, path.user_id, context.now))
  return { status: 200, body: await viewUser(context, user, query.embed) }
}
