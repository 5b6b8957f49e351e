import type { UserStatus } from '../../../schemas/userStates.ts'
import { isPast } from '../../base/text.ts'
import type { Actor } from '../../request/actor.ts'
import { a, declareFields, everywhere, type RecordOf } from '../../table/fields.ts'
import { userKey } from '../../table/keys.ts'
import type { Store } from '../../table/store.ts'
import type { Attribute } from './attributes.ts'

type RequiredAction = 'ACCEPT_TERMS_AND_CONDITIONS' | 'UPDATE_PASSWORD' | 'VERIFY_EMAIL'

export type { UserStatus } from '../../../schemas/userStates.ts'

export const userFields = declareFields({
  id: { type: a<string>() },
  external_id: { type: a<string | null>(), set: 'ALWAYS', default: null },
  first_name: { type: a<string>(), set: 'ALWAYS' },
  last_name: { type: a<string>(), set: 'ALWAYS' },
  email: { type: a<string | null>(), set: 'ALWAYS', default: null },
  status: { type: a<UserStatus>(), set: 'ONCE' },
  username: { type: a<string>(), set: 'ALWAYS' },
  role: { type: a<'USER' | 'ADMIN'>(), set: 'ALWAYS' },
  required_actions: { type: a<RequiredAction[]>(), set: 'ALWAYS', default: [] },
  attributes: { type: a<Attribute[]>(), set: 'ALWAYS', default: [] },
  profile_picture: { type: a<{ file_id: string } | null>(), set: 'ALWAYS', default: null },
  tags: { type: a<{ name: string }[]>(), set: 'ALWAYS', default: [] },
  /** The language in which they read texts. */
  preferred_language: { type: a<string | null>(), set: 'ALWAYS', default: null, later: true },
  /** Answers show a reference to the group. */
  primary_user_group_id: { type: a<string>(), hidden: ['ANSWERS'] },
  /** The source of the assignment to the primary group before it became PRIMARY: it goes back to that. */
  primary_was: { type: a<'MANUAL' | 'RULE' | null>(), initial: null, hidden: everywhere },
  created_at: { type: a<string>() },
  updated_at: { type: a<string>() },
  /** While PENDING_DELETION: the moment of final deletion. */
  deletion_at: { type: a<string>(), optional: true },
  /** Service accounts: no operation changes them. */
  protected: { type: a<boolean>(), optional: true, hidden: ['ANSWERS', 'EVENTS'] },
  /** The status that a restore, or a reactivation, goes back to. Records that were deactivated before 0.5.0 have none. */
  previous_status: { type: a<UserStatus>(), optional: true, hidden: ['ANSWERS', 'EVENTS'] },
  /** While PENDING_DELETION, of a user who was DEACTIVATED: their previous status, which a restore brings back. */
  earlier_status: { type: a<UserStatus>(), optional: true, hidden: ['ANSWERS', 'EVENTS'] },
  /** Counts changes, so that no writer overwrites what it has not read. New roles change only the version, tasks nothing. */
  version: { type: a<number>(), initial: 1, hidden: everywhere },
})

/** A user as stored. */
export type UserRecord = RecordOf<typeof userFields>

/** From the deadline on a user is gone, removed or not. */
export const isGone = (user: UserRecord, now: string): boolean => isPast(user.deletion_at, now)

/** The user, if not gone. */
export const unlessGone = <U extends UserRecord>(user: U | undefined, now: string): U | undefined =>
  user && !isGone(user, now) ? user : undefined

/** The fields of a user as of now, for those who do not change them; undefined if gone. */
export async function readUserFields(
  store: Pick<Store, 'get'>,
  id: string,
  now: string,
): Promise<UserRecord | undefined> {
  const data = (await store.get(userKey(id)))?.['data'] as object | undefined
  return unlessGone(data && (userFields.complete({ ...data }) as UserRecord), now)
}

/** A user as the caller of the API; undefined if they may not call at all. */
export const userAsActor = (user: UserRecord | undefined): Extract<Actor, { kind: 'USER' }> | undefined =>
  user?.status === 'ACTIVE'
    ? { kind: 'USER', role: user.role, status: user.status, language: user.preferred_language ?? undefined }
    : undefined
