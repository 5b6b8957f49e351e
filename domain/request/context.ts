import type { AppError } from '../base/errors.ts'
import type { Organisation } from '../organisation/organisation.ts'
import { nameOf, type Store } from '../table/store.ts'
import type { UserRecord } from '../users/userRecord.ts'
import type { Choice } from './languages.ts'

/** All that an operation gets from outside: nothing else in the domain reads a clock, a random number or the network. */
export type Context = {
  /** Its writes wait until the actor has been found active and permitted. */
  store: Store
  /** RFC 3339, UTC, milliseconds. */
  now: string
  /** The time as it goes on, for what takes long: `now` is when the call began. */
  clock: () => Date
  newId: () => string
  /** Whom the token names. */
  actorId: string
  /** The actor's own record as it is now; refuses if he may not call this endpoint. */
  actor: () => Promise<UserRecord>
  /** The same call for another of its items: the actor must be found permitted anew, as long calls may outlive his rights. */
  again: () => Context
  organisation: () => Promise<Organisation>
  /** Picks the caller's text of several: the same one wherever they are shown or sorted. */
  choice: () => Promise<Choice>
  /** Notes the language of a localized text that goes into the answer. */
  spoke: (language: string) => void
  /** Which shard of a counter this call uses. */
  shard: number
  /** Milliseconds until the call is cut off. */
  timeLeft: () => number
  requestId: string
  seals: Seals
}

/** Makes texts that callers hand back, but can neither read nor change; each is bound to what it was made for. */
export type Seals = {
  seal: (text: string, boundTo: string) => string
  /** The text; undefined where it was not sealed here, or not for this. */
  unseal: (sealed: string, boundTo: string) => string | undefined
}

/** An answer whose status is not the first that its contract names. */
export type Answer<T> = { status: number; body: T }

/**
 * What else is wrong with a body that has faults already, as only the store can tell; nothing is taken for granted of it,
 * nor of the path.
 */
export type AlsoWrong = (
  context: Context,
  body: unknown,
  path: Readonly<Record<string, unknown>>,
) => Promise<AppError | undefined>

/** Work begins beside the look at the actor's rights; what comes of it, error or not, counts only if he has them. */
export async function ifPermitted<T>({ actor }: Context, working: Promise<T>): Promise<T> {
  working.catch(() => {})
  await actor()
  return await working
}

/** Moments compare as text, as they all have one form. */
export const isPast = (moment: string | undefined, now: string): boolean => moment !== undefined && moment <= now

/** A store that serves the given reads once, from what has been read ahead: whoever reads again wants to see anew. */
export function readingAhead(store: Store, ahead: Map<string, ReturnType<Store['get']>>): Store {
  return {
    ...store,
    get: (key) => {
      const known = ahead.get(nameOf(key))
      ahead.delete(nameOf(key))
      return known ?? store.get(key)
    },
  }
}
