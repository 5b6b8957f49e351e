import type { Resource } from './resource.ts'

/** A request as the functions of SCIM get it. */
export type ScimRequest = {
  method: string
  /** The parts of the path behind `/scim/v2`, decoded: `Users`, an id. */
  segments: readonly string[]
  query: Readonly<Record<string, string>>
  /** The JSON body. Throws `invalidSyntax` where there is none. */
  body: () => Resource
  /** The address of SCIM: `https://…/scim/v2`. */
  baseUrl: string
}

/** An answer. `version` is the ETag of a resource, `location` the address of a created one. */
export type ScimAnswer = { status: number; body?: object; version?: string; location?: string }

export const LIST_RESPONSE = 'urn:ietf:params:scim:api:messages:2.0:ListResponse'
