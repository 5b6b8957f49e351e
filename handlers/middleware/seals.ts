import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import type { Seals } from '../../domain/request/context.ts'
import { NotConfigured } from './notConfigured.ts'

const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Seals with a key made from a secret: encrypted, so that nobody reads them, authenticated, so that nobody edits them. */
export function sealsWith(secret: string | undefined): Seals {
  let made: Uint8Array | undefined
  const key = (): Uint8Array => {
    // An empty secret is one that everybody knows.
    if (!secret) throw new NotConfigured(['CURSOR_SECRET'])
    made ??= new Uint8Array(hkdfSync('sha256', secret, '', 'cursor', 32))
    return made
  }
  return {
    seal: (text, boundTo) => {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(CIPHER, key(), nonce).setAAD(Buffer.from(boundTo))
      const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([nonce, sealed, cipher.getAuthTag()]).toString('base64url')
    },
    unseal: (sealed, boundTo) => {
      const bytes = Buffer.from(sealed, 'base64url')
      // Several texts decode to the same bytes; only the one that was handed out is ours.
      if (bytes.length < NONCE_BYTES + TAG_BYTES || bytes.toString('base64url') !== sealed) return undefined
      const decipher = createDecipheriv(CIPHER, key(), bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
        .setAAD(Buffer.from(boundTo))
        .setAuthTag(bytes.subarray(-TAG_BYTES))
      try {
        return decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
      } catch {
        return undefined
      }
    },
  }
}
