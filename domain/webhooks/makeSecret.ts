import { externals } from './externals.ts'
import { newSecret } from './signature.ts'
import type { Secret } from './webhook.ts'

/** A new secret for a webhook: as its receiver gets it, and as it is stored. */
export async function makeSecret(webhook: string): Promise<{ secret: string; stored: Secret }> {
  const secret = newSecret()
  return { secret, stored: { sealed: await externals.keyService().seal(secret, webhook), until: null } }
}
