import { refuse } from '../base/errors.ts'
import { readDefinitions } from '../people/records/definitionSlots.ts'
import type { Context } from '../request/context.ts'
import { resourceTypesAt, schemasAt, serviceProviderConfigAt } from './discovery.ts'
import { propertyOf } from './resource.ts'
import { isSameName } from './schema.ts'
import { MethodNotAllowed } from './scimError.ts'
import { LIST_RESPONSE, type ScimAnswer, type ScimRequest } from './scimRequest.ts'

/** Answers the requests that need no token: clients read the configuration before they have one. Undefined for all others. */
export function openDiscovery({ method, segments, query, baseUrl }: ScimRequest): ScimAnswer | undefined {
  const [name = '', ...rest] = segments
  const isConfig = method === 'GET' && rest.length === 0 && isSameName(name, 'ServiceProviderConfig')
  if (!isConfig) return undefined
  refuseFilter(query)
  return { status: 200, body: serviceProviderConfigAt(baseUrl) }
}

/** RFC 7644, section 4: these documents cannot be filtered. */
function refuseFilter(query: ScimRequest['query']): void {
  if (propertyOf(query, 'filter')) throw refuse('PERMISSION_MISSING', undefined, 'These documents cannot be filtered')
}

/** Answers all paths except those of users and groups: the documents that describe the service, and unknown paths. */
export async function scimDiscovery(context: Context, request: ScimRequest): Promise<ScimAnswer> {
  const { method, segments, query, baseUrl } = request
  const [name = '', id, ...rest] = segments
  if (isSameName(name, 'Me') && id === undefined) return { status: 501, body: notImplemented }
  const documents = rest.length > 0 ? undefined : await documentsOf(context, name, baseUrl)
  if (!documents && !isSameName(name, 'ServiceProviderConfig')) throw refuse('NOT_FOUND')
  if (method !== 'GET') throw new MethodNotAllowed(['GET'])
  refuseFilter(query)
  if (id === undefined && documents) return { status: 200, body: listOf(documents) }
  const found = documents?.find((one) => isSameName(one.id, id ?? ''))
  if (!found) throw refuse('NOT_FOUND')
  return { status: 200, body: found }
}

const notImplemented = {
  schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
  status: '501',
  detail: 'There is no /Me: a caller reads their own user by id',
}

async function documentsOf(
  { store }: Context,
  name: string,
  baseUrl: string,
): Promise<readonly { id: string }[] | undefined> {
  if (isSameName(name, 'ResourceTypes')) return resourceTypesAt(baseUrl)
  if (!isSameName(name, 'Schemas')) return undefined
  return schemasAt(baseUrl, await readDefinitions(store))
}

const listOf = (documents: readonly object[]) => ({
  schemas: [LIST_RESPONSE],
  totalResults: documents.length,
  itemsPerPage: documents.length,
  startIndex: 1,
  Resources: documents,
})
