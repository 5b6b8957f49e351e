import { isDeepStrictEqual } from 'node:util'
import type { RecordKind } from '../../schemas/events.ts'
import type { ChangeEvent, FieldChange, RecordRef } from './store.ts'

// The event of a change: which fields have changed, and which event of the record came before it. recording.ts writes it.

/** Fields that no event shows: the event itself has the same information. */
const implied: ReadonlySet<string> = new Set(['id', 'version', 'created_at', 'updated_at'])

type Change = {
  record: RecordRef
  among?: RecordRef | undefined
  last?: string | undefined
  verb?: string | undefined
  hidden?: readonly string[] | undefined
}

/** The event of a change of a record; undefined if no field that events show has changed. */
export function eventOf<T extends object>(
  { record, among, last, verb, hidden }: Change,
  before: Partial<T> | undefined,
  after: Partial<T> | undefined,
): ChangeEvent | undefined {
  const names = Object.keys({ ...before, ...after }).filter((name) => !implied.has(name) && !hidden?.includes(name))
  const changes = names
    .sort()
    .map((name): FieldChange => [name, fieldOf(before, name), fieldOf(after, name)])
    .filter(([, old, now]) => !isDeepStrictEqual(old, now))
  if (before && after && changes.length === 0) return undefined
  const participle = verb ?? (before ? (after ? 'updated' : 'deleted') : 'created')
  return { type: `${record.kind}.${participle}`, record, ...(among ? { among } : {}), changes, last }
}

const fieldOf = (record: object | undefined, name: string): unknown =>
  (record as Readonly<Record<string, unknown>> | undefined)?.[name] ?? null

/** What events show of a kind of records. */
export type EventDefinition<T> = {
  kind: RecordKind
  /** The id of a record that has no field `id`. */
  id?: (record: T) => string
  /** The record among whose events these are listed. */
  among?: (record: T) => RecordRef
  /** What was done, if there is a better word than "updated". */
  verb?: (before: T, after: T) => string | undefined
  /** Fields that events do not show: only the service uses them. */
  hidden?: readonly string[]
  /** The record before its first write. */
  initial?: T
}

/** The event of a change of a record, by the definition of its kind. */
export function eventOfChange<T extends object>(
  { kind, id, among, verb, hidden, initial }: EventDefinition<T>,
  { before = initial, after, last }: { before: T | undefined; after: T | undefined; last: string | undefined },
): ChangeEvent | undefined {
  const record = (after ?? before) as T
  const named = { kind, id: id ? id(record) : String((record as { id?: string }).id) }
  const done = before && after ? verb?.(before, after) : undefined
  return eventOf({ record: named, among: among?.(record), last, verb: done, hidden }, before, after)
}
