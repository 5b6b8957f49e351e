import { generateKeyPairSync } from 'node:crypto'

/** What tokens are signed with, in PEM: the issuer's key, and one of nobody. */
export type Keys = { ours: string; foreign: string }

/** Makes keys, each of which takes as long as a hundred requests. */
export const newKeys = (): Keys => ({ ours: newKey(), foreign: newKey() })

const newKey = (): string =>
  generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  }).privateKey
