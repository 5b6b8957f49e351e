import { momentOf } from '../base/moments.ts'
import { isObject } from '../base/values.ts'
import type { Resource } from './resource.ts'
import { type ResourceSchema, type ScimAttribute, type Target, targetOf } from './schema.ts'
import { ScimError } from './scimError.ts'

// Filters of RFC 7644, section 3.4.2.2, and paths of PATCH, section 3.5.2, which may contain filters.

const comparisons = ['eq', 'ne', 'co', 'sw', 'ew', 'gt', 'ge', 'lt', 'le'] as const
type Comparison = (typeof comparisons)[number]
type Value = string | boolean | null

/** A filter. Names are resolved: `keys` lead to the values in a resource, or within an element of a list. */
export type Filter =
  | { op: 'and' | 'or'; filters: readonly Filter[] }
  | { op: 'not'; filter: Filter }
  | { op: 'pr'; keys: readonly string[]; attribute: ScimAttribute }
  | ({ op: 'ne' } & Compared)
  | ({ op: Exclude<Comparison, 'ne'> } & Compared)
  | { op: 'any'; keys: readonly string[]; filter: Filter }

type Compared = { keys: readonly string[]; attribute: ScimAttribute; value: Value }

/** A path of PATCH: an attribute, the elements of a list that a filter chooses, or a sub-attribute of these. */
export type Path = Target & { filter?: Filter; sub?: ScimAttribute }

const invalidFilter = (detail: string): ScimError => new ScimError('invalidFilter', detail)
const invalidPath = (detail: string): ScimError => new ScimError('invalidPath', detail)

/** Deeper or longer filters are refused: each clause is evaluated for every row that is read. */
const DEEPEST = 20
const MOST_CLAUSES = 100
const MOST_CHARACTERS = 32_768

/** Parses a filter. Throws `invalidFilter`, also for an attribute that the schema does not have. */
export function parseFilter(text: string, schema: ResourceSchema): Filter {
  const reader = newReader(text)
  const filter = reader.filter((name) => targetOf(name, schema))
  if (!reader.isAtEnd()) throw invalidFilter(`Unexpected text at character ${reader.at() + 1} of the filter`)
  return filter
}

/** Parses a path of PATCH. Throws `invalidPath`, also for an attribute that the schema does not have. */
export function parsePath(text: string, schema: ResourceSchema): Path {
  const open = text.indexOf('[')
  const plain = open < 0 ? text : text.slice(0, open)
  const target = targetOf(plain.trim(), schema)
  if (!target) throw invalidPath(`"${plain}" names no attribute`)
  if (open < 0) return target
  const { attribute } = target
  if (!attribute?.multiValued || !attribute.sub) throw invalidPath(`${plain} is no list that a filter can choose from`)
  const inside = inElement(attribute.sub)
  const { reader, filter } = asPathFault(() => {
    const reader = newReader(text.slice(open + 1))
    return { reader, filter: reader.filter(inside) }
  })
  const rest = /^\s*\](?:\.([\w$-]+))?\s*$/.exec(reader.rest())
  if (!rest) throw invalidPath('The value filter of the path does not end with ]')
  if (rest[1] === undefined) return { ...target, filter }
  const sub = inside(rest[1])?.attribute
  if (!sub) throw invalidPath(`${attribute.name} has no ${rest[1]}`)
  return { ...target, filter, sub }
}

/** A fault in the filter of a path is a fault of the path. */
function asPathFault<T>(read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw error instanceof ScimError ? invalidPath(error.message) : error
  }
}

type Resolve = (name: string) => Target | undefined

/** Finds sub-attributes by their bare names, which filters in brackets use. */
const inElement =
  (sub: readonly ScimAttribute[]): Resolve =>
  (name) => {
    const attribute = sub.find((one) => one.name.toLowerCase() === name.toLowerCase())
    return attribute && { keys: [attribute.name], attribute }
  }

