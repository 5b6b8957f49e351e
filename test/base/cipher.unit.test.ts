import { randomBytes } from 'node:crypto'
import { assert, property, string, uint8Array } from 'fast-check'
import { expect, it } from 'vitest'
import { decrypt, encrypt } from '../../domain/base/cipher.ts'

const key = randomBytes(32)

it('a text is read with its key and for its purpose only, and each time it looks different', () => {
  assert(
    property(string({ unit: 'grapheme' }), string(), (text, purpose) => {
      const bytes = encrypt(text, purpose, key)
      expect(decrypt(bytes, purpose, key)).toBe(text)
      expect(decrypt(bytes, `${purpose}.`, key)).toBeUndefined()
      expect(decrypt(bytes, purpose, randomBytes(32))).toBeUndefined()
      expect(encrypt(text, purpose, key).equals(bytes)).toBe(false)
    }),
  )
})

it('a text that was changed or cut anywhere is none', () => {
  const bytes = encrypt('secret', 'webhook', key)
  // 12 bytes of a nonce, the text, 16 bytes that prove it.
  expect(bytes).toHaveLength(12 + 6 + 16)
  for (const at of bytes.keys()) {
    const changed = Buffer.from(bytes)
    changed[at] = (changed[at] ?? 0) ^ 1
    expect(decrypt(changed, 'webhook', key)).toBeUndefined()
    expect(decrypt(bytes.subarray(0, at), 'webhook', key)).toBeUndefined()
  }
  expect(decrypt(encrypt('', 'webhook', key), 'webhook', key)).toBe('')
})

it('no other bytes are a text', () => {
  assert(property(uint8Array({ maxLength: 64 }), (bytes) => decrypt(Buffer.from(bytes), '', key) === undefined))
})

it('no nonce comes twice, however many texts follow each other', () => {
  const nonces = Array.from({ length: 1000 }, () => encrypt('', '', key).subarray(0, 12).toString('hex'))
  expect(new Set(nonces).size).toBe(nonces.length)
})
