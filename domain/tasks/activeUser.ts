import { readUser, type UserRecord } from '../people/records/user.ts'
import type { Context } from '../request/context.ts'

// Users who are to get a task, named by a call or as members of a channel (channelRecipients.ts).

/** The error for a user who cannot be given a task. It does not say whether they exist. */
export const unknownUser = { code: 'UNKNOWN_USER_ID', message: 'must name an active user' } as const

/** A user as they are now; undefined if they are not active. */
export const readActiveUser = async ({ store, now }: Context, id: string): Promise<UserRecord | undefined> => {
  const user = await readUser(store, id, now)
  return user?.status === 'ACTIVE' ? user : undefined
}

/**
 * Users who are to get a task, and the records of all of them, or of the first RECIPIENTS_AT_ONCE or more: the records of very many
 * would take too much memory.
 */
export type Recipients = { ids: string[]; firstUsers: UserRecord[] }
