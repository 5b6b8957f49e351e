import { Webhook } from 'standardwebhooks'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { newSecret, signedHeaders } from '../../domain/webhooks/signature.ts'

// The library of the specification, as receivers use it.

const at = new Date('2026-11-21T09:00:00.000Z')
const message = {
  id: '20261121T090000000Z-8f14e45f',
  timestamp: at.getTime() / 1000,
  body: JSON.stringify({ type: 'user.created', data: { name: 'Zoë Łukasz 🚀' } }),
}
const verify = (secret: string, headers: Record<string, string>, body = message.body): unknown =>
  new Webhook(secret).verify(body, headers)

afterEach(() => void vi.useRealTimers())
const setNow = (ms: number) => vi.useFakeTimers({ now: ms, toFake: ['Date'] })

describe('a signature', () => {
  it('is accepted by the library of the specification', () => {
    setNow(at.getTime())
    const secret = newSecret()
    expect(verify(secret, signedHeaders(message, [secret]))).toEqual(JSON.parse(message.body))
  })

  it('is accepted by receivers with the new secret and by those with the one before', () => {
    setNow(at.getTime())
    const secrets = [newSecret(), newSecret()]
    const headers = signedHeaders(message, secrets)
    for (const secret of secrets) expect(verify(secret, headers)).toEqual(JSON.parse(message.body))
    expect(() => verify(newSecret(), headers)).toThrow()
  })

  it.each([
    ['another body', {}, `${message.body} `],
    ['another id', { 'webhook-id': 'other' }, message.body],
    ['another time', { 'webhook-timestamp': String(message.timestamp + 1) }, message.body],
    ['no signature', { 'webhook-signature': '' }, message.body],
  ])('is refused with %s', (_what, other, body) => {
    setNow(at.getTime())
    const secret = newSecret()
    expect(() => verify(secret, { ...signedHeaders(message, [secret]), ...other }, body)).toThrow()
  })

  it.each([
    [-300, true],
    [-302, false],
    [300, true],
    [302, false],
  ])('%i seconds away is accepted: %s', (seconds, isAccepted) => {
    setNow(at.getTime() + seconds * 1000)
    const secret = newSecret()
    const verified = () => verify(secret, signedHeaders(message, [secret]))
    if (isAccepted) expect(verified()).toBeTruthy()
    else expect(verified).toThrow()
  })

  it('has 32 random bytes as its secret', () => {
    const secrets = Array.from({ length: 20 }, newSecret)
    expect(new Set(secrets).size).toBe(20)
    for (const secret of secrets) {
      expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]+=*$/)
      expect(Buffer.from(secret.slice('whsec_'.length), 'base64')).toHaveLength(32)
    }
  })
})
