import { generateKeyPairSync } from 'node:crypto'

/** The keys that sign tokens, in PEM: the issuer's, and one that the issuer does not have. */
export type Keys = { ours: string; foreign: string }

/** Makes the keys. Making one takes as long as a hundred requests. */
export const newKeys = (): Keys => ({ ours: newKey(), foreign: newKey() })

const newKey = (): string =>
  generateKeyPairSync('rsa', {
    modulusLength: 2048,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  }).privateKey
