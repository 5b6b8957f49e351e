import { createSign, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { JwtVerifier } from 'aws-jwt-verify'
import type { TokenVerifier } from '../../handlers/middleware/authenticate.ts'

export const issuer = 'https://identity.test'
export const audience = 'rollcall'

type Keys = { publicKey: KeyObject; privateKey: KeyObject }
const newKeys = (): Keys => generateKeyPairSync('rsa', { modulusLength: 2048 })
const keys = newKeys()
const foreignKeys = newKeys()
const kid = 'test-key'

const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

type Claims = Record<string, unknown>
type Signing = { header?: object; claims?: Claims; signWith?: 'ours' | 'foreign' | 'nobody' }

/** A real signed token for a user, or one that is wrong in the way that is asked for. */
export function tokenFor(sub: string, { header = {}, claims = {}, signWith = 'ours' }: Signing = {}): string {
  const now = Math.floor(Date.now() / 1000)
  const body = { iss: issuer, aud: audience, sub, iat: now, exp: now + 3600, ...claims }
  const content = `${part({ alg: 'RS256', typ: 'JWT', kid, ...header })}.${part(body)}`
  if (signWith === 'nobody') return `${content}.`
  const { privateKey } = signWith === 'ours' ? keys : foreignKeys
  return `${content}.${createSign('RSA-SHA256').update(content).sign(privateKey).toString('base64url')}`
}

/** A verifier that knows our key, as if fetched from the issuer. */
export function testVerifier(): TokenVerifier {
  const verifier = JwtVerifier.create({ issuer, audience, jwksUri: `${issuer}/jwks` })
  const jwk = { ...keys.publicKey.export({ format: 'jwk' }), kid, alg: 'RS256', use: 'sig' }
  verifier.cacheJwks({ keys: [jwk as never] })
  return (token) => verifier.verify(token) as Promise<Record<string, unknown>>
}
