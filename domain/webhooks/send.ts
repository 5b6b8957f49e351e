import type { LookupAddress } from 'node:dns'
import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import { isIP } from 'node:net'
import { NotPublic, type Reach, resolve, withinDeadline } from './reach.ts'
import { hostOf, urlFault } from './webhookUrl.ts'

// Sends one message to an address that a stranger has chosen.

/** What became of an attempt. `fault` says in words why it failed; null if it is delivered. */
export type Attempt = { status: number | null; ms: number; fault: string | null; retryAfter?: string | undefined }

/** The most bytes of headers that are read. */
const MOST_HEADER_BYTES = 16_384

/**
 * Sends a message once. The connection goes to the address that was checked: the name is not looked up again. No redirect is
 * followed, no proxy and no earlier connection is used, and the body of the answer is not read. Never throws.
 */
export async function send(
  url: string,
  message: { headers: Readonly<Record<string, string>>; body: string },
  reach: Reach,
): Promise<Attempt> {
  const began = performance.now()
  const ended = (status: number | null, fault: string | null) => ({
    status,
    ms: Math.round(performance.now() - began),
    fault,
  })
  try {
    if (urlFault(url, reach.isLocal)) throw new NotPublic()
    const target = new URL(url)
    const { statusCode = 0, headers } = await withinDeadline(reach.deadline, async (signal) =>
      post(target, await resolve(target, reach), { ...message, signal, ca: reach.ca }),
    )
    const isDelivered = statusCode >= 200 && statusCode < 300
    return { ...ended(statusCode, isDelivered ? null : faultOfStatus(statusCode)), retryAfter: headers['retry-after'] }
  } catch (error) {
    return ended(null, faultOf(error, reach.deadline))
  }
}

type Post = {
  headers: Readonly<Record<string, string>>
  body: string
  signal: AbortSignal
  ca: string | undefined
}

/** The head of the answer. The connection is closed before its body. */
async function post(
  url: URL,
  { address, family }: LookupAddress,
  { headers, body, signal, ca }: Post,
): Promise<IncomingMessage> {
  // The look-up of the name took too long.
  signal.throwIfAborted()
  const name = hostOf(url)
  const isSafe = url.protocol === 'https:'
  const options = {
    method: 'POST',
    host: address,
    family,
    port: url.port || (isSafe ? 443 : 80),
    path: `${url.pathname}${url.search}`,
    headers: {
      ...headers,
      host: url.host,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      'user-agent': 'Rollcall-Webhooks/1',
      connection: 'close',
    },
    // Agents without options: they know no proxy, and keep no connection and no session.
    agent: isSafe ? new HttpsAgent({ maxCachedSessions: 0 }) : new HttpAgent(),
    maxHeaderSize: MOST_HEADER_BYTES,
    signal,
  }
  // The certificate is that of the name, although the connection goes to an address.
  const tls = { servername: isIP(name) ? '' : name, rejectUnauthorized: true, ...(ca ? { ca } : {}) }
  return new Promise((answered, failed) => {
    const request = isSafe ? requestHttps({ ...options, ...tls }) : requestHttp(options)
    request.on('response', (answer) => {
      answered(answer)
      answer.on('error', () => {})
      request.destroy()
    })
    // The server wants to change the protocol: no answer to a message.
    request.on('upgrade', (answer, socket) => {
      answered(answer)
      socket.destroy()
    })
    request.on('error', failed)
    request.on('close', () => failed(Object.assign(new Error('closed'), { code: 'ECONNRESET' })))
    request.end(body)
  })
}

const faultOfStatus = (status: number): string =>
  status >= 300 && status < 400 ? `answered ${status}: redirects are not followed` : `answered ${status}`

/** Words for what people can do something about, by Node's codes. */
const words: Readonly<Record<string, string>> = {
  ENOTFOUND: 'the name has no address',
  ENODATA: 'the name has no address',
  EAI_AGAIN: 'the name cannot be looked up',
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection closed before an answer',
  EPIPE: 'connection closed before an answer',
  EHOSTUNREACH: 'the address cannot be reached',
  ENETUNREACH: 'the address cannot be reached',
  ETIMEDOUT: 'the address cannot be reached',
  CERT_HAS_EXPIRED: 'certificate expired',
  CERT_NOT_YET_VALID: 'certificate not valid yet',
  ERR_TLS_CERT_ALTNAME_INVALID: 'certificate of another name',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'certificate of an unknown authority',
  SELF_SIGNED_CERT_IN_CHAIN: 'certificate of an unknown authority',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'certificate of an unknown authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'certificate of an unknown authority',
  EPROTO: 'no TLS connection',
  HPE_HEADER_OVERFLOW: `more than ${MOST_HEADER_BYTES / 1024} kB of headers`,
}

const isLate = (error: unknown): boolean => error instanceof Error && error.name === 'TimeoutError'

function faultOf(error: unknown, deadline: number): string {
  if (isLate(error)) return `no answer in ${deadline / 1000} s`
  if (error instanceof NotPublic) return 'the address is not public'
  const { code = 'unknown' } = error as { code?: string }
  if (words[code]) return words[code]
  if (code.startsWith('HPE_')) return 'the answer is not HTTP'
  return code.startsWith('ERR_SSL') ? 'no TLS connection' : `no connection (${code})`
}
