import { createHmac, hash } from 'node:crypto'
import { AppError, refuse } from '../base/errors.ts'
import { canonicalJson, DAY_MS, momentAfter } from '../base/text.ts'
import { absent, atMost, either } from '../table/expressions.ts'
import { repetitionKey, ttlOf } from '../table/keys.ts'
import { defineRow } from '../table/records.ts'
import type { Action, Item, Store } from '../table/store.ts'
import type { Answer, Context, Repetition, Tags } from './context.ts'

// Conditions that a caller can add to a call: the record is unchanged since they read it (If-Match, ETag), and a
// creation happens once, however often it is sent (Idempotency-Key).

/*
 * The version of a record is `<record>.<answer>`. The first part is a hash of the record's own fields: changes compare
 * it. The second is a hash of the answer, which also shows texts of other records, counts and permitted actions.
 */

/** The tags of a header or of `if_match`, without quotes and without the `W/` of proxies. Its form must be valid. */
export const tagsIn = (text: string): Tags =>
  // Stryker disable next-line StringLiteral: between two quotes there is always a text
  text.trim() === '*' ? 'any' : [...text.matchAll(/"([^"]*)"/g)].map(([, tag = '']) => tag)

/** 96 bits. */
const LENGTH = 16

const digest = (value: unknown): string => hash('sha256', canonicalJson(value), 'base64url').slice(0, LENGTH)

/** The first part of a record's tags, which changes compare. */
export const recordTag = (own: object): string => digest(own)

/** The tag of the one record that is answered; undefined for all other answers. */
export const etagOf = ({ own, body }: Answer<unknown>): string | undefined => own && `"${digest(own)}.${digest(body)}"`

/** Whether a caller who names these tags has this very answer already. */
export const isNamed = (tags: Tags | undefined, etag: string): boolean =>
  tags !== undefined && (tags === 'any' || tags.includes(etag.slice(1, -1)))

type Expecting = Pick<Context, 'ifMatch'>

/** Whether a record has a version that the caller accepts. */
function isExpected({ ifMatch }: Expecting, own: object): boolean {
  if (ifMatch === undefined || ifMatch === 'any') return true
  const record = digest(own)
  return ifMatch.some((tag) => tag.split('.', 1)[0] === record)
}

/**
 * Refuses to delete a record whose version the caller does not accept. Call it before all rules, with the record just
 * read.
 */
export function requireExpected(context: Expecting, own: object): void {
  if (!isExpected(context, own)) throw refuse('PRECONDITION_FAILED')
}

/**
 * The record that `decide` makes of the one just read. A record whose version the caller does not accept is not
 * changed. A call that changes nothing succeeds all the same: it may be the repetition of a call whose answer was lost.
 */
export function decideOn<T extends object>(context: Expecting, before: T, decide: () => T, own: object = before): T {
  if (isExpected(context, own)) return decide()
  try {
    if (decide() === before) return before
  } catch (error) {
    if (!(error instanceof AppError)) throw error
  }
  throw refuse('PRECONDITION_FAILED')
}

/*
 * Creations that are safe to repeat. The transaction that creates the record also writes an item for the caller's
 * Idempotency-Key, which names the record. So there is never a key without its record, and a call that dies leaves nothing.
 */

/** The call that has created a record. Its body is not kept. */
export type FirstCall = { print: string; status: number; record: string; until: string }

const rows = defineRow<FirstCall & { ttl: number }>()

const KEPT_MS = DAY_MS

type Call = { actorId: string; operation: string; key: string; path: object; body: unknown }

/**
 * Identifies a call. The table has only a hash of the key, and a hash of path and body keyed with it. So without the
 * key, guesses of the body cannot be checked.
 */
export const repetitionOf = ({ actorId, operation, key, path, body }: Call): Repetition => ({
  key: repetitionKey(hash('sha256', JSON.stringify([actorId, operation, key]), 'base64url')),
  print: createHmac('sha256', key).update(canonicalJson({ path, body })).digest('base64url'),
})

const firstIn = (item: Item | undefined, now: string): FirstCall | undefined => {
  const first = item && rows.of(item)
  return first && first.until > now ? first : undefined
}

/** The earlier call with the same key, if there was one that created something. */
export const readFirst = async (store: Pick<Store, 'get'>, { key }: Repetition, now: string) =>
  firstIn(await store.get(key), now)

/** An earlier call had the same key: this one ends, and the endpoint answers as the earlier call was answered. */
export class Repeated extends AppError {
  override name = 'Repeated'
  readonly first: FirstCall | undefined
  constructor(first: FirstCall | undefined) {
    super('IDEMPOTENCY_KEY_IN_USE')
    this.first = first
  }
}

/**
 * The action that ties the caller's key to the record that a transaction creates; none for a call without a key. Put it
 * first, so that a repetition is reported as such and not as another conflict.
 */
export function remember({ repetition, now }: Pick<Context, 'repetition' | 'now'>, record: string): Action[] {
  if (!repetition) return []
  const until = momentAfter(now, KEPT_MS)
  const first: FirstCall = { print: repetition.print, status: 201, record, until }
  return [
    {
      put: rows.item(repetition.key, { ...first, ttl: ttlOf(until) }),
      if: either(absent, atMost('until', now)),
      otherwise: (found) => new Repeated(firstIn(found, now)),
      busy: 'IDEMPOTENCY_KEY_IN_USE',
    },
  ]
}
