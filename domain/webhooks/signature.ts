import { createHmac, randomBytes } from 'node:crypto'

// Signatures by the Standard Webhooks specification: its libraries verify them as they are.

const PREFIX = 'whsec_'
/** The specification takes 24 to 64 bytes. */
const SECRET_BYTES = 32

/** A new secret: `whsec_` and 32 random bytes in base64. */
export const newSecret = (): string => `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`

/** A message to sign: the id is the same in each attempt, the timestamp is that of the attempt, in seconds. */
export type Message = { id: string; timestamp: number; body: string }

/** The headers of a message, with one signature for each secret that is valid now. */
export const signedHeaders = (message: Message, secrets: readonly string[]) => ({
  'webhook-id': message.id,
  'webhook-timestamp': String(message.timestamp),
  'webhook-signature': secrets.map((secret) => signatureOf(message, secret)).join(' '),
})

function signatureOf({ id, timestamp, body }: Message, secret: string): string {
  const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
}
