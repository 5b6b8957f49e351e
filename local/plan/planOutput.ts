import type { components } from '../../client/src/index.ts'

export type Plan = components['schemas']['Plan']
export type Change = components['schemas']['PlanChange']
export type Fault = components['schemas']['PlanFault']

const invisible = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g
const mostCharacters = 60

/** A text of somebody else in one line of a terminal: what could move the cursor, or turn the line round, is shown as a code. */
const printable = (text: string): string =>
  text.replace(invisible, (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`)

function valueText(value: unknown): string {
  if (value === null || value === undefined) return '–'
  const text = printable(typeof value === 'string' ? value : JSON.stringify(value))
  return text.length > mostCharacters ? `${text.slice(0, mostCharacters)}…` : text
}

/** What a plan is and counts. */
export const planLines = (plan: Plan): string[] => [
  `Plan ${plan.id}${plan.title === null ? '' : ` (${printable(plan.title)})`} is ${plan.state}${until(plan)}.`,
  ...(plan.fault ? [`${plan.fault.code}: ${printable(plan.fault.detail)}`] : []),
  ...table(Object.entries(plan.counts).filter(([name, count]) => count > 0 || name === 'planned')),
  ...under(
    'Columns that name nothing, and are left out:',
    plan.ignored_columns.map((name) => `  ${printable(name)}`),
  ),
]

const until = ({ state, expires_at }: Plan): string =>
  state === 'READY' && expires_at ? ` until ${expires_at.slice(0, 16).replace('T', ' ')} UTC` : ''

const table = (counts: [name: string, count: number][]): string[] =>
  counts.map(([name, count]) => `  ${name.padEnd(12)} ${String(count).padStart(7)}`)

/** A title, and lines below it; nothing if there are none. */
export const under = (title: string, lines: readonly string[]): string[] =>
  lines.length === 0 ? [] : ['', title, ...lines]

/** A change in a line: who, and each value before and after. Of a file, who is in no row is absent. */
export function changeLine({ row, user, action, fields, error }: Change, kind: Plan['kind']): string {
  const values = fields.map(({ field, before, after }) =>
    action === 'CREATE' ? `${field}: ${valueText(after)}` : `${field}: ${valueText(before)} -> ${valueText(after)}`,
  )
  const who = user ? [printable(`${user.first_name} ${user.last_name} (${user.id})`)] : []
  const why = error ? [`${error.code}: ${printable(error.detail)}`] : []
  const what = [...who, values.join(', '), ...why].filter((part) => part !== '').join('  ')
  const where = row === null && kind === 'FILE' ? 'absent'.padEnd(PLACE) : rowText(row)
  return `  ${where}${action.padEnd(11)} ${what}`
}

/** A fault in a line: where it is, and what to do about it. */
export const faultLine = ({ row, column, code, detail }: Fault): string =>
  `  ${rowText(row)}${column === null ? '' : `${printable(column)}: `}${printable(detail)} (${code})`

/** The width of what says where in the file something is. */
const PLACE = 10

const rowText = (row: number | null): string => (row === null ? '' : `row ${row} `.padEnd(PLACE))
