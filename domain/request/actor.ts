import type { Scope } from '../../schemas/scopes.ts'
import type { UserStatus } from '../../schemas/userStates.ts'

// Users and service tokens call the service. An actor is identified by kind and id, as the id of a user can be chosen and may
// be that of a token. One text holds both, so that cursors, Idempotency-Keys, events and the log keep actors apart.

/** The caller as rules see them, by their record as it is now. */
export type Actor =
  | {
      kind: 'USER'
      role: 'USER' | 'ADMIN'
      status: UserStatus
      /** The language in which they read texts. */
      language?: string | undefined
    }
  | { kind: 'SERVICE_TOKEN'; scopes: readonly Scope[] }

type ActorKind = Actor['kind']

/** The most characters of a user's id. */
export const LONGEST_USER_ID = 64

/** No id of a user has a colon. */
const TOKEN = 'service_token:'

/** The actor id of a service token. A user's actor id is the user's id. */
export const tokenActor = (id: string): string => `${TOKEN}${id}`

/** The kind of an actor, and the id of the user or service token. */
export const actorOf = (actorId: string): { id: string; kind: ActorKind } =>
  actorId.startsWith(TOKEN) ? { id: actorId.slice(TOKEN.length), kind: 'SERVICE_TOKEN' } : { id: actorId, kind: 'USER' }

/** The id of the user who calls; null for a service token. */
export const userOf = (actorId: string): string | null => {
  const { kind, id } = actorOf(actorId)
  return kind === 'USER' ? id : null
}

/**
 * Whether an actor may change the part of the API that a scope covers, if they may call an administration endpoint at all.
 * `actions` in answers depend on it.
 */
export const mayChange = (actor: Actor, part: Scope): boolean => actor.kind === 'USER' || actor.scopes.includes(part)

/**
 * The outcome of work that began at the same time as the check of the actor's rights. An actor without rights is
 * refused, whatever the outcome.
 */
export async function ifPermitted<T>({ actor }: { actor: () => Promise<Actor> }, working: Promise<T>): Promise<T> {
  working.catch(() => {})
  await actor()
  return await working
}
