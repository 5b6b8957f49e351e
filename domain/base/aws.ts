import { Sha256 } from '@smithy/core/checksum'
import { SignatureV4 } from '@smithy/signature-v4'

// Signed requests to AWS services of which we need only one or two calls. The SDK's clients are large, so only its signer is used.

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
