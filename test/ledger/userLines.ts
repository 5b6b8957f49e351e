import { purgeUsers } from '../../domain/maintenance/purgeUsers.ts'
import { searchBudget } from '../../domain/people/finding/candidates.ts'
import { groupAssignmentItem } from '../../domain/people/records/groupAssignment.ts'
import { call } from '../harness/call.ts'
import { ordinary, userRecord } from '../harness/seed.ts'
import type { Service } from '../harness/service.ts'
import { type Line, linesOf } from './line.ts'

// The directory holds 130 people in 12 teams, each with three attributes; every tenth is locked or deactivated.

const user = (user_id: string) => ({ path: { user_id } })

const hundred = (item: (id: string) => object) => ({
  body: { items: Array.from({ length: 100 }, (_, n) => item(`u-${n + 1}`)) },
})

const typical = {
  ...ordinary,
  id: 'new-typical',
  first_name: 'Zoë',
  last_name: 'Ferrán-Oliveira',
  username: 'zoe.ferran',
  email: 'zoe.ferran@large.example',
  external_id: 'E-9001',
  attributes: [
    { name: 'department', value: 'Logistics' },
    { name: 'location', value: 'Lisboa' },
    { name: 'job_title', value: 'Fleet planner' },
  ],
  primary_user_group_id: 'logistics',
}

const text = (count: number, letter: string) =>
  Array.from({ length: count }, (_, n) => `${letter}${String(n).padStart(2, '0')}`)
/** As much as a user may have: 50 attributes, 50 tags, and as many search words as are looked up one by one. */
export const worst = (letter: string) => ({
  first_name: text(8, `${letter}f`).join(' '),
  last_name: text(8, `${letter}l`).join(' '),
  username: `${letter}-worst`,
  external_id: `${letter}-worst`,
  email: `${letter}@worst.example`,
  attributes: [
    { name: 'department', value: text(8, `${letter}d`).join(' ') },
    { name: 'location', value: text(4, `${letter}o`).join(' ') },
    { name: 'joined_on', value: letter === 'p' ? '2024-02-29' : '2025-01-31' },
    ...['job_title', 'note', ...Array.from({ length: 45 }, (_, n) => `extra_${n}`)].map((name) => ({
      name,
      value: letter.repeat(255),
    })),
  ],
  tags: Array.from({ length: 50 }, (_, n) => ({ name: `${letter.repeat(60)}-${n}` })),
})

/** The same with as many words as they need without attributes: now each has a separate item. */
const withoutAttributes = {
  first_name: text(15, 'w').join(' '),
  last_name: text(13, 'v').join(' '),
  username: 'p-worst',
  external_id: 'p-worst',
  role: 'ADMIN',
  primary_user_group_id: 'logistics',
  attributes: [],
}

/** Gives a user roles in so many further groups. */
const alsoIn = (id: string, groups: number) => (service: Service) =>
  service.store.bulk(
    Array.from({ length: groups }, (_, n) => ({
      put: groupAssignmentItem(userRecord({ id }, ''), { group: `club-${n}`, role: 'group-member', source: 'MANUAL' }),
    })),
  )

/** Read units of the first page by each field: one half per record, and per group that they belong to. */
const sortedReads: Record<string, number> = {
  FIRST_NAME: 23.5,
  USERNAME: 24,
  EMAIL: 23.5,
  DEPARTMENT: 20,
  LOCATION: 22,
  ROLE: 23.5,
  STATUS: 23.5,
  CREATED_AT: 23.5,
  UPDATED_AT: 23.5,
}

/** A search of so small a budget that what 130 people match is too much. */
const withSmallBudget = (query: Record<string, string>) => async () => {
  const usual = { ...searchBudget }
  Object.assign(searchBudget, { rows: 96, readable: 25 })
  return call('listUsers', { query }).finally(() => Object.assign(searchBudget, usual))
}

let cursor = ''

