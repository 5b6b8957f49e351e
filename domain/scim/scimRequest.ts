import type { Resource } from './resource.ts'
import { MethodNotAllowed } from './scimError.ts'

/** A request to SCIM. */
export type ScimRequest = {
  method: string
  /** The parts of the path after `/scim/v2`, decoded: `Users`, an id. */
  segments: readonly string[]
  query: Readonly<Record<string, string>>
  /** The JSON body. Throws `invalidSyntax` if it is missing or malformed. */
  body: () => Resource
  /** The address of SCIM: `https://…/scim/v2`. */
  baseUrl: string
}

/** Refuses a method that the path does not allow: that of all resources, of a search, or of one resource. */
export function requireMethod({ method, segments: [, id] }: ScimRequest): void {
  const one = id === '.search' ? ['POST'] : ['GET', 'PUT', 'PATCH', 'DELETE']
  const allowed = id === undefined ? ['GET', 'POST'] : one
  if (!allowed.includes(method)) throw new MethodNotAllowed(allowed)
}

/** An answer. `version` is the ETag of a resource, `location` the address of a created one. */
export type ScimAnswer = { status: number; body?: object; version?: string; location?: string }

export const LIST_RESPONSE = 'urn:ietf:params:scim:api:messages:2.0:ListResponse'
