import { AppError } from '../base/errors.ts'
import { fold, termWords } from '../base/words.ts'
import { findUsers } from '../people/finding/findUsers.ts'
import type { UserRecord, UserStatus } from '../people/records/user.ts'
import {
  listsOf,
  type UserCondition,
  type UserFilter,
  type UserName,
  type UserSorting,
} from '../people/records/userLists.ts'
import { matching } from '../people/records/userMatch.ts'
import { type Profile, profileOfHint } from '../people/records/userSearch.ts'
import { countUsers } from '../people/records/userTotals.ts'
import type { Window } from '../request/askedPage.ts'
import type { Context } from '../request/context.ts'
import { BudgetSpent } from '../table/budget.ts'
import { type Filter, matches } from './filter.ts'
import {
  askedList,
  type ListRequest,
  listRequestOf,
  listResponse,
  pageTooFar,
  parametersOf,
  tooMany,
} from './listRequest.ts'
import type { Projection } from './projection.ts'
import { ENTERPRISE_URN, type ResourceSchema } from './schema.ts'
import { invalidValue, ScimError } from './scimError.ts'
import type { ScimAnswer, ScimRequest } from './scimRequest.ts'
import { wholeResource } from './userResource.ts'

// Lists of users. A filter is evaluated on whole resources. First its clauses on ids, names, words, status and time narrow down
// which users are read: `findUsers` has a table of the ways to them.

/** The sorts for which users have an index. */
const sortFields: ReadonlyMap<string, UserSorting['field']> = new Map([
  ['meta.created', 'CREATED_AT'],
  ['meta.lastmodified', 'UPDATED_AT'],
  ['username', 'USERNAME'],
  ['name.familyname', 'LAST_NAME'],
  ['name.givenname', 'FIRST_NAME'],
])

function sortsOf({ sortBy, descending }: ListRequest): UserSorting[] {
  if (!sortBy) return [{ field: 'CREATED_AT', descending: false }]
  const field = sortFields.get(sortBy.replace(/^urn:.*:User:/i, '').toLowerCase())
  if (!field) throw invalidValue('sortBy', `must be one of ${[...sortFields.keys()].join(', ')}`)
  return [{ field, descending }]
}

type ListContext = { request: ScimRequest; schema: ResourceSchema; projectionOf: (asked: ListRequest) => Projection }

/** GET of the users, and `.search`. */
export async function listScimUsers(
  context: Context,
  { request, schema, projectionOf }: ListContext,
): Promise<ScimAnswer> {
  const asked = listRequestOf(parametersOf(request), schema)
  const { filter } = asked
  refuseUnseen(filter)
  const sorts = sortsOf(asked)
  const [{ window, nextCursor }, statuses] = [await askedList(context, asked), statusesIn(filter)]
  const projection = projectionOf(asked)
  const show = (user: UserRecord) => projection.of(wholeResource(user, request.baseUrl))
  const condition = filter && !isOfStatus(filter) ? conditionOf(filter, request.baseUrl) : undefined
  const page = await pageOfUsers(context, { statuses, roles: [], sorts, condition }, window)
  const body = listResponse(asked, {
    resources: page.users.map(show),
    total: page.total,
    nextCursor: await nextCursor(page),
  })
  return { status: 200, body }
}

/** Refuses filters by groups and passwords, which lists do not show. */
function refuseUnseen(filter: Filter | undefined): void {
  if (!filter) return
  const inner = 'filters' in filter ? filter.filters : filter.op === 'not' ? [filter.filter] : []
  for (const one of inner) refuseUnseen(one)
  const [name = ''] = 'keys' in filter ? filter.keys : []
  if (name === 'groups' || name === 'password')
    throw new ScimError('invalidFilter', `Users cannot be filtered by ${name}`)
}

const visibleStatuses: readonly UserStatus[] = ['ACTIVE', 'LOCKED', 'DEACTIVATED']

/** Whether a filter is about `active` alone: then the lists by status have exactly its matches. */
const isOfStatus = (filter: Filter): boolean =>
  (filter.op === 'eq' || filter.op === 'ne') && filter.keys[0] === 'active' && filter.value !== null

/** The statuses that a user can have who matches a filter. */
function statusesIn(filter: Filter | undefined): readonly UserStatus[] {
  if (filter?.op === 'and') {
    const each = filter.filters.map(statusesIn)
    return visibleStatuses.filter((status) => each.every((some) => some.includes(status)))
  }
  if (!filter || !isOfStatus(filter) || !('value' in filter)) return visibleStatuses
  const isActive = (filter.op === 'eq') === filter.value
  return isActive ? ['ACTIVE', 'LOCKED'] : ['DEACTIVATED']
}

/** A page with its total, also by cursor. */
async function pageOfUsers(context: Context, filter: UserFilter, window: Window) {
  const count = () => countUsers(context, listsOf(filter))
  if (!filter.condition && window.take === 0) return { users: [], total: await count(), next: undefined }
  const [{ users, total, next }, counted] = await Promise.all([
    findUsers(context, filter, window, async (some) => some).catch(refused),
    !filter.condition && window.after ? count() : 0,
  ])
  return { users, total: total ?? counted, next }
}