const reading: Line[] = [
  ...linesOf('getUser', [
    { scenario: 'a user', request: user('u-5'), costs: [2, 2, 3.5, 0] },
    { scenario: 'with ACTIONS', request: { ...user('u-5'), query: { embed: 'ACTIONS' } }, costs: [2, 2, 4, 0] },
    { scenario: 'an unknown user', request: user('nobody'), status: 404, costs: [1, 1, 3, 0] },
  ]),
  ...linesOf('listUsers', [
    { scenario: 'first page', request: {}, costs: [12, 3, 23.5, 0] },
    { scenario: 'first page of 100', request: { query: { page_limit: 100 } }, costs: [12, 3, 62.5, 0] },
    { scenario: 'first page with ACTIONS', request: { query: { embed: 'ACTIONS' } }, costs: [12, 3, 24, 0] },
    {
      scenario: 'a page by cursor',
      before: async () => {
        cursor = (await call('listUsers')).body.pagination.next_cursor
      },
      work: () => call('listUsers', { query: { page_cursor: cursor } }),
      costs: [12, 3, 23, 0],
    },
    { scenario: 'fifth page', request: { query: { page_number: 5 } }, costs: [12, 3, 25, 0] },
    { scenario: 'a page after the last', request: { query: { page_number: 9 } }, costs: [10, 1, 8.5, 0] },
    {
      scenario: 'a page far after the last',
      request: { query: { page_number: Number.MAX_SAFE_INTEGER } },
      costs: [2, 1, 2.5, 0],
    },
    { scenario: 'of one status', request: { query: { status: 'LOCKED' } }, costs: [6, 3, 8, 0] },
    { scenario: 'of one role', request: { query: { role: 'ADMIN' } }, costs: [8, 3, 7, 0] },
    {
      scenario: 'of one role, who are leaving',
      request: { query: { role: 'USER', status: 'PENDING_DELETION' } },
      costs: [3, 1, 3, 0],
    },
    { scenario: 'by e-mail, backwards', request: { query: { sort: 'EMAIL_DESC' } }, costs: [20, 3, 27.5, 0] },
    ...Object.entries(sortedReads).map(([field, reads]) => ({
      scenario: `by ${field.toLowerCase()}`,
      request: { query: { sort: `${field}_ASC` } },
      costs: [12, 3, reads, 0] as const,
    })),
    {
      scenario: 'by department, then location',
      request: { query: { sort: 'DEPARTMENT_ASC,LOCATION_DESC' } },
      costs: [12, 3, 22, 0],
    },
    { scenario: 'search', request: { query: { search_term: 'ann' } }, costs: [6, 3, 6.5, 0] },
    { scenario: 'search, two words', request: { query: { search_term: 'ann mull' } }, costs: [7, 3, 5, 0] },
    { scenario: 'search without a match', request: { query: { search_term: 'qqq' } }, costs: [4, 1, 4.5, 0] },
    { scenario: 'search by id', request: { query: { search_term: 'u-17' } }, costs: [5, 2, 5, 0] },
    {
      scenario: 'search within a status',
      request: { query: { search_term: 'ann', status: 'ACTIVE' } },
      costs: [5, 3, 6, 0],
    },
    {
      scenario: 'search within a role',
      request: { query: { search_term: 'ann', role: 'USER' } },
      costs: [6, 3, 6.5, 0],
    },
    {
      scenario: 'search by last change',
      request: { query: { search_term: 'ann', sort: 'UPDATED_AT_DESC' } },
      costs: [6, 3, 6.5, 0],
    },
    {
      scenario: 'of one attribute value',
      request: { query: { attribute_technical_name: 'department', attribute_value: 'Sales' } },
      costs: [5, 3, 11.5, 0],
    },
    {
      scenario: 'search within an attribute value',
      request: { query: { attribute_technical_name: 'department', attribute_value: 'Sales', search_term: 'a' } },
      costs: [7, 3, 7, 0],
    },
    {
      scenario: 'search that nearly everybody matches, 96 rows allowed',
      work: withSmallBudget({ search_term: 'large.example' }),
      waves: 7,
      costs: [15, 7, 27, 0],
    },
    {
      scenario: 'search for two words that nearly everybody has, 96 rows allowed',
      work: withSmallBudget({ search_term: 'large exam' }),
      waves: 7,
      costs: [16, 7, 26.5, 0],
    },
    {
      scenario: 'of an attribute value that many have, by last change, 96 rows allowed',
      work: withSmallBudget({
        attribute_technical_name: 'department',
        attribute_value: 'Sales',
        sort: 'UPDATED_AT_DESC',
      }),
      waves: 8,
      costs: [15, 8, 15, 0],
    },
    { scenario: 'of one username', request: { query: { username: 'ADMIN-2' } }, costs: [3, 3, 4.5, 0] },
    { scenario: 'of one external id', request: { query: { external_id: 'E-17' } }, costs: [3, 3, 4.5, 0] },
    { scenario: 'of an unknown username', request: { query: { username: 'qqq' } }, costs: [1, 1, 3, 0] },
  ]),
]

