import { type KeyService, keyServiceOf } from './keyService.ts'
import { type Reach, reachOf } from './reach.ts'

/** What operations on webhooks need besides their context: the network and the key service. Tests replace it. */
export const externals = {
  reach: (): Reach => reachOf(),
  keyService: (): KeyService => keyServiceOf(),
}
