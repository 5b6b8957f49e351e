import { createHash, randomBytes } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  isTokenId,
  partsOfToken,
  TOKEN_BEGINNING,
  tokenIdFrom,
  tokenText,
} from '../../domain/people/tokens/serviceToken.ts'

const secrets = fc.uint8Array({ minLength: 32, maxLength: 32 })
const tokens = fc.tuple(secrets, secrets).map(([random, secret]) => tokenText(tokenIdFrom(random), secret).token)

/** CRC-32 as ISO 3309 defines it, bit by bit. */
function crc32(text: string): number {
  let crc = 0xffffffff
  for (const byte of Buffer.from(text)) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  }
  return (crc ^ 0xffffffff) >>> 0
}
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const numberOf = (base62: string): bigint =>
  [...base62].reduce((sum, digit) => sum * 62n + BigInt(digits.indexOf(digit)), 0n)

describe('the text of a token', () => {
  it('has parts of fixed length, which say all 128 and 256 bits, and the CRC-32 of what is before', () => {
    fc.assert(
      fc.property(secrets, secrets, (random, bytes) => {
        const id = tokenIdFrom(random)
        const { token, secretHash } = tokenText(id, bytes)
        const [, ofId = '', secret = '', check = ''] = /^rct_(\w{22})_(\w{43})_(\w{6})$/.exec(token) ?? []
        expect([ofId, isTokenId(id)]).toEqual([id, true])
        expect(numberOf(id)).toBe(BigInt(`0x${Buffer.from(random.subarray(0, 16)).toString('hex')}`))
        expect(numberOf(secret)).toBe(BigInt(`0x${Buffer.from(bytes).toString('hex')}`))
        expect(Number(numberOf(check))).toBe(crc32(token.slice(0, -check.length - 1)))
        expect(secretHash).toBe(createHash('sha256').update(secret).digest('base64url'))
        expect(partsOfToken(token)).toEqual({ id, secret })
      }),
    )
  })

  it('is refused with any one character changed, left out or added', () => {
    const characters = fc.constantFrom(...digits, '_', '-', '=', ' ')
    fc.assert(
      fc.property(tokens, fc.nat(76), characters, (token, at, character) => {
        const [head, tail] = [token.slice(0, at), token.slice(at + 1)]
        if (character !== token[at]) expect(partsOfToken(head + character + tail)).toBeUndefined()
        expect(partsOfToken(head + tail)).toBeUndefined()
        expect(partsOfToken(head + character + token.slice(at))).toBeUndefined()
        expect(partsOfToken(head)).toBeUndefined()
      }),
    )
  })

  it('begins as no JWT does', () => {
    expect(TOKEN_BEGINNING).toBe('rct_')
    expect(tokenText(tokenIdFrom(randomBytes(32)), randomBytes(32)).token.startsWith(TOKEN_BEGINNING)).toBe(true)
  })

  it.each(['', 'a'.repeat(21), 'a'.repeat(23), `${'a'.repeat(21)}_`, `${'a'.repeat(22)}\n`])('%j is no id', (text) => {
    expect(isTokenId(text)).toBe(false)
  })

  it('is refused with two neighbours in the other order', () => {
    fc.assert(
      fc.property(tokens, fc.nat(75), (token, at) => {
        const [one = '', other = ''] = [token[at], token[at + 1]]
        if (one !== other) expect(partsOfToken(token.slice(0, at) + other + one + token.slice(at + 2))).toBeUndefined()
      }),
    )
  })

  it('is refused with the id or the secret of another token', () => {
    const parts = () => tokenText(tokenIdFrom(randomBytes(32)), randomBytes(32)).token.split('_')
    const [mine, other] = [parts(), parts()]
    for (const place of [1, 2, 3]) {
      const mixed = mine.map((part, n) => (n === place ? other[n] : part)).join('_')
      expect(partsOfToken(mixed), mixed).toBeUndefined()
    }
  })

  it.each([
    ['zeros', 0, '0'.repeat(22)],
    ['the largest id', 255, '7n42DGM5Tflk9n8mt7Fhc7'],
  ])('%s', (_what, byte, id) => {
    expect(tokenIdFrom(Buffer.alloc(16, byte))).toBe(id)
  })
})