const writing: Line[] = [
  ...linesOf('createUser', [
    { scenario: 'typical', request: { body: typical }, status: 201, costs: [2, 2, 6, 47] },
    { scenario: 'the same again', request: { body: typical }, costs: [2, 2, 6, 24] },
    {
      scenario: 'the least',
      request: { body: { ...ordinary, id: 'new-least', first_name: 'A', last_name: 'B', username: 'ab' } },
      status: 201,
      costs: [3, 2, 2.5, 29],
    },
    {
      scenario: 'an administrator',
      request: {
        body: { ...ordinary, id: 'new-admin', first_name: 'A', last_name: 'C', username: 'ac', role: 'ADMIN' },
      },
      status: 201,
      costs: [3, 2, 2.5, 31],
    },
    {
      scenario: 'a username that is taken',
      request: { body: { ...typical, id: 'another' } },
      status: 409,
      costs: [2, 2, 6, 24],
    },
    {
      scenario: 'the most: 50 attributes, 32 words',
      request: { body: { ...ordinary, id: 'worst', ...worst('p'), role: 'ADMIN', primary_user_group_id: 'logistics' } },
      status: 201,
      costs: [2, 2, 53, 257],
    },
  ]),
  ...linesOf('updateUser', [
    { scenario: 'one tag', request: { ...user('u-105'), body: { tags: [{ name: 'new' }] } }, costs: [3, 2, 3.5, 8] },
    { scenario: 'nothing', request: { ...user('u-105'), body: { tags: [{ name: 'new' }] } }, costs: [2, 2, 3.5, 0] },
    {
      scenario: 'an e-mail address',
      request: { ...user('u-105'), body: { email: 'new@new.example' } },
      costs: [3, 2, 3.5, 44],
    },
    {
      scenario: 'a username and external id',
      request: { ...user('u-105'), body: { username: 'u-105-new', external_id: 'u-105-new' } },
      costs: [3, 2, 3.5, 55],
    },
    { scenario: 'a last name', request: { ...user('u-105'), body: { last_name: 'Nový' } }, costs: [4, 2, 4.5, 55] },
    {
      scenario: 'a last name, in 20 groups',
      before: alsoIn('u-106', 19),
      request: { ...user('u-106'), body: { last_name: 'Nový' } },
      costs: [4, 2, 4.5, 165],
    },
    {
      scenario: 'a last name, in 200 groups',
      before: alsoIn('u-107', 199),
      request: { ...user('u-107'), body: { last_name: 'Nový' } },
      waves: 6,
      costs: [17, 6, 26.5, 1247],
    },
    {
      scenario: 'another primary group',
      request: { ...user('u-108'), body: { primary_user_group_id: 'all-users' } },
      costs: [3, 2, 5, 20],
    },
    { scenario: 'the role ADMIN', request: { ...user('u-108'), body: { role: 'ADMIN' } }, costs: [3, 2, 3.5, 28] },
    {
      scenario: 'the most: all of the most, and 7 groups',
      before: alsoIn('worst', 7),
      request: { ...user('worst'), body: { ...worst('q'), role: 'USER', primary_user_group_id: 'sales' } },
      costs: [3, 2, 63, 408],
    },
    {
      scenario: 'the most: attributes go, so that words need separate items',
      request: { ...user('worst'), body: withoutAttributes },
      costs: [3, 2, 13, 400],
    },
    {
      scenario: 'a protected user',
      before: (service) =>
        service.store.write([{ update: { pk: 'USER#u-104', sk: 'USER' }, set: { 'data/protected': true } }]),
      request: { ...user('u-104'), body: { last_name: 'Nový' } },
      status: 403,
      costs: [2, 1, 4, 0],
    },
  ]),
  ...linesOf('lockUser', [
    { scenario: 'an active user', request: user('u-111'), costs: [3, 2, 3.5, 26] },
    { scenario: 'a locked one', request: user('u-111'), costs: [2, 2, 3.5, 0] },
    {
      scenario: 'an administrator',
      request: user('new-admin'),
      costs: [3, 2, 3.5, 28],
    },
  ]),
  ...linesOf('listUsers', [
    { scenario: 'first page within a minute after a user was locked', request: {}, costs: [20, 3, 27.5, 0] },
  ]),
  ...linesOf('unlockUser', [
    {
      scenario: 'with ACTIONS',
      before: () => call('lockUser', user('u-114')),
      request: { ...user('u-114'), query: { embed: 'ACTIONS' } },
      costs: [4, 2, 4, 26],
    },
    { scenario: 'a locked user', request: user('u-111'), costs: [3, 2, 3.5, 26] },
  ]),
  ...linesOf('deactivateUser', [{ scenario: 'an active user', request: user('u-112'), costs: [3, 2, 3.5, 26] }]),
  ...linesOf('reactivateUser', [
    { scenario: 'a deactivated user', request: user('u-112'), costs: [3, 2, 3.5, 26] },
    { scenario: 'an active one', request: user('u-112'), costs: [2, 2, 3.5, 0] },
  ]),
  ...linesOf('deleteUser', [
    { scenario: 'an active user', request: user('u-113'), costs: [3, 2, 3.5, 36] },
    { scenario: 'one pending deletion', request: user('u-113'), costs: [2, 2, 3.5, 0] },
  ]),
  ...linesOf('restoreUser', [
    { scenario: 'a user pending deletion', request: user('u-113'), costs: [3, 2, 4.5, 34] },
    { scenario: 'an unknown user', request: user('nobody'), status: 404, costs: [1, 1, 4, 0] },
  ]),
]

