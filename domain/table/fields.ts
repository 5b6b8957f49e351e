import { isDeepStrictEqual } from 'node:util'

/*
 * The fields of a kind of records, declared once. Type, creation, patch, answer, event and tag come from the declaration.
 *
 * A field that a release adds is `later`: records stored before lack it. Reading gives them its default, and the default is not
 * stored. So a record of before and a new one with the default are stored alike, and have the same tags and events.
 */

/** Where a field shows. ETAG: in the first part of a record's ETag, which changes compare. */
type Place = 'ANSWERS' | 'EVENTS' | 'ETAG'

/** One field of a kind of records. */
type Field = {
  /** For the compiler alone: see `a`. */
  type: unknown
  /** Callers set the field when they create a record (ONCE), or also when they change it (ALWAYS). Otherwise only the service does. */
  set?: 'ONCE' | 'ALWAYS'
  /** The value in a new record for which none is sent, and the value that null sets. */
  default?: unknown
  /** The value in a new record for which none is sent, where null is refused or sets another value. */
  initial?: unknown
  /** The value that null sets, where it is not the default. */
  forNull?: unknown
  /** The field, or these parts of an object, may be missing in records of earlier releases, which then have the default. */
  later?: true | readonly string[]
  /** Only some records have the field. */
  optional?: true
  /** Where the field does not show. */
  hidden?: readonly Place[]
}
/** `hidden: everywhere`: only the service uses the field. */
export const everywhere = ['ANSWERS', 'EVENTS', 'ETAG'] as const

type Fields = Readonly<Record<string, Field>>

/** The type of a field: `type: a<string | null>()`. */
export const a = <T>(): T => undefined as T

type NamesWith<F extends Fields, P> = { [N in keyof F]: F[N] extends P ? N : never }[keyof F] & string
type Optional<F extends Fields> = NamesWith<F, { optional: true }>
type HiddenIn<F extends Fields, P extends Place> = {
  [N in keyof F]: F[N] extends { hidden: readonly (infer Q)[] } ? (P extends Q ? N : never) : never
}[keyof F]
type Typed<F extends Fields, N extends keyof F> = { -readonly [M in N]: F[M]['type'] }
type Plain<T> = { [N in keyof T]: T[N] }
type WithOptional<F extends Fields, N extends keyof F> = Plain<
  Typed<F, Exclude<N, Optional<F>>> & Partial<Typed<F, Extract<N, Optional<F>>>>
>

/** Defaults are constants: their lists may only be read. */
type Constant<T> = T extends readonly (infer E)[] ? readonly E[] : T
type WithFittingDefaults<F extends Fields> = {
  readonly [N in keyof F]: Field & {
    default?: Constant<F[N]['type']>
    initial?: Constant<F[N]['type']>
  } & (F[N] extends { later: unknown } ? { default: unknown } : unknown)
}

type Settable<F extends Fields> = NamesWith<F, { set: unknown }>
/** The fields that need no value in a creation. */
type HasInitial<F extends Fields> = NamesWith<F, { default: unknown } | { initial: unknown } | { optional: true }>
/** What a caller sends to create a record. */
type Sent<F extends Fields> = Readonly<Typed<F, Exclude<Settable<F>, HasInitial<F>>>> & {
  readonly [N in Extract<Settable<F>, HasInitial<F>>]?: F[N]['type'] | null | undefined
}
/** What the service sets in a new record. */
type Made<F extends Fields> = Readonly<Typed<F, Exclude<keyof F, Settable<F> | HasInitial<F>>>> & {
  readonly [N in HasInitial<F>]?: F[N]['type']
}