const name = /[A-Za-z][\w$:.-]*/y
const word = /[A-Za-z]+/y
const quoted = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y
const bare = /[^\s()[\]"]+/y
const space = /\s*/y

function newReader(text: string) {
  if (text.length > MOST_CHARACTERS) throw invalidFilter(`The filter has more than ${MOST_CHARACTERS} characters`)
  let at = 0
  let clauses = 0
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    const found = pattern.exec(text)?.[0]
    if (found !== undefined) at += found.length
    return found
  }
  const skip = () => take(space)
  const takes = (sign: string): boolean => {
    skip()
    if (!text.startsWith(sign, at)) return false
    at += sign.length
    return true
  }
  /** Takes a word if it is this one, in any letter case. */
  const takesWord = (wanted: string): boolean => {
    skip()
    const before = at
    if (take(word)?.toLowerCase() === wanted && !/[\w$:.-]/.test(text.charAt(at))) return true
    at = before
    return false
  }
  const chain = (op: 'and' | 'or', next: () => Filter): Filter => {
    const filters = [next()]
    while (takesWord(op)) filters.push(next())
    return filters.length === 1 ? (filters[0] as Filter) : { op, filters }
  }
  const either = (resolve: Resolve, depth: number): Filter => {
    if (depth > DEEPEST) throw invalidFilter(`The filter has more than ${DEEPEST} levels`)
    return chain('or', () => chain('and', () => single(resolve, depth)))
  }
  const single = (resolve: Resolve, depth: number): Filter => {
    const isNegated = takesNot()
    if (isNegated || takes('(')) {
      const filter = either(resolve, depth + 1)
      if (!takes(')')) throw invalidFilter('A parenthesis is not closed')
      return isNegated ? { op: 'not', filter } : filter
    }
    return clause(resolve, depth)
  }
  /** Without a parenthesis after it, `not` is a name. */
  const takesNot = (): boolean => {
    const before = at
    if (takesWord('not') && takes('(')) return true
    at = before
    return false
  }
  const clause = (resolve: Resolve, depth: number): Filter => {
    if (++clauses > MOST_CLAUSES) throw invalidFilter(`The filter has more than ${MOST_CLAUSES} clauses`)
    skip()
    const path = take(name)
    if (path === undefined) throw invalidFilter(`An attribute is missing at character ${at + 1} of the filter`)
    const target = resolve(path)
    const attribute = target?.attribute
    if (!target || !attribute) throw invalidFilter(`"${path}" names no attribute`)
    if (text.charAt(at) !== '[') return comparison(target, attribute)
    at++
    return inBrackets(target, attribute, depth)
  }
  /** `emails[type eq "work"]`, or `emails[type eq "work"].value eq "x"`, which no RFC allows, but clients send. */
  const inBrackets = ({ keys }: Target, attribute: ScimAttribute, depth: number): Filter => {
    if (!attribute.multiValued || !attribute.sub) throw invalidFilter(`${attribute.name} is no list of values`)
    const inside = inElement(attribute.sub)
    const chosen = either(inside, depth + 1)
    if (!takes(']')) throw invalidFilter('A bracket is not closed')
    if (text.charAt(at) !== '.') return { op: 'any', keys, filter: chosen }
    at++
    const filter = clause(inside, depth)
    return { op: 'any', keys, filter: { op: 'and', filters: [chosen, filter] } }
  }
  const comparison = (target: Target, attribute: ScimAttribute): Filter => {
    skip()
    const op = take(word)?.toLowerCase()
    const subject = comparable(target, attribute)
    if (op === 'pr') return { op, keys: target.keys, attribute }
    if (!isComparison(op)) throw invalidFilter(`${attribute.name} must be followed by an operator`)
    if (!subject) throw invalidFilter(`${attribute.name} cannot be compared: name one of its sub-attributes`)
    const value = valueFor(subject.attribute, op, literal(op))
    return { op, keys: subject.keys, attribute: subject.attribute, value }
  }
  const literal = (op: Comparison): Value => {
    skip()
    const inQuotes = take(quoted)
    if (inQuotes !== undefined) return JSON.parse(inQuotes) as string
    const plain = take(bare)
    if (plain === undefined) throw invalidFilter(`A value is missing at character ${at + 1} of the filter`)
    const constant = literals.get(plain.toLowerCase())
    if (constant !== undefined) return constant
    if (op !== 'eq' && !/^-?\d+(\.\d+)?$/.test(plain)) throw invalidFilter('A text must be in quotes')
    return plain
  }
  return {
    filter: (resolve: Resolve) => either(resolve, 0),
    at: () => at,
    rest: () => text.slice(at),
    isAtEnd: () => at === text.length,
  }
}

