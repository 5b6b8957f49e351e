import { type KeyService, keyServiceOf } from './keyService.ts'
import { type Reach, reachOf } from './send.ts'
import { newSecret } from './signature.ts'
import type { Secret } from './webhook.ts'

/** What operations on webhooks need besides their context: the network and the key service. Tests replace it. */
export const outside = {
  reach: (): Reach => reachOf(),
  keyService: (): KeyService => keyServiceOf(),
}

/** A new secret for a webhook: as its receiver gets it, and as it is stored. */
export async function makeSecret(webhook: string): Promise<{ secret: string; stored: Secret }> {
  const secret = newSecret()
  return { secret, stored: { sealed: await outside.keyService().encrypt(secret, webhook), until: null } }
}
