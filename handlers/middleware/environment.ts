import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomBytes,
  randomUUID,
} from 'node:crypto'
import type { Seals } from '../../domain/request/context.ts'
import { documentClient, dynamoStore } from '../../domain/table/dynamo.ts'
import type { Traffic } from '../../domain/table/requests.ts'
import type { Store } from '../../domain/table/store.ts'
import { writeLine } from './log.ts'

type Client = ReturnType<typeof documentClient>

let client: Client | undefined
let seals: Seals | undefined

/** What a function uses of the world: clock, ids, table, log. Made on first use and kept while the function is warm. */
export const environment = {
  now: (): Date => new Date(),
  newId: (): string => randomUUID(),
  client: (): Client => (client ??= documentClient()),
  seals: (): Seals => (seals ??= sealsWith(process.env.CURSOR_SECRET)),
  log: writeLine,
}

/** Left for the last log line and the answer before a function is ended. */
const LAST_WORD_MS = 500
/** The longest time that a timer takes. */
const LONGEST_MS = 2 ** 31 - 1

/**
 * The table for a function that is not wrapped by `endpoint`: shortly before its time is over all requests are
 * aborted, so that the function can still log and answer.
 */
export function storeInTime(timeLeft: () => number, traffic?: Traffic): Store {
  const over = new AbortController()
  setTimeout(() => over.abort(), Math.min(LONGEST_MS, Math.max(0, timeLeft() - LAST_WORD_MS))).unref()
  return newStore(() => over.signal, traffic)
}

/** The table for one request; nothing more is sent once its signal is aborted. */
export const newStore = (signal?: () => AbortSignal | undefined, traffic?: Traffic): Store =>
  dynamoStore({
    client: environment.client(),
    name: process.env.TABLE_NAME ?? 'rollcall',
    newToken: randomUUID,
    ...(signal ? { signal } : {}),
    ...(traffic ? { traffic } : {}),
  })

/** Environment variables are missing: a fault of the deployment. The log names them. */
export class NotConfigured extends Error {
  override name = 'NotConfigured'
  readonly missing: readonly string[]
  constructor(missing: readonly string[]) {
    super(`${missing.join(' and ')} must be set`)
    this.missing = missing
  }
}

const CIPHER = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

/**
 * Seals with a key derived from a secret: encrypted, so that they cannot be read, and authenticated, so that they
 * cannot be changed.
 */
export function sealsWith(secret: string | undefined): Seals {
  let made: KeyObject | undefined
  const key = (): KeyObject => {
    // Seals with an empty secret could be forged by anyone.
    if (!secret) throw new NotConfigured(['CURSOR_SECRET'])
    // Made ready once: with bare bytes each seal takes three times as long.
    made ??= createSecretKey(new Uint8Array(hkdfSync('sha256', secret, '', 'cursor', 32)))
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
      // Several base64 texts decode to the same bytes; accept only the one that we made.
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
