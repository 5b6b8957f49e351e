import { timingSafeEqual } from 'node:crypto'
import type { Scope } from '../../../schemas/scopes.ts'
import { isPast, momentAfter, sha256 } from '../../base/text.ts'
import { a, declareFields, everywhere, type RecordOf } from '../../table/fields.ts'
import { serviceTokenKey, tokenUseKey } from '../../table/keys.ts'
import { defineItem, defineRecord } from '../../table/records.ts'
import type { Item, Store } from '../../table/store.ts'

// The text of a token: `rct_<id>_<secret>_<checksum>`, each part in base62 of fixed length. The checksum is the CRC-32 of the
// text before it: mistyped, truncated and made-up tokens are refused without a read, and scanners for leaked secrets have few
// false alarms.

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** Digits of 128, 256 and 32 bits. */
const ID = 22
const SECRET = 43
const CHECK = 6
const ID_BYTES = 16

const form = new RegExp(`^rct_([0-9A-Za-z]{${ID}})_([0-9A-Za-z]{${SECRET}})_([0-9A-Za-z]{${CHECK}})$`)
const formOfId = /* @__PURE__ */ new RegExp(`^[0-9A-Za-z]{${ID}}$`)

/** Every service token begins with this, and no JWT does. */
export const TOKEN_BEGINNING = 'rct_'

/** Whether a text has the form of a token's id. */
export const isTokenId = (text: string): boolean => formOfId.test(text)

/** The id and the secret of a token; undefined if its form or its checksum is wrong. */
export function partsOfToken(token: string): { id: string; secret: string } | undefined {
  const found = form.exec(token)
  if (!found) return undefined
  const [id, secret, checksum] = found.slice(1) as [string, string, string]
  return checksumOf(id, secret) === checksum ? { id, secret } : undefined
}

/** The text of a token. `secret`: 32 random bytes. */
export function tokenText(id: string, secret: Uint8Array): { token: string; secretHash: string } {
  const text = base62(secret, SECRET)
  return { token: `rct_${id}_${text}_${checksumOf(id, text)}`, secretHash: hashOfSecret(text) }
}

/** The id of a new token, from the first 16 of some random bytes. */
export const tokenIdFrom = (random: Uint8Array): string => base62(random.subarray(0, ID_BYTES), ID)

/** The hash of a secret, SHA-256 in base64url: only this is stored. 256 random bits cannot be guessed, so no salt or slow hash. */
export const hashOfSecret: (secret: string) => string = sha256

function checksumOf(id: string, secret: string): string {
  const bytes = Buffer.alloc(4)
  // Loading zlib is a tenth of the first call of a process, so only calls that use it load it.
  const { crc32 } = process.getBuiltinModule('node:zlib')
  bytes.writeUInt32BE(crc32(`rct_${id}_${secret}`))
  return base62(bytes, CHECK)
}

function base62(bytes: Uint8Array, length: number): string {
  let left = BigInt(`0x${Buffer.from(bytes).toString('hex')}`)
  const digits: string[] = []
  while (digits.length < length) {
    digits.unshift(DIGITS.charAt(Number(left % 62n)))
    left /= 62n
  }
  return digits.join('')
}

// The record.

/** Hashes are SHA-256 in base64url. */
export const tokenFields = declareFields({
  id: { type: a<string>(), hidden: ['ETAG'] },
  name: { type: a<string>(), set: 'ALWAYS' },
  scopes: { type: a<Scope[]>(), set: 'ALWAYS' },
  /** The administrator who created it. */
  created_by: { type: a<string>() },
  created_at: { type: a<string>() },
  expires_at: { type: a<string>() },
  /** The hash of the newest secret. */
  secret: { type: a<string>(), hidden: everywhere },
  /** The hash of the secret before it, which works until `previous_expires_at`. */
  previous_secret: { type: a<string | null>(), initial: null, hidden: everywhere },
  previous_expires_at: { type: a<string | null>(), initial: null, hidden: ['ANSWERS', 'ETAG'] },
  rotated_at: { type: a<string | null>(), initial: null, hidden: ['ANSWERS'] },
  /** The last warning that was due: how many days before the end. */
  warned_days: { type: a<number | null>(), hidden: ['ANSWERS', 'ETAG'] },
  version: { type: a<number>(), initial: 1, hidden: everywhere },
})

/** A service token as it is stored. */
export type ServiceToken = RecordOf<typeof tokenFields>

export const serviceTokens = defineRecord<ServiceToken>({
  key: serviceTokenKey,
  fields: tokenFields,
  idOf: ({ id }) => [id],
  versioned: true,
  events: { kind: 'service_token', verb: verbOf },
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

/** The end of the previous secret: `previous_expires_at`, or the end of the token if that comes first. */
export const endOfPrevious = ({ previous_expires_at, expires_at }: ServiceToken): string =>
  previous_expires_at !== null && previous_expires_at < expires_at ? previous_expires_at : expires_at

/** Whether the previous secret is still valid. */
export const hasPrevious = (token: ServiceToken, now: string): boolean =>
  token.previous_secret !== null && !isPast(endOfPrevious(token), now)

// The last use.

/** When a token was last used, to the hour; null if never. */
export type TokenUse = Item & { at: string | null }
export const uses = defineItem<{ at: string | null }>()
/** Reads the item of a last use. */
export const useIn = (item: Item): TokenUse => uses.of(item)

/** Reads a token and the item of its last use. */
export async function readWithUse(store: Pick<Store, 'get'>, id: string) {
  const [token, use] = await Promise.all([serviceTokens.read(store, id), store.get(tokenUseKey(id))])
  return { token, use: use && useIn(use) }
}

/** A use is noted again only after this time: a token in use is written once an hour. */
const USE_MS = 3_600_000

/** Whether a use is to be noted now: none was within the hour. */
export const isUseDue = ({ at }: TokenUse, now: string): boolean => at === null || momentAfter(at, USE_MS) <= now
