import { crc32 } from 'node:zlib'
import { sha256 } from '../../base/text.ts'

// The text of a service token: `rct_<id>_<secret>_<checksum>`, each part in base62 of fixed length. The checksum is the CRC-32 of the
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
