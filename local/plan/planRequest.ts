import { basename } from 'node:path'
import type { ParseArgsConfig } from 'node:util'
import { filtersIn } from '../shared/filterOptions.ts'

/** The options that say what to do with a file: those of the API under their own names. */
export const fileOptions = {
  title: { type: 'string' },
  format: { type: 'string' },
  'match-by': { type: 'string' },
  full: { type: 'boolean' },
  column: { type: 'string', multiple: true },
  empty: { type: 'string' },
  pending: { type: 'string' },
  unlock: { type: 'boolean' },
  absent: { type: 'string' },
  'absent-among': { type: 'string', multiple: true },
  'include-administrators': { type: 'boolean' },
  rows: { type: 'string' },
  limits: { type: 'string' },
  'on-fault': { type: 'string' },
} as const satisfies ParseArgsConfig['options']

type Given = { [O in keyof typeof fileOptions]?: string | string[] | boolean | undefined }
type Options = Given & {
  title?: string | undefined
  format?: string | undefined
  column?: string[] | undefined
  'absent-among'?: string[] | undefined
  limits?: string | undefined
  rows?: string | undefined
}

/** The body that makes a plan of a file, with what was given alone. Throws one line about an option that cannot be read. */
export function fileRequest(file: string, options: Options): Record<string, unknown> {
  const among = options['absent-among']
  const body = {
    kind: 'FILE',
    title: options.title ?? basename(file),
    format: options.format ?? (file.endsWith('.jsonl') ? 'JSONL' : 'CSV'),
    match_by: options['match-by'],
    mode: options.full ? 'FULL' : undefined,
    columns: options.column && Object.fromEntries(options.column.map(columnIn)),
    empty: options.empty,
    pending: options.pending,
    unlock: options.unlock,
    absent: options.absent,
    absent_among: among && amongIn(among),
    include_administrators: options['include-administrators'],
    limits: options.limits === undefined ? undefined : limitsIn(options.limits),
    on_fault: options['on-fault'],
  }
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined))
}

/**
 * How many rows the file must have. It is asked for where people may be absent: a count of our own would be right for half a
 * file, too.
 */
export function rowsIn({ rows, absent = 'KEEP' }: Options): number | undefined {
  if (rows !== undefined) return numberIn('--rows', rows)
  if (absent === 'KEEP') return undefined
  throw new Error('--absent needs --rows N: how many people are in the file, as the system that wrote it says.')
}

const selection = {
  several: ['status', 'role'],
  one: ['search_term', 'tag', 'user_group_id', 'role_id'],
}

const amongIn = (texts: readonly string[]): object =>
  texts.length === 1 && texts[0] === 'all' ? { all: true } : filtersIn('--absent-among', texts, selection)

/** `Header=field`; nothing after the last `=` leaves the column out. */
function columnIn(text: string): [header: string, field: string | null] {
  const place = text.lastIndexOf('=')
  if (place < 1) throw new Error(`--column ${text}: give HEADER=FIELD, or HEADER= to leave the column out.`)
  return [text.slice(0, place), text.slice(place + 1).trim() || null]
}

const limitsIn = (text: string): Record<string, number> =>
  Object.fromEntries(
    text.split(',').map((part) => {
      const [name = '', value] = part.split('=')
      return [name.trim(), numberIn(`--limits ${name}`, value ?? '')]
    }),
  )

function numberIn(option: string, text: string): number {
  if (/^\d+(\.\d+)?$/.test(text.trim())) return Number(text)
  throw new Error(`${option} must be a number, not ${JSON.stringify(text)}.`)
}
