import { expect, test } from 'vitest'
import { alarmsOf } from '../../local/build/alarms.ts'
import { charts } from '../../local/build/metricCharts.ts'
import { markdownTable } from '../harness/markdownTable.ts'
import { groupLines } from './groupLines.ts'
import { taskLines } from './taskLines.ts'
import { userLines } from './userLines.ts'

// Writes docs/costs.md: what a month costs, by the units of the ledger, the use and the prices below. `npx vitest run -u` with
// this file writes it again.

/** Calls of a user in a month, or of an administrator for them. `per`: the line of the ledger is for so many at once. */
const use: readonly (readonly [endpoint: string, scenario: string, calls: number, why: string, per?: number])[] = [
  ['listOwnTaskAssignments', 'all', 40, 'twice a working day'],
  ['getOwnTaskSummary', 'given by others', 40, 'together with the list'],
  ['getUser', 'a user', 20, 'once a working day'],
  ['getTask', 'new to its reader', 4, 'a task a week'],
  ['getTask', 'read before', 4, 'and a second read'],
  ['finishTaskAssignment', 'open', 4, 'each is finished'],
  ['createTask', 'for 100 users', 4, 'each task is for 100 users', 100],
  ['listUsers', 'first page', 0.5, ''],
  ['listUsers', 'search', 1, ''],
  ['updateUser', 'one tag', 1, ''],
  ['createGroupAssignment', 'a user', 0.2, ''],
  ['createUser', 'typical', 0.02, 'a fifth of the users is new every year'],
  ['deleteUser', 'an active user', 0.02, 'as many leave'],
  ['purge', 'one typical user', 0.02, 'and are removed for good'],
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
  secret: 0.4,
}
/** Of a call: gigabytes times seconds, and kilobytes of log, the gateway's and Lambda's own included. */
const [GIGABYTE_SECONDS, KILOBYTES_LOGGED] = [0.03, 2]
/** Of a user with a year of tasks, in the table and its indexes: 140 are events of 400 days. */
const KILOBYTES_STORED = 200
/** Codes that callers get: each is a metric. */
const ERROR_CODES = 10
/** The schedules of purge and importFile, each of which runs every minute. */
const SCHEDULES = 2 * 0.06
/** The key of the callers' hashes in the log. */
const SECRETS = 1

const ledger = [...userLines, ...taskLines, ...groupLines]
const costsOf = (endpoint: string, scenario: string) => {
  const line = ledger.find((one) => one.endpoint === endpoint && one.scenario === scenario)
  expect(line, `${endpoint}: ${scenario}`).toBeDefined()
  return line?.costs ?? [0, 0, 0, 0]
}

function month(users: number) {
  const sum = (of: (line: (typeof use)[number]) => number) => users * use.reduce((total, line) => total + of(line), 0)
  const units = (index: 2 | 3) =>
    sum(([endpoint, scenario, count, , per = 1]) => (count * costsOf(endpoint, scenario)[index]) / per) / 1e6
  const calls = sum(([, , count, , per = 1]) => count / per) / 1e6
  const stored = (users * KILOBYTES_STORED) / 1e6
  const [reads, writes] = [units(2), units(3)]
  const own = charts.flatMap(({ lines }) => lines.flatMap(({ metric, each }) => (each ? [] : [metric])))
  const metrics = new Set(own).size + ERROR_CODES
  const rung = Object.values(alarmsOf('prod', 1000)).reduce(
    (total, { metrics: one }) => total + Object.keys(one).length,
    0,
  )
  const dollars = {
    database: reads * prices.millionReads + writes * prices.millionWrites,
    'storage and backups': stored * (prices.gigabyteStored + prices.gigabyteBackedUp),
    functions: calls * (prices.millionInvocations + 1e6 * GIGABYTE_SECONDS * prices.gigabyteSecond),
    gateway: calls * prices.millionGatewayCalls,
    logs: calls * KILOBYTES_LOGGED * prices.gigabyteLogged,
    'metrics, alarms, schedules, a secret':
      metrics * prices.metric + rung * prices.alarm + SCHEDULES + SECRETS * prices.secret,
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

/** `millionReads` as words. */
const spaced = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)

function page(): string {
  const sizes = [1_000, 50_000, 1_000_000]
  const months = sizes.map(month)
  const rows = (['millions', 'dollars', 'once'] as const).flatMap((part) =>
    Object.keys(months[0]?.[part] ?? {}).map((name) => [
      name,
      ...months.map((one) => rounded((one[part] as Record<string, number>)[name] ?? 0)),
    ]),
  )
  const calls = use.map(([endpoint, scenario, count, why, per]) => [
    `\`${endpoint}\``,
    scenario,
    per ? `${count} ÷ ${per}` : count,
    why,
  ])
  return `# Costs

Dollars a month on AWS. The test \`test/ledger/costs.unit.test.ts\` generates this page: change its usage and prices for your
case, and run it with \`-u\`.

${markdownTable(['users', ...sizes.map((size) => size.toLocaleString('en-GB'))], ...rows)}

## Assumed usage

What a user does in a month, or an administrator for them. A call takes ${GIGABYTE_SECONDS * 1000} ms of a function of 1 GB and writes
${KILOBYTES_LOGGED} kB of log. A user with the tasks of a year takes ${KILOBYTES_STORED} kB of the table and its indexes; most of it is events.

${markdownTable(['call', 'case', 'times', 'why'], ...calls)}

Among a million users, a search that nearly everybody matches costs more than here: up to 2,000 read units.

## Assumed prices

List prices of eu-central-1 in 2025, without free tiers. Compare them with AWS's before you rely on them. Data
transfer, AWS's support and the identity provider are not included.

${markdownTable(['for each', 'dollars'], ...Object.entries(prices).map(([name, price]) => [spaced(name), price]))}
`
}

test('docs/costs.md says what a month costs', async () => {
  await expect(page()).toMatchFileSnapshot('../../docs/costs.md')
})
