import { createHmac } from 'node:crypto'
import { AppError } from '../base/errors.ts'
import { canonicalJson, DAY_MS, momentAfter, sha256 } from '../base/text.ts'
import { absent, atMost, either } from '../table/expressions.ts'
import { repetitionKey, ttlOf } from '../table/keys.ts'
import { defineItem } from '../table/records.ts'
import type { Action, Item, Store } from '../table/store.ts'
import type { Context, Repetition } from './context.ts'

/*
 * Creations that are safe to repeat. The transaction that creates the record also writes an item for the caller's
 * Idempotency-Key, which names the record. So there is never a key without its record, and a call that dies leaves nothing.
 */

/** The call that has created a record, as it is stored. Its body is not kept; `print` is the digest of its path and body. */
export type FirstCall = { print: string; status: number; record: string; until: string }

const rows = defineItem<FirstCall & { ttl: number }>()

const KEPT_MS = DAY_MS

type Call = { actorId: string; operation: string; key: string; path: object; body: unknown }

/**
 * Identifies a call. The table has only a hash of the key, and a hash of path and body keyed with it. So without the
 * key, guesses of the body cannot be checked.
 */
export const repetitionOf = ({ actorId, operation, key, path, body }: Call): Repetition => ({
  key: repetitionKey(sha256(JSON.stringify([actorId, operation, key]))),
  digest: createHmac('sha256', key).update(canonicalJson({ path, body })).digest('base64url'),
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
export function reserveIdempotencyKey(
  { repetition, now }: Pick<Context, 'repetition' | 'now'>,
  record: string,
): Action[] {
  if (!repetition) return []
  const until = momentAfter(now, KEPT_MS)
  const first: FirstCall = { print: repetition.digest, status: 201, record, until }
  return [
    {
      put: rows.item(repetition.key, { ...first, ttl: ttlOf(until) }),
      if: either(absent, atMost('until', now)),
      otherwise: (found) => new Repeated(firstIn(found, now)),
      busy: 'IDEMPOTENCY_KEY_IN_USE',
    },
  ]
}
