import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { searchBudget } from '../../domain/people/finding/candidates.ts'
import { type Any, call } from '../harness/call.ts'
import { people } from '../harness/seed.ts'
import { startService } from '../harness/service.ts'

// Searches that match more than their budget allows to find.

/** All have an e-mail address at the same host; every second is called Ann, and works in Sales. */
const crowd = Array.from({ length: 120 }, (_, n) => ({
  id: `u-${n}`,
  username: `user.${n}`,
  first_name: n % 2 === 0 ? 'Ann' : 'Bo',
  last_name: `Last ${String((n * 37) % 120).padStart(3, '0')}`,
  email: `user.${n}@large.example`,
  attributes: [{ name: 'department', value: n % 2 === 0 ? 'Sales' : 'Care' }],
}))
const anns = crowd.filter((_, n) => n % 2 === 0)
const usual = { ...searchBudget }
beforeAll(() => startService({ users: [...people, ...crowd] }))
afterEach(() => Object.assign(searchBudget, usual))

const inOrder = (some: typeof crowd) =>
  some.toSorted((a, b) => (a.last_name < b.last_name ? -1 : 1)).map(({ id }) => id)
const idsIn = ({ users, assignments }: Any): string[] =>
  users?.map(({ id }: Any) => id) ?? assignments.map(({ id }: Any) => id.user_id)

const budget = { counted: 9, readable: 6 }

describe.each([
  ['listUsers', {}, { search_term: 'large.example' }, crowd, { ...budget, rows: 59 }, 6],
  ['listUsers', {}, { search_term: 'ann', status: 'ACTIVE' }, anns, { ...budget, rows: 59 }, 6],
  // The records of six members are read: two administrators come first in order.
  ['listGroupAssignments', { group_id: 'all-users' }, { search_term: 'last' }, crowd, { ...budget, rows: 110 }, 4],
])('%s %j %j', (endpoint, path, query, matches, small, readable) => {
  const list = (more: object = {}) => call(endpoint, { path, query: { ...query, page_limit: 4, ...more } })
  const walk = async (page_limit: number) => {
    const pages = [await list({ page_limit })]
    for (let at = pages[0]?.body.pagination.next_cursor; at; at = pages.at(-1)?.body.pagination.next_cursor)
      pages.push(await list({ page_cursor: at, page_limit }))
    return pages.flatMap(({ body }) => idsIn(body))
  }

  it('has all matches within its budget', async () => {
    const { body } = await list()
    expect(body.pagination).toMatchObject({ total_relation: 'EQUAL', total_elements: matches.length })
    expect(await walk(20)).toEqual(inOrder(matches))
  })

  it('has the first ones beyond it, and refuses pages behind them', async () => {
    Object.assign(searchBudget, small)
    const { body } = await list()
    const total_pages = Math.ceil(readable / 4)
    expect(body.pagination).toMatchObject({ total_relation: 'AT_LEAST', total_pages, has_more: total_pages > 1 })
    expect(body.pagination.total_elements).toBeGreaterThanOrEqual(readable)
    expect(await walk(4)).toEqual(inOrder(matches).slice(0, readable))
    const beyond = await list({ page_number: total_pages + 1 })
    expect([beyond.status, beyond.body.error_code, beyond.body.property]).toEqual([
      400,
      'VALIDATION_ERROR',
      'page_number',
    ])
    expect(beyond.body.detail).toMatch(/narrow the search/)
  })
})
