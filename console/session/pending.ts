// The sign-in that this tab has begun, while the person is at the issuer. Of use to nobody without the code in the answer's address.
import type { Begun } from './issuer.ts'
import type { Storage } from './page.ts'

const KEY = 'rollcall.sign-in'

/** `returnTo`: the path to go on at. */
export type Pending = Begun & { returnTo: string }

export const keepPending = (storage: Storage, pending: Pending): void => storage.setItem(KEY, JSON.stringify(pending))

/** Takes the sign-in out of the storage: its answer is used once. */
export function takePending(storage: Storage): Pending | undefined {
  const text = storage.getItem(KEY)
  storage.removeItem(KEY)
  return text === null ? undefined : (JSON.parse(text) as Pending)
}
