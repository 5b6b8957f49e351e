import { timingSafeEqual } from 'node:crypto'
import type { Scope } from '../../schemas/contract.ts'
import { isPast, momentAfter } from '../base/text.ts'
import { is } from '../table/expressions.ts'
import { serviceTokenKey, tokenUseKey } from '../table/keys.ts'
import { defineRecord, defineRow } from '../table/records.ts'
import type { Action, Item, Store } from '../table/store.ts'

/** A service token as it is stored. Hashes are SHA-256 in base64url. */
export type ServiceToken = {
  id: string
  name: string
  scopes: Scope[]
  /** The administrator who made it. */
  created_by: string
  created_at: string
  expires_at: string
  /** The hash of the newest secret. */
  secret: string
  /** The hash of the secret before it, which works until `previous_expires_at`. */
  previous_secret: string | null
  previous_expires_at: string | null
  rotated_at: string | null
  /** How many days before its end the last warning came. */
  warned_days: 30 | 7 | null
  version: number
}

export const serviceTokens = defineRecord<ServiceToken>({
  key: serviceTokenKey,
  idOf: ({ id }) => [id],
  versioned: true,
  events: { kind: 'service_token', verb: verbOf, hidden: ['secret', 'previous_secret'] },
})

function verbOf(before: ServiceToken, after: ServiceToken): string | undefined {
  if (before.secret !== after.secret) return 'rotated'
  return before.expires_at === after.expires_at && before.warned_days !== after.warned_days ? 'expiring' : undefined
}

/** Whether the holder of a secret with this hash may use the token now. */
export function opens(token: ServiceToken, secretHash: string, now: string): boolean {
  const isNewest = isSameHash(token.secret, secretHash)
  const isPrevious = token.previous_secret !== null && isSameHash(token.previous_secret, secretHash)
  return !isPast(token.expires_at, now) && (isNewest || (isPrevious && !isPast(endOfPrevious(token), now)))
}

/** Compares in constant time, so that response times say nothing about a hash. */
const isSameHash = (one: string, other: string): boolean =>
  timingSafeEqual(Buffer.from(one, 'base64url'), Buffer.from(other, 'base64url'))

/** Until when the secret before the newest works. */
const endOfPrevious = ({ previous_expires_at, expires_at }: ServiceToken): string =>
  previous_expires_at !== null && previous_expires_at < expires_at ? previous_expires_at : expires_at

/** When a token was last used. */
export type TokenUse = Item & { at: string | null }
const uses = defineRow<{ at: string | null }>()

/** The item of a token that was never used. It exists as long as the token, so a late note of a use brings none back. */
export const newUse = (id: string): Item => uses.item(tokenUseKey(id), { at: null })

/** Reads a token and the item of its last use: with the first reads of a call, as the record of a user who calls. */
export async function readWithUse(store: Store, id: string) {
  const [token, use] = await Promise.all([serviceTokens.read(store, id), store.get(tokenUseKey(id))])
  return { token, use: use && uses.of(use) }
}

/** A noted use stands for this time: so a token in use is written once an hour. */
const USE_MS = 3_600_000

/** Notes that a token is used now; undefined if that has been noted within the hour. */
export function noteOfUse({ pk, sk, at }: TokenUse, now: string): Action | undefined {
  if (at !== null && momentAfter(at, USE_MS) > now) return undefined
  return { update: { pk, sk }, set: { at: now }, if: is({ at }) }
}
