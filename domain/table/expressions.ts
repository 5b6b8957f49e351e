/**
 * Conditions and changes are written in DynamoDB's expression language here only. Everywhere else they are plain values; here
 * they become text with placeholders, so that no attribute name clashes with one of DynamoDB's 573 reserved words.
 */

/** What must be true of an item for an action on it to go ahead. Made by the functions below. */
export type Condition = (names: Placeholders) => string

/** What an update does to an item: attributes to set, numbers to add (or members, to a set), attributes to remove. */
export type Update = {
  set?: Readonly<Record<string, unknown>>
  /** Set only where the item lacks the attribute. */
  setOnce?: Readonly<Record<string, unknown>>
  add?: Readonly<Record<string, unknown>>
  clear?: readonly string[]
}

/** Nothing is stored at the key. */
export const absent: Condition = ({ name }) => `attribute_not_exists(${name('pk')})`
/** Something is stored at the key. */
export const exists: Condition = ({ name }) => `attribute_exists(${name('pk')})`
/** The item has the attribute. Slashes lead into a record: `data/version`. */
export const has =
  (path: string): Condition =>
  ({ name }) =>
    `attribute_exists(${name(path)})`
/** The item lacks the attribute, or nothing is stored. */
export const lacks =
  (path: string): Condition =>
  ({ name }) =>
    `attribute_not_exists(${name(path)})`
/** Each of these attributes has this value; undefined means that the item lacks it. */
export const is = (values: Readonly<Record<string, unknown>>): Condition =>
  every(
    ...Object.entries(values).map(([path, value]) => (value === undefined ? lacks(path) : compare(path, '=', value))),
  )
/** The attribute is at least this. */
export const atLeast = (path: string, value: unknown): Condition => compare(path, '>=', value)
/** The attribute is this or less: for times, this or earlier. */
export const atMost = (path: string, value: unknown): Condition => compare(path, '<=', value)
/** The attribute is a later moment than this. */
export const later = (path: string, moment: string): Condition => compare(path, '>', moment)
/** Every one of these holds; without any, nothing is expected. */
export const every =
  (...conditions: readonly Condition[]): Condition =>
  (names) =>
    joined(conditions, names, ' AND ')
/** At least one of these holds. */
export const either =
  (...conditions: readonly Condition[]): Condition =>
  (names) =>
    joined(conditions, names, ' OR ')

function joined(conditions: readonly Condition[], names: Placeholders, word: ' AND ' | ' OR '): string {
  const texts = conditions.map((condition) => condition(names)).filter((text) => text !== '')
  const all = [...new Set(texts)]
  return all.length > 1 ? all.map((text) => `(${text})`).join(word) : (all[0] ?? '')
}

const compare =
  (path: string, sign: '=' | '>=' | '<=' | '>', value: unknown): Condition =>
  ({ name, value: placed }) =>
    `${name(path)} ${sign} ${placed(value)}`

/** The placeholders for the names and values of one action. */
type Placeholders = { name: (path: string) => string; value: (value: unknown) => string }

type Expressions = {
  ConditionExpression?: string
  UpdateExpression?: string
  ReturnValuesOnConditionCheckFailure?: 'ALL_OLD'
  ExpressionAttributeNames?: Record<string, string>
  ExpressionAttributeValues?: Record<string, unknown>
}

/** Condition and change of one action as DynamoDB takes them. */
export function expressionsOf(condition: Condition | undefined, change: Update | undefined): Expressions {
  const names = new Map<string, string>()
  const values = new Map<string, unknown>()
  const nameOf = (part: string): string => {
    const earlier = names.get(part)
    if (earlier !== undefined) return earlier
    const placed = `#n${names.size}`
    names.set(part, placed)
    return placed
  }
  const placeholders: Placeholders = {
    name: (path) => path.split('/').map(nameOf).join('.'),
    value: (value) => {
      const earlier = typeof value === 'string' && [...values].find(([, one]) => one === value)?.[0]
      if (earlier) return earlier
      const placed = `:v${values.size}`
      values.set(placed, value)
      return placed
    },
  }
  const made: Expressions = {}
  const conditions = condition?.(placeholders)
  if (conditions)
    Object.assign(made, { ConditionExpression: conditions, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' })
  const changes = change && updateOf(change, placeholders)
  if (changes) made.UpdateExpression = changes
  if (names.size > 0)
    made.ExpressionAttributeNames = Object.fromEntries([...names].map(([name, placed]) => [placed, name]))
  if (values.size > 0) made.ExpressionAttributeValues = Object.fromEntries(values)
  return made
}

function updateOf({ set = {}, setOnce = {}, add = {}, clear = [] }: Update, { name, value }: Placeholders): string {
  const sets = [
    ...Object.entries(set).map(([path, it]) => `${name(path)} = ${value(it)}`),
    ...Object.entries(setOnce).map(([path, it]) => `${name(path)} = if_not_exists(${name(path)}, ${value(it)})`),
  ]
  const parts = [
    ['SET', sets],
    ['ADD', Object.entries(add).map(([path, it]) => `${name(path)} ${value(it)}`)],
    ['REMOVE', clear.map(name)],
  ] as const
  return parts
    .filter(([, clauses]) => clauses.length > 0)
    .map(([verb, clauses]) => `${verb} ${clauses.join(', ')}`)
    .join(' ')
}
