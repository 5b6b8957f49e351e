import { type CipherKey, createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Encrypts and authenticates a text: without the key it can be neither read nor changed, nor used for another purpose. */
export function encrypt(text: string, boundTo: string, key: CipherKey): Buffer {
  const nonce = nextNonce()
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(boundTo))
  return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
}

/** Random bytes for the next nonces. To draw them one by one takes as long as the rest of the encryption. */
let ready: Buffer = Buffer.alloc(0)
const NONCES_AT_ONCE = 256

/** A nonce that no other text of this process has. */
function nextNonce(): Buffer {
  if (ready.length === 0) ready = randomBytes(NONCES_AT_ONCE * NONCE_BYTES)
  const nonce = ready.subarray(0, NONCE_BYTES)
  ready = ready.subarray(NONCE_BYTES)
  return nonce
}

/** The text; undefined if it was encrypted with another key or for another purpose, or was changed. */
export function decrypt(bytes: Buffer, boundTo: string, key: CipherKey): string | undefined {
  if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined
  const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
    .setAAD(Buffer.from(boundTo))
    .setAuthTag(bytes.subarray(-TAG_BYTES))
  try {
    return decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
  } catch {
    return undefined
  }
}
