import fc from 'fast-check'
import type { Schema } from '../../schemas/contract.ts'
import { anyCharacter } from './anyCharacter.ts'
import type { Any } from './call.ts'

/** Values to prefer for properties of a name, e.g. ids that exist: random ids rarely name a record. */
export type Pools = Readonly<Record<string, readonly unknown[]>>

/** Values that a schema accepts. */
export function fitting(schema: Schema, pools: Pools = {}): fc.Arbitrary<unknown> {
  const { type, enum: allowed } = schema as Any
  if (allowed) return fc.constantFrom(...allowed)
  if (!Array.isArray(type)) return makers[type as string]?.(schema, pools) ?? fc.jsonValue({ maxDepth: 2 })
  const [main] = type.filter((one) => one !== 'null')
  return fc.oneof(
    { weight: 5, arbitrary: fitting({ ...schema, type: main }, pools) },
    { weight: 1, arbitrary: fc.constant(null) },
  )
}

const makers: Record<string, (schema: Any, pools: Pools) => fc.Arbitrary<unknown>> = {
  string: (schema) => textOf(schema),
  integer: ({ minimum = -5, maximum = 100 }) => fc.integer({ min: minimum, max: maximum }),
  number: () => fc.double({ noNaN: true, noDefaultInfinity: true }),
  boolean: () => fc.boolean(),
  array: ({ items = {}, minItems = 0, maxItems = 4 }, pools) =>
    fc.array(fitting(items, pools), { minLength: minItems, maxLength: Math.max(minItems, Math.min(maxItems, 4)) }),
  object: ({ properties = {}, required = [] }, pools) =>
    fc.record(
      Object.fromEntries(
        Object.entries<Schema>(properties).map(([name, schema]) => {
          const pool = pools[name]
          const made = fitting(schema, pools)
          return [name, pool ? fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...pool) }, made) : made]
        }),
      ),
      { requiredKeys: [...required] },
    ),
}

function textOf({ pattern, format, minLength = 0, maxLength = 40, not }: Any): fc.Arbitrary<string> {
  if (format === 'idn-email') return fc.oneof(fc.emailAddress(), fc.constantFrom('पता@डाटा.भारत', 'zoë@łukasz.pl'))
  if (format === 'date-time') return fc.date({ noInvalidDate: true }).map((date) => date.toISOString())
  if (pattern && !pattern.startsWith('^[^'))
    return fc.stringMatching(new RegExp(pattern, 'u')).filter((text) => !not?.enum?.includes(text))
  return fc
    .string({ unit: anyCharacter, minLength, maxLength: Math.min(maxLength, 40) })
    .map((text) => text.replaceAll(unlikeable, 'x').replace(/^(?!.*[\p{L}\p{N}]).+$/su, 'x'))
}

/** Characters that some texts may not have. */
const unlikeable = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufffd]/g

/** One value with every property of a schema. */
export const complete = (schema: Schema, pools: Pools = {}): unknown => {
  const { properties, items, type } = schema as Any
  if (properties)
    return Object.fromEntries(
      Object.entries<Schema>(properties).map(([name, one]) => [name, pools[name]?.[0] ?? complete(one, pools)]),
    )
  if (items && [type].flat().includes('array')) return [complete(items, pools)]
  return fc.sample(fitting({ ...schema, type: [type].flat()[0] } as Schema, pools), { numRuns: 1, seed: 1 })[0]
}

/** The value, over and over, with each of its texts in turn replaced by each of those given. */
export const withTexts = (value: unknown, texts: readonly string[]): unknown[] =>
  nodesOf(value)
    .filter((place) => typeof place.reduce<Any>((node, name) => node[name], value) === 'string')
    .flatMap((place) => texts.map((text) => changedAt(value, place, () => text)))

const nested = (depth: number): unknown => {
  let value: unknown = 1
  for (let level = 0; level < depth; level++) value = level % 2 ? [value] : { a: value }
  return value
}

/** Texts that have broken services before. */
export const nastyTexts = [
  '',
  ' ',
  '\u0000',
  'bell\u0007\r\n',
  '\ud800',
  'half \udc00 pair',
  '👩‍👩‍👧‍👦'.repeat(40),
  '\u202eمرحبا بالعالم\u202c',
  // Grows when normalized.
  '\u{1d160}'.repeat(255),
  'ﷺ'.repeat(64),
  'x'.repeat(65),
  'x'.repeat(256),
  'x'.repeat(70_000),
  '__proto__',
  'constructor',
  '../../admin',
  '%00',
  'a#b',
  'null',
]

/** Those of them that differ most. */
export const worstTexts = ['', '\ud800', '\u0000', '\u{1d160}'.repeat(255), 'x'.repeat(256), 'a#b']

/** Anything but what was asked for. */
export const junk: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    ...nastyTexts,
    null,
    true,
    0,
    -1,
    1.5,
    1e308,
    [],
    [[[]]],
    {},
    { a: { b: 1 } },
    JSON.parse('{"__proto__":{"role":"ADMIN"},"constructor":{"prototype":{}}}'),
    nested(2000),
  ),
  fc.jsonValue({ maxDepth: 3 }),
)

type Mutation = { at: number; how: 'replace' | 'remove' | 'add' | 'wrap'; value: unknown; name: string }

/** One way to spoil a value. */
export const mutation: fc.Arbitrary<Mutation> = fc.record({
  at: fc.nat(1000),
  how: fc.constantFrom('replace', 'replace', 'remove', 'add', 'wrap'),
  value: junk,
  name: fc.oneof(
    fc.constantFrom('__proto__', 'constructor', 'toString', '', 'id', 'status', 'a/b~c', 'x'.repeat(3000), '\ud800'),
    fc.string(),
  ),
})

/** The value spoilt at one of its nodes. */
export function spoilt(value: unknown, { at, how, value: other, name }: Mutation): unknown {
  const places = nodesOf(value)
  const place = places[at % places.length] ?? []
  return changedAt(value, place, (node) => {
    if (how === 'remove') return undefined
    if (how === 'wrap') return [node]
    if (how === 'add' && typeof node === 'object' && node !== null && !Array.isArray(node))
      return Object.defineProperty({ ...node }, name, { value: other, enumerable: true, configurable: true })
    return other
  })
}

function nodesOf(value: unknown, here: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== 'object' || value === null || here.length > 6) return [here]
  return [here, ...Object.entries(value).flatMap(([name, inner]) => nodesOf(inner, [...here, name]))]
}

function changedAt(value: Any, [name, ...rest]: readonly string[], change: (node: unknown) => unknown): unknown {
  if (name === undefined) return change(value)
  const copy: Any = Array.isArray(value) ? [...value] : { ...value }
  copy[name] = changedAt(value[name], rest, change)
  return copy
}