const literals = new Map<string, Value>([
  ['true', true],
  ['false', false],
  ['null', null],
])

const isComparison = (op: string | undefined): op is Comparison => comparisons.some((one) => one === op)

/** The attribute that is compared: for a list or a complex attribute, the `value` in it. */
function comparable({ keys }: Target, attribute: ScimAttribute): Pick<Compared, 'keys' | 'attribute'> | undefined {
  if (!attribute.sub) return { keys, attribute }
  const value = attribute.sub.find((one) => one.name === 'value')
  return value && { keys: [...keys, value.name], attribute: value }
}

/** The value in the type of its attribute. */
function valueFor({ name, type }: ScimAttribute, op: Comparison, value: Value): Value {
  if (value === null) {
    if (op === 'eq' || op === 'ne') return null
    throw invalidFilter('null can only be compared with eq and ne')
  }
  if (type === 'boolean') return booleanFor(name, op, value)
  const text = String(value)
  if (type !== 'dateTime' || ['co', 'sw', 'ew'].includes(op)) return text
  const moment = momentOf(text)
  if (moment === undefined) throw invalidFilter(`${name} must be compared with a moment, such as 2026-01-31T09:00:00Z`)
  return moment
}

function booleanFor(name: string, op: Comparison, value: Value): boolean {
  if (op !== 'eq' && op !== 'ne') throw invalidFilter(`${name} can only be compared with eq and ne`)
  const constant = literals.get(String(value).toLowerCase())
  if (typeof constant !== 'boolean') throw invalidFilter(`${name} is true or false`)
  return constant
}

/** Whether a resource, or an element of a list, matches a filter. */
export function matches(filter: Filter, resource: Resource): boolean {
  switch (filter.op) {
    case 'and':
      return filter.filters.every((one) => matches(one, resource))
    case 'or':
      return filter.filters.some((one) => matches(one, resource))
    case 'not':
      return !matches(filter.filter, resource)
    case 'pr':
      return valuesAt(resource, filter.keys).some(isAssigned)
    case 'any':
      return valuesAt(resource, filter.keys).some((one) => isObject(one) && matches(filter.filter, one))
    case 'ne':
      return !matches({ ...filter, op: 'eq' }, resource)
    default:
      return passes(filter, valuesAt(resource, filter.keys).filter(isAssigned))
  }
}

type Clause = Exclude<Extract<Filter, Compared>, { op: 'ne' }>

function passes({ op, attribute, value }: Clause, found: readonly unknown[]): boolean {
  if (value === null) return found.length === 0
  const wanted = comparedText(attribute, String(value))
  return found.filter(isPlain).some((one) => compares[op](comparedText(attribute, String(one)), wanted))
}

const comparedText = ({ caseExact }: ScimAttribute, text: string): string => (caseExact ? text : text.toLowerCase())

const compares: Record<Clause['op'], (found: string, wanted: string) => boolean> = {
  eq: (found, wanted) => found === wanted,
  co: (found, wanted) => found.includes(wanted),
  sw: (found, wanted) => found.startsWith(wanted),
  ew: (found, wanted) => found.endsWith(wanted),
  gt: (found, wanted) => found > wanted,
  ge: (found, wanted) => found >= wanted,
  lt: (found, wanted) => found < wanted,
  le: (found, wanted) => found <= wanted,
}

/** The values at a path of names. If there is a list on the path, the values in all of its elements. */
function valuesAt(resource: Resource, keys: readonly string[]): unknown[] {
  let found: unknown[] = [resource]
  for (const key of keys)
    found = found.flatMap((one) => (isObject(one) && Object.hasOwn(one, key) ? (one[key] as unknown) : []))
  return found.flat()
}

/** Whether a value can be compared: not an object, which a body may have where a text belongs. */
const isPlain = (value: unknown): boolean => isAssigned(value) && typeof value !== 'object'

const isAssigned = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== '' && !(isObject(value) && Object.keys(value).length === 0)
