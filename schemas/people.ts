import * as atom from './atoms.ts'
import { contract, nullable, object } from './contract.ts'

const tag = 'People'
const feature = { name: 'people_directory', off: 'FEATURE_DISABLED' } as const

const text = { type: ['string', 'null'] } as const

/** A user as all other users see them. */
export const person = object(
  {
    id: { type: 'string' },
    first_name: { type: 'string' },
    last_name: { type: 'string' },
    department: text,
    location: text,
    job_title: text,
    profile_picture: nullable(object({ file_id: { type: 'string' } }, ['file_id'])),
    is_deleted: { type: 'boolean' },
  },
  ['id', 'first_name', 'last_name', 'department', 'location', 'job_title', 'profile_picture', 'is_deleted'],
)

export const listPeople = contract({
  name: 'listPeople',
  title: 'List and search people',
  tag,
  access: 'user',
  scopes: [],
  feature,
  query: object(
    {
      ...atom.offsetPage,
      id: { type: 'array', minItems: 1, maxItems: 100, items: atom.id },
      search_term: atom.searchTerm,
      sort: atom.sortBy(['FIRST_NAME', 'LAST_NAME']),
    },
    [],
  ),
  answers: {
    200: object({ users: { type: 'array', items: person }, pagination: atom.offsetPagination }, [
      'users',
      'pagination',
    ]),
  },
  errors: ['FEATURE_DISABLED'],
})

export const getPerson = contract({
  name: 'getPerson',
  title: 'Read a person',
  tag,
  access: 'user',
  scopes: [],
  feature,
  path: object({ user_id: atom.id }, ['user_id']),
  versioned: true,
  answers: { 200: person },
  errors: ['USER_NOT_FOUND', 'FEATURE_DISABLED'],
})
