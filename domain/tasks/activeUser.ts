import { readUser, type UserRecord } from '../people/records/user.ts'
import type { Context } from '../request/context.ts'

/** The error for a user who cannot be given a task. It does not say whether they exist. */
export const unknownUser = { code: 'UNKNOWN_USER_ID', message: 'must name an active user' } as const

/** A user as they are now; undefined if they are not active. */
export const readActiveUser = async ({ store, now }: Context, id: string): Promise<UserRecord | undefined> => {
  const user = await readUser(store, id, now)
  return user?.status === 'ACTIVE' ? user : undefined
}
