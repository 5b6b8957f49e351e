import type { Request } from '../harness/call.ts'
import type { Entry } from '../harness/ledger.ts'
import type { Service } from '../harness/service.ts'

/** Calls, waves, read units, write units. */
export type Costs = readonly [calls: number, waves: number, reads: number, writes: number]

/** One line of the ledger: an endpoint asked for something, and what that costs at the least. */
export type Line = {
  endpoint: string
  scenario: string
  costs: Costs
  /** Done just before, and not counted. */
  before?: (service: Service) => Promise<unknown>
  /** Either a call of the endpoint's handler, or what to do in its place. */
  request?: Request
  work?: (service: Service) => Promise<unknown>
  /** Answered status, if it is not 200. */
  status?: number
  /** How many waves it may take, where that is not given by the kind of endpoint. */
  waves?: number
}

/** All lines of one endpoint; its name is there once. */
export const linesOf = (endpoint: string, lines: readonly Omit<Line, 'endpoint'>[]): Line[] =>
  lines.map((line) => ({ endpoint, ...line }))

/** The ledger as people read it. */
export function printed(rows: readonly { line: Line; entry: Entry }[]): string {
  const head = ['endpoint', 'scenario', 'calls', 'waves', 'read units', 'write units', 'actions']
  const cells = rows.map(({ line, entry }, index) => [
    rows[index - 1]?.line.endpoint === line.endpoint ? '' : line.endpoint,
    line.scenario,
    ...[entry.calls, entry.waves, entry.reads, entry.writes, entry.actions].map(String),
  ])
  const widths = head.map((name, column) => Math.max(name.length, ...cells.map((row) => row[column]?.length ?? 0)))
  const text = (row: readonly string[]): string =>
    row
      .map((cell, column) => (column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join('  ')
  return [text(head), widths.map((width) => '-'.repeat(width)).join('  '), ...cells.map(text)].join('\n')
}

/** Write units that one partition takes in a second. */
export const UNITS_A_SECOND = 1000
/** Read units that it gives besides. */
export const READS_A_SECOND = 3000

/** Partitions that many calls share: counters, lists, words, and what belongs to a group or the like. */
const shared: readonly RegExp[] = [
  /^USERS$/,
  /^by_\w+ USERS#/,
  /^find W#/,
  /^(ROLE|GROUP|CHANNEL|TASK)#|^\w+ (GROUP|CHANNEL|TASK)#/,
]

/** The read or write units of a call in the busiest partition of each kind. */
export const busiest = (partitions: ReadonlyMap<string, number>): number[] =>
  shared.map((kind) => Math.max(0, ...[...partitions].flatMap(([at, units]) => (kind.test(at) ? units : []))))