function refused(error: unknown): never {
  if (error instanceof BudgetSpent) throw tooMany()
  throw error instanceof AppError ? pageTooFar(error) : error
}

/** What must be true of the users who match a filter. All of them are wanted, as a client takes what it gets for all. */
function conditionOf(filter: Filter, baseUrl: string): UserCondition {
  const since = sinceIn(filter)
  const words = since === undefined ? termWords((wordsIn(filter) ?? []).join(' ')) : []
  const matchesWords = matching(words)
  return {
    names: namesIn(filter),
    since,
    words,
    mayMatch: (hint) => matchesWords(hint) && mayMatch(filter, profileOfHint(hint)),
    matches: (user) => matches(filter, wholeResource(user, baseUrl)),
    isHintEnough: false,
    isAllOrNone: true,
  }
}

const MOST_NAMES = 100
const namesOf: Readonly<Record<string, UserName['by']>> = { id: 'id', userName: 'username', externalId: 'external_id' }

/** Names of which each match of a filter has one; undefined if the filter does not name its matches. */
function namesIn(filter: Filter): UserName[] | undefined {
  if (filter.op === 'and') return filter.filters.map(namesIn).find((names) => names !== undefined)
  if (filter.op === 'or') return namesInEach(filter.filters)
  if (filter.op !== 'eq') return undefined
  const { keys, value } = filter
  const by = keys.length === 1 ? namesOf[keys[0] ?? ''] : undefined
  return by && typeof value === 'string' ? [{ by, value }] : undefined
}

function namesInEach(filters: readonly Filter[]): UserName[] | undefined {
  const each = filters.map(namesIn)
  const all = each.every((names) => names !== undefined) ? each.flat() : undefined
  return all && all.length <= MOST_NAMES ? all : undefined
}

/** Users who match a filter have changed at this moment or later; undefined if the filter does not require that. */
function sinceIn(filter: Filter): string | undefined {
  if (filter.op === 'and') return filter.filters.map(sinceIn).find((moment) => moment !== undefined)
  const isTime = (filter.op === 'gt' || filter.op === 'ge') && filter.keys.join('.') === 'meta.lastModified'
  return isTime && typeof filter.value === 'string' ? filter.value : undefined
}

/** The attributes that the index of words contains, and where the hint of a row has them. */
const textsOf: Readonly<Record<string, (profile: Profile) => string | undefined>> = {
  userName: ({ username }) => username,
  'name.givenName': ({ first_name }) => first_name,
  'name.familyName': ({ last_name }) => last_name,
  'name.formatted': ({ first_name, last_name }) => `${first_name} ${last_name}`,
  displayName: ({ first_name, last_name }) => `${first_name} ${last_name}`,
  'emails.value': ({ email }) => email,
  'addresses.locality': ({ location }) => location,
  [`${ENTERPRISE_URN}.department`]: ({ department }) => department,
}
const pathOf = (filter: { keys: readonly string[] }, prefix: readonly string[] = []): string =>
  [...prefix, ...filter.keys].join('.')

/** Words that every match of a filter has; undefined if the filter has no such words. */
function wordsIn(filter: Filter, prefix: readonly string[] = []): string[] | undefined {
  if (filter.op === 'and') {
    const words = filter.filters.flatMap((one) => wordsIn(one, prefix) ?? [])
    return words.length > 0 ? words : undefined
  }
  if (filter.op === 'any') return wordsIn(filter.filter, filter.keys)
  if ((filter.op !== 'eq' && filter.op !== 'sw') || typeof filter.value !== 'string') return undefined
  const words = textsOf[pathOf(filter, prefix)] ? termWords(filter.value) : []
  return words.length > 0 ? words : undefined
}

/** A text in the form of hints, with compatible characters decomposed: parts of a ligature are found, too. */
const loose = (text: string): string => fold(text).normalize('NFKD')

/** Whether the user of a hint may match a filter. Hints have only some texts, without case and accents. */
function mayMatch(filter: Filter, profile: Profile, prefix: readonly string[] = []): boolean {
  if (filter.op === 'and') return filter.filters.every((one) => mayMatch(one, profile, prefix))
  if (filter.op === 'or') return filter.filters.some((one) => mayMatch(one, profile, prefix))
  if (filter.op === 'any') return mayMatch(filter.filter, profile, filter.keys)
  if (!isTextual(filter) || typeof filter.value !== 'string') return true
  const textOf = textsOf[pathOf(filter, prefix)]
  const wanted = loose(filter.value)
  return !textOf || wanted === '' || loose(textOf(profile) ?? '').includes(wanted)
}

const isTextual = (filter: Filter): filter is Extract<Filter, { value: unknown }> =>
  ['eq', 'co', 'sw', 'ew'].includes(filter.op)
