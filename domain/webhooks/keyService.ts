import { createHash } from 'node:crypto'
import { hostOfService, regionOf, signerFor } from '../base/aws.ts'
import { decrypt, encrypt } from '../base/cipher.ts'

/**
 * Seals secrets, so that streams, exports and backups of the table do not show them. What is sealed for one webhook cannot be
 * unsealed for another: its id is the encryption context.
 */
export type KeyService = {
  seal: (secret: string, webhook: string) => Promise<string>
  unseal: (sealed: string, webhook: string) => Promise<string>
}

/** The key service of this environment: a key of KMS, or a fixed key on a laptop. */
export function keyServiceOf(env: NodeJS.ProcessEnv = process.env): KeyService {
  const { WEBHOOK_KEY: key } = env
  if (!key) throw new Error('WEBHOOK_KEY must name a key of KMS')
  return key === LOCAL_KEY ? fixedKey : kms(key, env)
}

/** The key of laptops and tests. */
export const LOCAL_KEY = 'local'

/** How long KMS may take to answer. */
const PATIENCE_MS = 5000

const kms = (KeyId: string, env: NodeJS.ProcessEnv): KeyService => ({
  seal: async (secret, webhook) => {
    const Plaintext = Buffer.from(secret).toString('base64')
    return (await ask('Encrypt', { KeyId, Plaintext, EncryptionContext: { webhook } }, env)).CiphertextBlob
  },
  unseal: async (CiphertextBlob, webhook) => {
    const { Plaintext } = await ask('Decrypt', { KeyId, CiphertextBlob, EncryptionContext: { webhook } }, env)
    return Buffer.from(Plaintext, 'base64').toString()
  },
})

/** One call of KMS. Throws without what was sent. */
async function ask(
  action: string,
  input: object,
  env: NodeJS.ProcessEnv,
): Promise<{ CiphertextBlob: string; Plaintext: string }> {
  const { protocol, hostname, port, host } = new URL(
    env.KMS_ENDPOINT ?? `https://${hostOfService('kms', regionOf(env))}`,
  )
  const body = JSON.stringify(input)
  const headers = { host, 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': `TrentService.${action}` }
  const request = { method: 'POST', protocol, hostname, path: '/', query: {}, headers, body }
  const signed = await signerFor('kms', env).sign(port ? { ...request, port: Number(port) } : request)
  const answer = await fetch(`${protocol}//${host}/`, {
    method: 'POST',
    headers: signed.headers,
    body,
    signal: AbortSignal.timeout(PATIENCE_MS),
  })
  if (answer.ok) return (await answer.json()) as { CiphertextBlob: string; Plaintext: string }
  await answer.body?.cancel()
  throw new Error(`KMS refuses to ${action}: it answers ${answer.status}`)
}

/** It protects nothing: the key is here for everybody to read. So it is for laptops only. */
const localKey = createHash('sha256').update('Rollcall on this machine').digest()

/** The same interface without KMS. */
const fixedKey: KeyService = {
  seal: async (secret, webhook) => encrypt(secret, webhook, localKey).toString('base64'),
  unseal: async (sealed, webhook) => {
    const secret = decrypt(Buffer.from(sealed, 'base64'), webhook, localKey)
    if (secret === undefined) throw new Error('The secret was not sealed on this machine for this webhook')
    return secret
  },
}
