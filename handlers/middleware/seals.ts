import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import { decrypt, encrypt } from '../../domain/base/cipher.ts'
import { remembered } from '../../domain/base/memory.ts'
import { decideAgain } from '../../domain/base/retry.ts'
import type { Seals } from '../../domain/request/context.ts'
import { succeeded } from '../../domain/table/actions.ts'
import type { Table } from '../../domain/table/dynamo.ts'
import { absent, is } from '../../domain/table/expressions.ts'
import { cursorSecretKey } from '../../domain/table/keys.ts'
import type { Item, Reads, Store } from '../../domain/table/store.ts'
import { dynamoStore } from '../../domain/table/transact.ts'
import { readPoint } from './environment.ts'

/**
 * The keys that seal cursors. The service makes the first one itself. A key seals from the moment `from` on, by which they are
 * sorted. It opens cursors until a day after the next key has begun to seal.
 */
type CursorSecret = { keys: readonly SealingKey[] }
/** 32 random bytes in base64url. */
type SealingKey = { key: string; from: string }

const readSecret = async (store: Reads): Promise<CursorSecret | undefined> =>
  (await store.get(cursorSecretKey))?.data as CursorSecret | undefined
const secretItem = (keys: readonly SealingKey[]): Item => ({ ...cursorSecretKey, data: { keys } })

/** Keys are prepared once: with bare bytes each seal takes three times as long. */
const rememberedKeys = remembered(async (store: Reads) => (await readSecret(store))?.keys.map(ready), { ms: 60_000 })
const ready = ({ key, from }: SealingKey): ReadyKey => ({ from, ready: createSecretKey(key, 'base64url') })
type ReadyKey = Pick<SealingKey, 'from'> & { ready: KeyObject }

/** A new key seals only after this time. By then every function has read it, as they do once a minute. */
const UNTIL_KNOWN_MS = 120_000
const OLD_OPENS_MS = 24 * 3_600_000

/** The item of a first key. */
export const firstSecret = (now: Date): Item => secretItem([newKey(now.getTime())])

const newKey = (from: number): SealingKey => ({
  key: randomBytes(32).toString('base64url'),
  from: new Date(from).toISOString(),
})

/**
 * Seals for one call. It begins to read the keys with the first reads of the call, unless the process has read them within the
 * last minute.
 */
export function newSeals(store: Reads, table: Table, now: Date): Seals {
  const reading = rememberedKeys.read(store, readPoint(now))
  // A call that does not seal must not fail because of it; one that seals awaits `reading`.
  reading.catch(() => {})
  return {
    seal: async (text, boundTo) => {
      const keys = (await reading) ?? (await makeFirst(dynamoStore(table), now))
      const key = keys.findLast(({ from }) => Date.parse(from) <= now.getTime()) ?? keys[0]
      return seal(text, boundTo, (key as ReadyKey).ready)
    },
    // Keys read within two minutes are nearly always enough: then a page does not wait for newer ones.
    unseal: async (text, boundTo) =>
      open(text, boundTo, keysToOpen(rememberedKeys.last(readPoint(now)), now)) ??
      open(text, boundTo, keysToOpen(await reading, now)),
  }
}

/** The first key of a table. Of several functions that make one at the same time, one succeeds. */
async function makeFirst(store: Store, now: Date): Promise<ReadyKey[]> {
  await succeeded(store.write([{ put: firstSecret(now), if: absent }]))
  return (await rememberedKeys.readNow(store, readPoint(now))) as ReadyKey[]
}

/**
 * Makes a new key, which begins to seal in two minutes. Older cursors stay valid for another day or, with `forget`, for two
 * minutes at most.
 */
export const rotateSecret = (store: Store, now: Date, { forget = false } = {}): Promise<void> =>
  decideAgain(async () => {
    const before = await readSecret(store)
    const kept = forget ? [] : keysToOpen(before?.keys, now)
    const next = newKey(now.getTime() + (kept.length > 0 ? UNTIL_KNOWN_MS : 0))
    await store.write([{ put: secretItem([...kept, next]), if: before ? is({ data: before }) : absent }])
  })

function keysToOpen<K extends Pick<SealingKey, 'from'>>(keys: readonly K[] = [], now: Date): K[] {
  return keys.filter((_, n) => {
    const next = keys[n + 1]
    return !next || Date.parse(next.from) + OLD_OPENS_MS > now.getTime()
  })
}

/** Seals a text for one purpose. */
export const seal = (text: string, boundTo: string, key: KeyObject): string =>
  encrypt(text, boundTo, key).toString('base64url')

function open(text: string, boundTo: string, keys: readonly ReadyKey[]): string | undefined {
  const bytes = Buffer.from(text, 'base64url')
  // Several base64 texts decode to the same bytes; accept only the one that we made.
  if (bytes.toString('base64url') !== text) return undefined
  for (const { ready: key } of keys.toReversed()) {
    const opened = decrypt(bytes, boundTo, key)
    if (opened !== undefined) return opened
  }
  return undefined
}
