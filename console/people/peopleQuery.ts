// What the people screen shows, as the address holds it. Pure.
import type { Schemas } from '../data/api.ts'

export type User = Schemas['User']
export const statuses = ['ACTIVE', 'LOCKED', 'DEACTIVATED', 'PENDING_DELETION'] as const
export const roles = ['USER', 'ADMIN'] as const
const sorts = [
  'FIRST_NAME',
  'LAST_NAME',
  'USERNAME',
  'EMAIL',
  'DEPARTMENT',
  'LOCATION',
  'ROLE',
  'STATUS',
  'CREATED_AT',
  'UPDATED_AT',
] as const
type Sort = `${(typeof sorts)[number]}_${'ASC' | 'DESC'}`

export type PeopleFilters = {
  search: string
  status: User['status'][]
  role: User['role'] | ''
  attribute: string
  value: string
}

const oneOf = <T extends string>(allowed: readonly T[], value: string | null): T | undefined =>
  allowed.find((one) => one === value)

export const filtersOf = (query: URLSearchParams): PeopleFilters => ({
  search: query.get('search') ?? '',
  status: query.getAll('status').flatMap((status) => oneOf(statuses, status) ?? []),
  role: oneOf(roles, query.get('role')) ?? '',
  attribute: query.get('attribute') ?? '',
  value: query.get('value') ?? '',
})

export const sortOf = (query: URLSearchParams): Sort => {
  const allowed = sorts.flatMap((name): Sort[] => [`${name}_ASC`, `${name}_DESC`])
  return oneOf(allowed, query.get('sort')) ?? 'LAST_NAME_ASC'
}

/** An attribute counts once it has a value, too. */
const attributeOf = ({ attribute, value }: PeopleFilters) =>
  attribute && value ? { attribute_technical_name: attribute, attribute_value: value } : {}

/** The filters as the list of users takes them. */
export const listQuery = (filters: PeopleFilters) => ({
  ...(filters.search.trim() ? { search_term: filters.search } : {}),
  ...(filters.status.length > 0 ? { status: filters.status } : {}),
  ...(filters.role ? { role: [filters.role] } : {}),
  ...attributeOf(filters),
})

/** The filters as a plan selects by them: everybody, without a filter. */
export function selectionOf(filters: PeopleFilters) {
  const query = listQuery(filters)
  return Object.keys(query).length > 0 ? query : { all: true as const }
}

export const isFiltered = (filters: PeopleFilters): boolean => Object.keys(listQuery(filters)).length > 0

export const attributeValue = (user: User, name: string): string =>
  user.attributes.find((attribute) => attribute.name === name)?.value ?? ''

export const fullName = ({ first_name, last_name }: { first_name: string; last_name: string }): string =>
  `${first_name} ${last_name}`.trim()
