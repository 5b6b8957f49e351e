import type { Attribute } from '../attributes/attributeRules.ts'
import { isPast } from '../base/moments.ts'
import { is } from '../table/expressions.ts'
import { userKey } from '../table/keys.ts'
import type { Action, Item, Store } from '../table/store.ts'

export type UserStatus = 'ACTIVE' | 'LOCKED' | 'DEACTIVATED' | 'PENDING_DELETION'

/** A user as he is stored. */
export type UserRecord = {
  id: string
  external_id: string | null
  first_name: string
  last_name: string
  email: string | null
  username: string
  status: UserStatus
  role: 'USER' | 'ADMIN'
  required_actions: ('ACCEPT_TERMS_AND_CONDITIONS' | 'UPDATE_PASSWORD' | 'VERIFY_EMAIL')[]
  attributes: Attribute[]
  /** That these are counted as uses of their definitions: a digest of their names, as an earlier version changes them uncounted. */
  counted?: number
  tags: { name: string }[]
  profile_picture: { file_id: string } | null
  primary_user_group_id: string
  /** What his assignment to the primary group was before it became PRIMARY, and becomes again. */
  primary_was: 'MANUAL' | 'RULE' | null
  created_at: string
  updated_at: string
  /** Service accounts: no operation changes them. */
  protected?: boolean
  /** While PENDING_DELETION: the moment of final deletion, and the status to go back to. */
  deletion_at?: string
  previous_status?: UserStatus
  /** Counts changes, so that no writer overwrites what he has not read. */
  version: number
}

/** A user record out of the table's item. */
export const userOf = (item: Item): UserRecord => item.data as UserRecord

/** From his deadline on a user is gone, whether or not anything has removed him yet. */
export const isGone = (user: UserRecord, now: string): boolean => isPast(user.deletion_at, now)

/** The user as he is now, unless he is gone. */
export async function readUser(store: Pick<Store, 'get'>, id: string, now: string): Promise<UserRecord | undefined> {
  const item = await store.get(userKey(id))
  const user = item && userOf(item)
  return user && !isGone(user, now) ? user : undefined
}

/** Protected users are no reserve: only a person can be the administrator who is left. */
export const isCountedAdmin = (user: UserRecord): boolean =>
  user.role === 'ADMIN' && user.status === 'ACTIVE' && !user.protected

/** How many administrators more there are by a change. */
export const administratorsGained = (before: UserRecord | undefined, after: UserRecord): number =>
  Number(isCountedAdmin(after)) - Number(before !== undefined && isCountedAdmin(before))

/** A user's value of an attribute. */
export const attributeOf = (user: Pick<UserRecord, 'attributes'>, name: string): string | undefined =>
  user.attributes.find((attribute) => attribute.name === name)?.value

/**
 * Moves a user's version on; fails as stale if they have changed since they were read. Whatever gives a user an assignment
 * does this, so that a rename under way reads again and takes the assignment along.
 */
export const bumpUserVersion = (user: UserRecord): Action => ({
  update: userKey(user.id),
  set: { 'data/version': user.version + 1 },
  if: is({ 'data/version': user.version }),
})
