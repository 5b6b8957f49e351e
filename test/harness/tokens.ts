import { createPublicKey, createSign } from 'node:crypto'
import { JwtVerifier } from 'aws-jwt-verify'
import type { TokenVerifier } from '../../handlers/middleware/issuerTokens.ts'
import { newKeys } from './keys.ts'

export const issuer = 'https://identity.test'
export const audience = 'rollcall'

/** A run of all tests makes its keys once; the benchmark makes others. */
const keys = process.env['VITEST'] ? (await import('vitest')).inject('keys') : newKeys()
const kid = 'test-key'

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

type Claims = Record<string, unknown>
type Signing = { header?: object; claims?: Claims; signWith?: 'ours' | 'foreign' | 'nobody' }

const good = new Map<string, string>()
const isGood = new Set<string>()

/** A real signed token for a user, or one that is wrong in the way that is asked for. */
export function tokenFor(sub: string, signing?: Signing): string {
  if (signing) return sign(sub, signing)
  const token = good.get(sub) ?? sign(sub, {})
  good.set(sub, token)
  isGood.add(token)
  return token
}

function sign(sub: string, { header = {}, claims = {}, signWith = 'ours' }: Signing): string {
  const now = Math.floor(Date.now() / 1000)
  const body = { iss: issuer, aud: audience, sub, iat: now, exp: now + 3600, ...claims }
  const content = `${part({ alg: 'RS256', typ: 'JWT', kid, ...header })}.${part(body)}`
  if (signWith === 'nobody') return `${content}.`
  return `${content}.${createSign('RSA-SHA256').update(content).sign(keys[signWith]).toString('base64url')}`
}

/** Our key as an issuer publishes it. */
export const publicKey = () => ({
  ...createPublicKey(keys.ours).export({ format: 'jwk' }),
  ...{ kid, alg: 'RS256', use: 'sig' },
})

/** A verifier that knows our key, as if fetched from the issuer. It verifies each good token once. */
export function testVerifier(): TokenVerifier {
  const verifier = JwtVerifier.create({ issuer, audience, jwksUri: `${issuer}/jwks` })
  verifier.cacheJwks({ keys: [publicKey() as never] })
  const verified = new Map<string, Promise<Record<string, unknown>>>()
  return (token) => {
    const known = verified.get(token) ?? (verifier.verify(token) as Promise<Record<string, unknown>>)
    if (isGood.has(token)) verified.set(token, known)
    return known
  }
}
