import type { Context, Input } from '../../request/context.ts'
import { showUser } from './userView.ts'

/** Reads one user. */
export const getUser = (context: Context, { path, query }: Input<'getUser'>) =>
  showUser(context, path.user_id, query.embed)
