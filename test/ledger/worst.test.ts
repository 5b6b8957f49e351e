import { beforeAll, describe, expect, it } from 'vitest'
import { countAttribute, userCounts } from '../../domain/people/records/userCounters.ts'
import { pageBudget } from '../../domain/request/pageBudget.ts'
import { answerWithGeneratedRows, numberedPeople } from '../../local/bench/generatedRows.ts'
import { call } from '../harness/call.ts'
import { testClient } from '../harness/client.ts'
import { keepLedger } from '../harness/ledger.ts'
import { startService } from '../harness/service.ts'

// What the dearest lists and searches of users cost among a hundred thousand, in pages as AWS makes them. The people are made
// up when they are read. Numbers are exact: who changes one has to say so here.

const PEOPLE = 100_000
const MOST_UNITS = 2_000
/** Half of all rows take 1,200 units. Where a second field orders a run, its rows are read once more. */
const MOST_OF_A_PAGE = 2_400
const MOST_BEHIND_REMEMBERED = 75

let ledger: Awaited<ReturnType<typeof keepLedger>>
beforeAll(async () => {
  const service = await startService({ indexes: 'all' })
  await service.store.write([userCounts.add(0, { [countAttribute('ACTIVE', 'USER')]: PEOPLE })])
  ledger = await keepLedger(service.client, testClient())
  await answerWithGeneratedRows(service.client, numberedPeople(PEOPLE))
  // The key of cursors is read once a minute: not by what is counted here.
  await call('listUsers')
})

type Costs = readonly [calls: number, waves: number, reads: number]
const pages: [what: string, query: Record<string, string | number>, costs: Costs][] = [
  ['the page in the middle', { page_number: 2000 }, [21, 13, 1183]],
  ['the page in the middle, by e-mail, backwards', { page_number: 2000, sort: 'EMAIL_DESC' }, [28, 14, 1211]],
  ['the page at three quarters', { page_number: 3000 }, [17, 9, 602]],
  ['the last page', { page_number: 4000 }, [12, 4, 20]],
  ['the page in the middle of a run', { page_number: 2000, sort: 'DEPARTMENT_ASC,USERNAME_DESC' }, [37, 22, 2278.5]],
]
const searches: [what: string, query: Record<string, string>, costs: Costs][] = [
  ['for one letter', { search_term: 'a' }, [21, 11, 699]],
  ['for what everybody has', { search_term: 'large.example' }, [22, 12, 634.5]],
  ['for what everybody has, by e-mail', { search_term: 'large.example', sort: 'EMAIL_DESC' }, [29, 13, 639]],
  ['for two dense words', { search_term: 'anna lindberg' }, [25, 10, 924]],
  [
    'for two of them, by two fields',
    { search_term: 'anna lindberg', sort: 'STATUS_ASC,UPDATED_AT_DESC' },
    [19, 10, 920],
  ],
  ['for a dense word among the locked', { search_term: 'anna', status: 'LOCKED' }, [12, 9, 659.5]],
  ['for a tenth, far down the order', { search_term: 'anna009' }, [9, 6, 199]],
  ['for a department', { attribute_technical_name: 'department', attribute_value: 'Logistics' }, [38, 12, 1539.5]],
]

/** Pages of a hundred whose number is one more than that of a page which the instance has just read. */
const remembered: [what: string, query: Record<string, string | number>, costs: Costs][] = [
  ['in the middle', { page_number: 501 }, [13, 4, 59.5]],
  ['in the middle, by e-mail, backwards', { page_number: 501, sort: 'EMAIL_DESC' }, [20, 5, 63]],
]

const cost = async (query: Record<string, string | number>, status = 200): Promise<Costs> => {
  const { answer, entry } = await ledger.of(() => call('listUsers', { query }))
  expect(answer.status, JSON.stringify(answer.body)).toBe(status)
  return [entry.calls, entry.waves, entry.reads]
}

describe('at the most, a list costs', () => {
  it.each(pages)('%s', async (_what, query, costs) => {
    expect(await cost(query)).toEqual(costs)
    expect(costs[2]).toBeLessThanOrEqual(MOST_OF_A_PAGE)
  })
})

describe('a page of 100 behind one that the instance remembers costs', () => {
  it.each(remembered)('%s', async (_what, { page_number, ...others }, costs) => {
    const query = { page_limit: 100, ...others }
    await call('listUsers', { query: { ...query, page_number: Number(page_number) - 1 } })
    expect(await cost({ ...query, page_number: page_number ?? 0 })).toEqual(costs)
    expect(costs[2]).toBeLessThanOrEqual(MOST_BEHIND_REMEMBERED)
  })
})

describe('a page by number that would take more than its budget costs', () => {
  it('next to nothing: the first rows say how large the others are', async () => {
    const usual = { ...pageBudget }
    Object.assign(pageBudget, { units: 1_000 })
    const refused = await cost({ page_number: 2000 }, 400).finally(() => Object.assign(pageBudget, usual))
    expect(refused).toEqual([10, 2, 52.5])
  })
})

describe('at the most, a search costs', () => {
  it.each(searches)('%s', async (_what, query, costs) => {
    expect(await cost(query)).toEqual(costs)
    expect(costs[2]).toBeLessThanOrEqual(MOST_UNITS)
  })
})
