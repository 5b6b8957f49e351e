import { hostOfService, regionOf, signerFor } from './aws.ts'

/** A request to S3. `name`: the bucket and, after a slash, the file. */
export type S3Request = {
  method?: 'GET' | 'PUT' | 'DELETE'
  name: string
  query?: Readonly<Record<string, string>>
  headers?: Readonly<Record<string, string>>
  body?: Uint8Array
}

/**
 * Sends a signed request to S3, and returns whatever it answers. The SDK's client for S3 would add 127 kB to a bundle of 250 kB,
 * so only its signer is used.
 */
export async function s3Request(
  { method = 'GET', name, query = {}, headers = {}, body }: S3Request,
  env: NodeJS.ProcessEnv,
): Promise<Response> {
  const url = new URL(env.S3_ENDPOINT ?? `https://${hostOfService('s3', regionOf(env))}`)
  url.pathname = name.split('/').map(encoded).join('/')
  url.search = new URLSearchParams(query).toString()
  const { protocol, hostname, pathname: path } = url
  const signed = await signerFor('s3', env, { uriEscapePath: false }).sign({
    method,
    protocol,
    hostname,
    path,
    query,
    headers: { host: url.host, 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD', ...headers },
  })
  return fetch(url, { method, headers: signed.headers, ...(body ? { body: body as Uint8Array<ArrayBuffer> } : {}) })
}

const encoded = (part: string): string =>
  encodeURIComponent(part).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)
