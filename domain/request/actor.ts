import type { Scope } from '../../schemas/contract.ts'

// Users and service tokens call the service. An actor is identified by kind and id, as the id of a user can be chosen and may
// be that of a token. One text holds both, so that cursors, Idempotency-Keys, events and the log keep actors apart.

/** Who calls, as rules see them: by the record as it is now. */
export type Actor =
  | { kind: 'USER'; role: 'USER' | 'ADMIN'; status: 'ACTIVE' | 'LOCKED' | 'DEACTIVATED' | 'PENDING_DELETION' }
  | { kind: 'SERVICE_TOKEN'; scopes: readonly Scope[] }

export type ActorKind = Actor['kind']

/** No id of a user has a colon. */
const TOKEN = 'service_token:'

/** The actor that a service token is. The actor that a user is is the user's id. */
export const tokenActor = (id: string): string => `${TOKEN}${id}`

/** The id and the kind of an actor. */
export const actorOf = (actorId: string): { id: string; kind: ActorKind } =>
  actorId.startsWith(TOKEN) ? { id: actorId.slice(TOKEN.length), kind: 'SERVICE_TOKEN' } : { id: actorId, kind: 'USER' }

/** The id of the user that an actor is; null for a service token. */
export const userOf = (actorId: string): string | null => {
  const { kind, id } = actorOf(actorId)
  return kind === 'USER' ? id : null
}

/**
 * Whether an actor who may call an administration endpoint may also change the part of the API that a scope is about: `actions`
 * in answers say so.
 */
export const mayChange = (actor: Actor, part: Scope): boolean => actor.kind === 'USER' || actor.scopes.includes(part)
