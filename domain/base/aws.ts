import { type BinaryLike, createHash, createHmac } from 'node:crypto'
import { SignatureV4 } from '@smithy/signature-v4'

// Signed requests to AWS services of which we need only one or two calls. The SDK's clients are large, so only its signer is used.

/** SHA-256 as the signature needs it. */
class Sha256 {
  readonly #sum
  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    // Node also takes an ArrayBuffer; its types do not say so.
    this.#sum = secret === undefined ? createHash('sha256') : createHmac('sha256', secret as BinaryLike)
  }
  update(data: Uint8Array): void {
    this.#sum.update(data)
  }
  // Stryker disable all: the signer's interface asks for it, but the signer never calls it
  reset(): void {
    throw new Error('A hash cannot be reset')
  }
  // Stryker restore all
  digest(): Promise<Uint8Array> {
    return Promise.resolve(this.#sum.digest())
  }
}

export const regionOf = ({ AWS_REGION }: NodeJS.ProcessEnv): string => AWS_REGION ?? 'eu-central-1'

/** The host of a service. Regions of China have another domain. */
export const hostOfService = (service: string, region: string): string =>
  `${service}.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`

/** Signs requests to a service with the credentials of the function. */
export const signerFor = (service: string, env: NodeJS.ProcessEnv, options: { uriEscapePath?: boolean } = {}) =>
  new SignatureV4({
    service,
    region: regionOf(env),
    sha256: Sha256,
    ...options,
    credentials: {
      accessKeyId: env.AWS_ACCESS_KEY_ID ?? '',
      secretAccessKey: env.AWS_SECRET_ACCESS_KEY ?? '',
      ...(env.AWS_SESSION_TOKEN ? { sessionToken: env.AWS_SESSION_TOKEN } : {}),
    },
  })