const six = { body: { items: Array.from({ length: 6 }, (_, n) => ({ id: `u-${n + 114}` })) } }

const batches: Line[] = [
  ...linesOf('updateUsers', [
    {
      scenario: '100: one tag each',
      request: hundred((id) => ({ id, body: { tags: [{ name: 'new' }] } })),
      costs: [109, 8, 187, 816],
    },
    {
      scenario: '100: another primary group each',
      request: hundred((id) => ({ id, body: { primary_user_group_id: 'all-users' } })),
      costs: [206, 9, 277, 1816],
    },
    { scenario: '100 unknown users', request: hundred((id) => ({ id: `no-${id}`, body: {} })), costs: [5, 4, 173, 0] },
    { scenario: 'one', request: { body: { items: [{ id: 'u-1', body: { tags: [] } }] } }, costs: [3, 2, 3.5, 6] },
  ]),
  ...linesOf('deleteUsers', [{ scenario: '100', request: hundred((id) => ({ id })), costs: [109, 8, 175, 3570] }]),
  ...linesOf('restoreUsers', [
    {
      scenario: '6, with ACTIONS',
      before: () => call('deleteUsers', six),
      request: { ...six, query: { embed: 'ACTIONS' } },
      costs: [10, 3, 17.5, 200],
    },
    { scenario: '100', request: hundred((id) => ({ id })), costs: [110, 9, 275, 3370] },
  ]),
]

const purge = (service: Service) =>
  purgeUsers({ store: service.store, clock: service.now, timeLeft: () => 60_000, log: () => {} })

const maintenance: Line[] = linesOf('purge', [
  { scenario: 'nothing due', work: purge, costs: [1, 1, 0.5, 0] },
  {
    scenario: 'one typical user',
    before: async (service) => {
      await call('deleteUser', user('new-typical'))
      service.setNow('2026-12-05T09:00:00.000Z')
    },
    work: purge,
    // Two units for the counter of users.
    costs: [12, 11, 3.5, 48],
  },
])

/** What the endpoints of users cost, and their purge. */
export const userLines: readonly Line[] = [...reading, ...writing, ...batches, ...maintenance]
