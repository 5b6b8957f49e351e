import type { Any } from '../harness/call.ts'

// The list of users as the contract describes it: it looks at every user, and knows nothing of how the service does it.

export type User = Any
export type Query = {
  search_term?: string
  username?: string
  external_id?: string
  attribute?: { name: string; value: string } | undefined
  status?: readonly string[] | undefined
  role?: readonly string[]
  sort?: readonly string[]
}

const letters: Record<string, string> = { ß: 'ss', ø: 'o', ł: 'l', æ: 'ae', đ: 'd', þ: 'th', ı: 'i', ς: 'σ' }

/** Text without case and accents. */
export const plain = (text: string): string =>
  [...text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()]
    .map((letter) => letters[letter] ?? letter)
    .join('')
    .normalize('NFC')

export const attributeOf = (user: User, name: string): string | undefined =>
  user.attributes.find((attribute: Any) => attribute.name === name)?.value

/** A field's words: separated by white space, and their parts between punctuation, and an e-mail's host. */
export function words(field: string): string[] {
  const whole = plain(field).split(/\s+/u)
  const hosts = whole.filter((word) => word.includes('@')).map((word) => word.slice(word.lastIndexOf('@') + 1))
  return [...whole, ...hosts, ...whole.flatMap((word) => word.split(/[\p{P}\p{S}]/u))].filter((word) => word !== '')
}

function isFound(user: User, term: string): boolean {
  const fields = [user.first_name, user.last_name, user.username, user.email]
  const all = [...fields, attributeOf(user, 'department'), attributeOf(user, 'location')].flatMap((one) =>
    words(one ?? ''),
  )
  const wanted = plain(term)
    .split(/\s+/u)
    .filter((word) => word !== '')
  return user.id === term.trim() || wanted.every((word) => all.some((other) => other.startsWith(word)))
}

const passes = (user: User, { search_term, username, external_id, attribute, status, role }: Query): boolean =>
  (!search_term || isFound(user, search_term)) &&
  (!username || user.username.toLowerCase() === username.toLowerCase()) &&
  (!external_id || user.external_id === external_id) &&
  (!attribute || attributeOf(user, attribute.name) === attribute.value) &&
  (!status?.length || status.includes(user.status)) &&
  (!role?.length || role.includes(user.role))

/** A text without a visible character counts as no value. */
const visible = (text: string | undefined): string | undefined =>
  text && /[^\s\u200b\u2060]/u.test(text) ? text : undefined

/** What `LAST_NAME_ASC` sorts a user by; undefined if the user has no such value. */
export function sortValue(user: User, sort: string): string | undefined {
  const field = sort.replace(/_(ASC|DESC)$/, '').toLowerCase()
  if (field === 'department' || field === 'location') return visible(attributeOf(user, field))
  return user[field] ?? undefined
}

/** Values as they are sorted by. The model of a large directory asks for the same ones again and again. */
const sortKeys = new Map<string, Buffer>()
function sortKey(value: string): Buffer {
  const key = sortKeys.get(value) ?? Buffer.from(plain(value))
  sortKeys.set(value, key)
  return key
}

/** The users whom the query finds, in its order. Users without a value come last in either direction. */
export function listed(users: readonly User[], query: Query): User[] {
  const { sort = ['LAST_NAME_ASC'] } = query
  const last = sort.at(-1) ?? ''
  const sorts = last.startsWith('LAST_NAME') ? [...sort, last.replace('LAST', 'FIRST')] : sort
  const rows = users
    .filter((user) => passes(user, query))
    .map((user) => {
      const values = sorts.map((one) => sortValue(user, one)).map((value) => value && sortKey(value))
      return { user, values, id: Buffer.from(user.id) }
    })
  rows.sort((a, b) => {
    for (const [n, one] of sorts.entries()) {
      const [x, y] = [a.values[n], b.values[n]]
      if (!x || !y) {
        if (x !== y) return x ? -1 : 1
        continue
      }
      const order = Buffer.compare(x, y)
      if (order !== 0) return one.endsWith('DESC') ? -order : order
    }
    return Buffer.compare(a.id, b.id) * (last.endsWith('DESC') ? -1 : 1)
  })
  return rows.map(({ user }) => user)
}
