import type { components, paths } from './api.ts'
import type { Client } from './client.ts'
import { RollcallError } from './errors.ts'

const USERS = '/api/admin/users/v4/users'
const DEFINITIONS = '/api/admin/users/v4/user-attribute-definitions'

type User = components['schemas']['User']
type Query = NonNullable<paths[typeof USERS]['get']['parameters']['query']>
type Cell = string | string[] | null

/** The filters of the list of users. */
export type UserFilter = Omit<Query, 'page_cursor' | 'page_number' | 'page_limit' | 'sort' | 'embed'>

export type ExportOptions = {
  /** CSV for spreadsheets, or JSONL: an object a line, for programs. CSV if left out. */
  format?: 'CSV' | 'JSONL'
  /** Which users. Without a `status` in it, those who are not pending deletion. */
  filter?: UserFilter
  /** Gets after each page how many users are written, and how many there were at the beginning. */
  onProgress?: (progress: { done: number; total: number }) => void
  /** Ends the export with its calls. */
  signal?: AbortSignal
}

/**
 * Writes users as a file, in pieces of text: everybody who is not pending deletion, or those of a filter, the oldest first. The
 * columns are those that a plan reads from a file, and one for each attribute definition. Throws a `RollcallError`, also
 * if more users match a search than can be read.
 */
export async function* exportUsers(client: Client, options: ExportOptions = {}): AsyncGenerator<string, void> {
  const { format = 'CSV', filter = {}, onProgress, signal } = options
  const init = signal ? { signal } : {}
  const { data } = await client.GET(DEFINITIONS, init)
  const attributes = data.attribute_definitions.map(({ definition }) => `attribute:${definition.technical_name}`)
  const columns = [...fields, ...attributes.toSorted()]
  const { head, line } = forms[format]
  yield head(columns)
  const status = filter.status?.length ? filter.status : notLeaving
  // A user's place in this order never changes: nobody is missed or written twice while others make changes.
  const query: Query = { ...filter, status, sort: ['CREATED_AT_ASC'], page_limit: 100 }
  let [done, total] = [0, 0]
  for await (const { users, pagination } of client.pages(USERS, { ...init, params: { query } })) {
    requireAllMatches(pagination)
    yield users.map((user) => line(columns, cellsOf(user))).join('')
    done += users.length
    total = Math.max(total, done, pagination.total_elements ?? 0)
    onProgress?.({ done, total })
  }
}

const notLeaving: User['status'][] = ['ACTIVE', 'LOCKED', 'DEACTIVATED']

const fields = [
  'external_id',
  'id',
  'username',
  'first_name',
  'last_name',
  'email',
  'role',
  'status',
  'primary_user_group',
  'preferred_language',
  'tags',
] as const

type Field = (typeof fields)[number]

const cellsOf = ({ attributes, tags, primary_user_group, ...user }: User): Record<string, Cell> => {
  const own: Pick<User, Exclude<Field, 'tags' | 'primary_user_group'>> = user
  return {
    ...(own as Record<keyof typeof own, Cell>),
    primary_user_group: primary_user_group?.id ?? null,
    tags: tags.map(({ name }) => name),
    ...Object.fromEntries(attributes.map(({ name, value }) => [`attribute:${name}`, value])),
  }
}

/** Of a search with very many matches only some can be read: a file must not look as if it had all of them. */
function requireAllMatches({ total_relation, total_elements }: { total_relation?: string; total_elements?: number }) {
  if (total_relation !== 'AT_LEAST') return
  const detail = `${total_elements} users or more match, which is too many to read. Narrow the filter, or export everybody`
  throw new RollcallError(detail, { detail, done: false })
}

type Columns = readonly string[]
type Form = { head: (columns: Columns) => string; line: (columns: Columns, cells: Record<string, Cell>) => string }

const forms: Record<'CSV' | 'JSONL', Form> = {
  CSV: {
    // Without a byte order mark spreadsheets take the text for one in an old encoding.
    head: (columns) => `\uFEFF${csvLine(columns)}`,
    line: (columns, cells) => csvLine(columns.map((name) => guarded(textOf(cells[name] ?? null)))),
  },
  JSONL: {
    head: () => '',
    line: (columns, cells) =>
      `${JSON.stringify(Object.fromEntries(columns.map((name) => [name, cells[name] ?? null])))}\n`,
  },
}

/** A line as RFC 4180 has it. */
const csvLine = (cells: Columns): string => `${cells.map(quoted).join(',')}\r\n`

const quoted = (cell: string): string => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)

const textOf = (cell: Cell): string => (Array.isArray(cell) ? joined(cell) : (cell ?? ''))

/** Tags with `|` between them. A backslash makes a `|` a character; those directly before any `|` are doubled. */
const joined = (tags: readonly string[]): string =>
  tags
    .map((tag) => tag.replaceAll(/(\\*)\|/g, '$1$1\\|'))
    .map((tag, n) => (n < tags.length - 1 ? tag.replace(/\\+$/, '$&$&') : tag))
    .join('|')

/** Spreadsheets run what looks like a formula, and take the first apostrophe off. One more in front of it stops both. */
const guarded = (text: string): string => (/^[=+\-@'\t\r]/.test(text) ? `'${text}` : text)
