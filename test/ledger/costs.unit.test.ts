import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { alarmsOf } from '../../local/build/alarms.ts'
import { charts } from '../../local/build/charts.ts'
import { groupLines } from './groupLines.ts'
import { taskLines } from './taskLines.ts'
import { userLines } from './userLines.ts'

// What a month costs: the units of the ledger, times a use and prices that docs/operate.md states as assumptions.

/** Calls of a user in a month. `per`: the line of the ledger is for so many at once. */
const use: readonly (readonly [endpoint: string, scenario: string, calls: number, per?: number])[] = [
  ['listOwnTaskAssignments', 'all', 40],
  ['getOwnTaskSummary', 'given by others', 40],
  ['getUser', 'a user', 20],
  ['getTask', 'new to its reader', 4],
  ['getTask', 'read before', 4],
  ['finishTaskAssignment', 'open', 4],
  ['createTask', 'for 100 users', 4, 100],
  ['listUsers', 'first page', 0.5],
  ['listUsers', 'search', 1],
  ['updateUser', 'one tag', 1],
  ['createGroupAssignment', 'a user', 0.2],
  ['createUser', 'typical', 0.02],
  ['deleteUser', 'an active user', 0.02],
  ['purge', 'one typical user', 0.02],
]
/** Dollars in eu-central-1, list prices of 2025, without free tiers. */
const prices = {
  millionReads: 0.1525,
  millionWrites: 0.7625,
  gigabyteStored: 0.306,
  gigabyteBackedUp: 0.2448,
  millionInvocations: 0.2,
  gigabyteSecond: 0.0000133334,
  millionGatewayCalls: 1.2,
  gigabyteLogged: 0.63,
  metric: 0.3,
  alarm: 0.1,
}
/** Of a call: gigabytes times seconds, and kilobytes of log, the gateway's and Lambda's own included. */
const [GIGABYTE_SECONDS, KILOBYTES_LOGGED] = [0.03, 2]
/** Of a user with a year of tasks, in the table and its indexes: 140 are events of 400 days. */
const KILOBYTES_STORED = 200
/** Codes that callers get: each is a metric. */
const ERROR_CODES = 10
/** The schedules of purge and importFile, of which docs/operate.md says what one costs. */
const SCHEDULES = 2 * 0.06

const ledger = [...userLines, ...taskLines, ...groupLines]
const costsOf = (endpoint: string, scenario: string) => {
  const line = ledger.find((one) => one.endpoint === endpoint && one.scenario === scenario)
  expect(line, `${endpoint}: ${scenario}`).toBeDefined()
  return line?.costs ?? [0, 0, 0, 0]
}

function month(users: number) {
  const sum = (of: (line: (typeof use)[number]) => number) => users * use.reduce((total, line) => total + of(line), 0)
  const units = (index: 2 | 3) =>
    sum(([endpoint, scenario, count, per = 1]) => (count * costsOf(endpoint, scenario)[index]) / per) / 1e6
  const calls = sum(([, , count, per = 1]) => count / per) / 1e6
  const stored = (users * KILOBYTES_STORED) / 1e6
  const [reads, writes] = [units(2), units(3)]
  const own = charts.flatMap(({ lines }) => lines.flatMap(({ metric, each }) => (each ? [] : [metric])))
  const metrics = new Set(own).size + ERROR_CODES
  const rung = Object.values(alarmsOf('prod')).reduce((total, { summed }) => total + (summed?.values.length ?? 1), 0)
  const dollars = {
    database: reads * prices.millionReads + writes * prices.millionWrites,
    'storage and backups': stored * (prices.gigabyteStored + prices.gigabyteBackedUp),
    functions: calls * (prices.millionInvocations + 1e6 * GIGABYTE_SECONDS * prices.gigabyteSecond),
    gateway: calls * prices.millionGatewayCalls,
    logs: calls * KILOBYTES_LOGGED * prices.gigabyteLogged,
    'metrics, alarms, schedules': metrics * prices.metric + rung * prices.alarm + SCHEDULES,
  }
  const [, , , ofCreation] = costsOf('createUser', 'typical')
  return {
    millions: { 'calls (million)': calls, 'read units (million)': reads, 'write units (million)': writes },
    dollars: { ...dollars, '**a month**': Object.values(dollars).reduce((total, one) => total + one, 0) },
    once: { 'the first import, once': (users * ofCreation * prices.millionWrites) / 1e6 },
  }
}

const rounded = (value: number): string => {
  const digits = value < 10 ? 2 : 0
  return value.toLocaleString('en-GB', { minimumFractionDigits: digits, maximumFractionDigits: digits })
}

test('the runbook says what a month costs', () => {
  const months = [1_000, 50_000, 1_000_000].map(month)
  const [smallest] = months
  const rows = (['millions', 'dollars', 'once'] as const).flatMap((part) =>
    Object.keys(smallest?.[part] ?? {}).map((name) => {
      const cells = months.map((one) => rounded((one[part] as Record<string, number>)[name] ?? 0))
      return `| ${[name, ...cells].join(' | ')} |`
    }),
  )
  const runbook = readFileSync('docs/operate.md', 'utf8').replaceAll(/ +/g, ' ').split('\n')
  expect(rows.filter((row) => !runbook.includes(row))).toEqual([])
  for (const [endpoint, , calls, per] of use)
    expect(
      runbook.some((row) => row.startsWith(`| \`${endpoint}\``) && row.includes(` ${calls}${per ? ` ÷ ${per}` : ''} `)),
    ).toBe(true)
})