/** Declares the fields of a kind of records, in the order in which answers show them. */
export function declareFields<const F extends WithFittingDefaults<F>>(fields: F) {
  type T = WithOptional<F, keyof F>
  type Shown = WithOptional<F, Exclude<keyof F, HiddenIn<F, 'ANSWERS'>>>
  const entries: Entry[] = Object.entries(fields)
  const hiddenIn = (place: Place): string[] =>
    entries.filter(([, { hidden }]) => hidden?.includes(place)).map(([name]) => name)
  const notShown = hiddenIn('ANSWERS')
  const notInTags = hiddenIn('ETAG')
  const shown = entries.map(([name]) => name).filter((name) => !notShown.includes(name))
  const settable = entries.filter(([, { set }]) => set === 'ALWAYS')
  const later = entries.filter(([, field]) => field.later).map(laterField)
  const stored = (record: object): object => later.reduce(withoutDefault, record)
  /** The fields of a record that answers show. */
  const shownOf = (record: T): Shown => picked(record, shown) as Shown
  /** The fields of a record that make its tag. */
  const ownOf = (record: T): object =>
    Object.fromEntries(Object.entries(stored(record)).filter(([name]) => !notInTags.includes(name)))
  return {
    /** A record as it is stored: without the defaults of later fields. */
    stored,
    /** Adds the defaults of later fields to a copy of a record that was read. */
    complete(copy: object): object {
      for (const field of later) addDefault(copy as Record<string, unknown>, field)
      return copy
    },
    /** The fields that events do not show. */
    notInEvents: hiddenIn('EVENTS'),
    /** The fields that a patch may change, with the value that null sets: see mergePatch. */
    valueForNull: Object.fromEntries(settable.map(([name, field]) => [name, nullIn(field)])) as Partial<T>,
    /** A new record: what a caller sends, what the service sets, and otherwise defaults. */
    create: (sent: Sent<F>, made: Made<F>): T =>
      Object.fromEntries(
        entries
          .map(([name, field]) => [name, newValue([name, field], sent, made)] as const)
          .filter(([, value]) => value !== undefined),
      ) as T,
    shown: shownOf,
    own: ownOf,
    /** The answer that shows a record as it is. */
    answer: (record: T) => ({ status: 200, body: shownOf(record), own: ownOf(record) }),
  }
}

/** What `defineRecord` needs of declared fields. */
export type DeclaredFields = {
  stored: (record: object) => object
  complete: (copy: object) => object
  notInEvents: readonly string[]
}

/** The type of the records whose fields are declared so. */
export type RecordOf<D extends { shown: (record: never) => object }> = Parameters<D['shown']>[0]

type Entry = [name: string, field: Field]
type Values = Readonly<Record<string, unknown>>

const nullIn = (field: Field): unknown => ('forNull' in field ? field.forNull : field.default)

function newValue([name, { set, initial, default: byDefault = initial }]: Entry, sent: Values, made: Values): unknown {
  if (made[name] !== undefined) return made[name]
  return (set && sent[name]) ?? byDefault
}

function picked(record: Values, names: readonly string[]): Values {
  const found: Record<string, unknown> = {}
  for (const name of names) if (record[name] !== undefined) found[name] = record[name]
  return found
}

/** A later field, or one with later parts, and the defaults of what is later. */
type LaterField = { name: string; hasLaterParts: boolean; defaults: Values }

const laterField = ([name, { later, default: byDefault }]: Entry): LaterField => {
  const hasLaterParts = Array.isArray(later)
  return { name, hasLaterParts, defaults: hasLaterParts ? picked(byDefault as Values, later) : { [name]: byDefault } }
}

function addDefault(copy: Record<string, unknown>, { name, hasLaterParts, defaults }: LaterField): void {
  if (hasLaterParts) copy[name] = { ...defaults, ...(copy[name] as object) }
  else if (!(name in copy)) copy[name] = defaults[name]
}

function withoutDefault(record: object, { name, hasLaterParts, defaults }: LaterField): object {
  if (!hasLaterParts) return without(record, defaults)
  return { ...record, [name]: without((record as Values)[name] as object, defaults) }
}

/** The fields of a record without those that have these values. A loop, as each change of a record does this several times. */
function without(record: object, values: Values): Values {
  const rest: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(record))
    if (!(name in values) || !isDeepStrictEqual(value, values[name])) rest[name] = value
  return rest
}
