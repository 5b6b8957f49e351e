import { charactersIn } from '../base/text.ts'

/** One fault that a compiled validator found. */
export type SchemaFault = {
  instancePath: string
  keyword: string
  params: Record<string, unknown>
}

/** The parts of a JSON pointer: `/attributes/3/value` → attributes, 3, value. */
export const partsOf = (pointer: string): string[] => pointer.split('/').slice(1).map(unescaped)

/** A part of a JSON pointer without its escapes. */
export const unescaped = (part: string): string => part.replaceAll('~1', '/').replaceAll('~0', '~')

/**
 * The property that is missing or not allowed: the validator reports such a fault at the object that lacks or has it.
 */
export function namedBy(keyword: string, params: Record<string, unknown>): string | undefined {
  if (keyword === 'required' || keyword === 'dependentRequired') return String(params['missingProperty'])
  return keyword === 'additionalProperties' ? String(params['additionalProperty']) : undefined
}

/** The message of a fault; it follows the name of the property. */
export function messageOf({ keyword, params }: Pick<SchemaFault, 'keyword' | 'params'>): string {
  if (keyword === 'additionalProperties') return 'is not known here'
  if (keyword === 'required') return 'is missing'
  if (keyword === 'dependentRequired') return `must be given together with ${params['property']}`
  if (keyword === 'enum') return `must be one of ${(params['allowedValues'] as unknown[]).map(String).join(', ')}`
  if (keyword === 'pattern') return 'has a form that is not allowed here'
  if (keyword === 'not') return 'is a reserved word'
  return limits[keyword]?.(params) ?? 'is not valid'
}

const formats: Readonly<Record<string, string>> = {
  visible: 'must have a character that can be seen',
  'idn-email': 'must be an e-mail address, with up to 64 characters before the @',
}

type Say = (params: Record<string, unknown>) => string

/**
 * ajv's own messages for the other keywords. Written here once: compiled validators would repeat them for every
 * field.
 */
const limits: Record<string, Say> = {
  type: ({ type }) => `must be ${String(type).replaceAll(',', ' or ')}`,
  format: ({ format }) => formats[format as string] ?? 'has a form that is not allowed here',
  minLength: ({ limit }) => `must NOT have fewer than ${limit} characters`,
  maxLength: ({ limit }) => `must NOT have more than ${limit} characters`,
  minItems: ({ limit }) => `must NOT have fewer than ${limit} items`,
  maxItems: ({ limit }) => `must NOT have more than ${limit} items`,
  minimum: ({ limit }) => `must be >= ${limit}`,
  maximum: ({ limit }) => `must be <= ${limit}`,
  uniqueItems: () => 'must NOT have an item twice',
}

/** The fault of a text with U+FFFD: decoders put this character in place of bytes that they cannot read. */
export const damage = 'holds U+FFFD, which stands for text that was not UTF-8'

const isDamaged = (text: unknown): boolean => typeof text === 'string' && text.includes('\ufffd')

const LONGEST_PLACE = 200
type Node = { value: unknown; place: string }

/** The places of damaged texts in a JSON value, keys included: `tags.3.name`; '' for the value itself. */
export function damagedAt(value: unknown): string[] {
  const found = new Set<string>()
  const nodes: Node[] = [{ value, place: '' }]
  // A list that grows while it is read: recursion would run out of stack on a deeply nested body.
  for (const node of nodes) {
    if (isDamaged(node.value)) found.add(node.place)
    for (const [name, inner] of inside(node)) {
      if (isDamaged(name)) found.add(inner.place)
      nodes.push(inner)
    }
  }
  return [...found]
}

const inside = ({ value, place }: Node): [name: string, Node][] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).map(([name, inner]) => [
        name,
        { value: inner, place: `${place}${place && '.'}${name}`.slice(0, LONGEST_PLACE) },
      ])
    : []

type Change = (value: unknown) => unknown

/** A record without white space around the named texts, plain or localized. The same object if there is none. */
export const trimmed = (record: unknown, names: readonly string[]): unknown =>
  changed(record, names, (value) =>
    Array.isArray(value) ? value.map((one) => changed(one, ['text'], bare)) : bare(value),
  )

const bare: Change = (value) => (typeof value === 'string' ? value.trim() : value)

function changed(record: unknown, names: readonly string[], change: Change): unknown {
  if (typeof record !== 'object' || record === null || Array.isArray(record)) return record
  const entries = Object.entries(record).filter(([name]) => names.includes(name))
  const after = entries.map(([name, value]) => [name, change(value)] as const)
  return after.every(([, value], n) => value === entries[n]?.[1]) ? record : { ...record, ...Object.fromEntries(after) }
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The value, if it is an object with names. */
export const asRecord = (value: unknown) => (isObject(value) ? value : undefined)

/** Neither absent nor null. */
export const isGiven = <T>(value: T): value is NonNullable<T> => value !== undefined && value !== null

const LONGEST_REFERENCE = 255

/** Whether a value has the form of a reference: a text of 1 to 255 characters. */
export const isReference = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && charactersIn(value) <= LONGEST_REFERENCE && value.isWellFormed()
