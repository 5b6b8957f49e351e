import type { AppError } from '../base/errors.ts'
import { type AskedIndex, askedIndex } from '../request/askedPage.ts'
import type { Context } from '../request/context.ts'
import { type Filter, parseFilter } from './filter.ts'
import { checkSchemas, propertyOf, type Resource } from './resource.ts'
import { isSameName, type ResourceSchema } from './schema.ts'
import { invalidValue, ScimError } from './scimError.ts'
import { LIST_RESPONSE, type ScimRequest } from './scimRequest.ts'

// Lists of both resource types: RFC 7644, section 3.4.2, and cursors by RFC 9865.

/** The most resources on a page, which is also the default. */
export const MOST_RESULTS = 100

const SEARCH_REQUEST = 'urn:ietf:params:scim:api:messages:2.0:SearchRequest'

/** What a list request asks for, in a query or in the body of `.search`. */
export type ListRequest = {
  filter: Filter | undefined
  /** Where the page begins, counted from 1. */
  startIndex: number
  count: number
  /** Undefined for pages by index; empty for the first page by cursor. */
  cursor: string | undefined
  sortBy: string | undefined
  descending: boolean
  attributes: unknown
  excludedAttributes: unknown
  /** A cursor is only valid with the same texts: list, filter and order. */
  bound: readonly string[]
}

/** The parameters of a list request: in the query, or in the body of `.search`. */
export function parametersOf(request: ScimRequest): Resource {
  if (request.method !== 'POST') return request.query
  const body = request.body()
  checkSchemas(body, [SEARCH_REQUEST])
  return body
}

/** Parses a list request. Throws `invalidFilter` and `invalidValue`. */
export function listRequestOf(parameters: Resource, schema: ResourceSchema): ListRequest {
  const text = (name: string): string | undefined => {
    const value = propertyOf(parameters, name)
    if (value === undefined || value === null) return undefined
    if (typeof value === 'string') return value
    throw invalidValue(name, 'must be a text')
  }
  const [filter, sortBy, sortOrder] = [text('filter')?.trim(), text('sortBy'), text('sortOrder')]
  return {
    filter: filter ? parseFilter(filter, schema) : undefined,
    startIndex: Math.max(1, integer(parameters, 'startIndex') ?? 1),
    count: Math.min(MOST_RESULTS, Math.max(0, integer(parameters, 'count') ?? MOST_RESULTS)),
    cursor: text('cursor'),
    sortBy,
    descending: isDescending(sortOrder),
    attributes: propertyOf(parameters, 'attributes'),
    excludedAttributes: propertyOf(parameters, 'excludedAttributes'),
    bound: [schema.urn, filter ?? '', (sortBy ?? '').toLowerCase(), String(isDescending(sortOrder))],
  }
}

function isDescending(sortOrder: string | undefined): boolean {
  if (!sortOrder || isSameName(sortOrder, 'ascending')) return false
  if (isSameName(sortOrder, 'descending')) return true
  throw invalidValue('sortOrder', 'must be ascending or descending')
}

function integer(parameters: Resource, name: string): number | undefined {
  const value = propertyOf(parameters, name)
  if (value === undefined || value === null || value === '') return undefined
  const number = typeof value === 'string' && /^[-+]?\d+$/.test(value.trim()) ? Number(value) : value
  if (typeof number === 'number' && Number.isInteger(number)) return number
  throw invalidValue(name, 'must be an integer')
}

/** Finds the page that a request asks for. Throws `invalidCursor` for a cursor of another caller, filter or order. */
export const askedList = (context: Context, asked: ListRequest): Promise<AskedIndex> =>
  askedIndex(context, asked, () => new ScimError('invalidCursor', wrongCursor))
const wrongCursor = 'The cursor must be one of this list, with the same filter and order'

/** The error of a page by index that is too far from both ends of a large list. Among SCIM's types `tooMany` comes closest. */
export function pageTooFar(error: AppError): never {
  if (error.property !== 'page_number') throw error
  throw new ScimError('tooMany', 'startIndex is too far from both ends of the list: use cursor to go further')
}

/** The error of a filter that would exceed the budget of a search. */
export const tooMany = (): ScimError =>
  new ScimError(
    'tooMany',
    'The filter would have to look at too many resources: narrow it, or filter by another attribute',
  )

type Page = { resources: readonly object[]; total: number; nextCursor: string | undefined }

/** The body of a list answer. */
export const listResponse = ({ startIndex, cursor }: ListRequest, { resources, total, nextCursor }: Page) => ({
  schemas: [LIST_RESPONSE],
  totalResults: total,
  itemsPerPage: resources.length,
  ...(cursor === undefined ? { startIndex } : {}),
  ...(nextCursor === undefined ? {} : { nextCursor }),
  Resources: resources,
})
