import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { OAuth2Issuer } from 'oauth2-mock-server'
import { requireFreePort } from '../shared/ports.ts'
import { isAllowed } from '../start/origins.ts'
import { type Client, type Grant, newAuthorization, type Reply } from './authorizationEndpoint.ts'
import type { FindUser } from './findUser.ts'
import { pageHeaders, signInStyle } from './signInPage.ts'
import type { Shown } from './signInPeople.ts'
import { answerTokenRequest, type Refreshable, type TokenAnswer } from './tokenEndpoint.ts'

/** The local identity provider, running. */
export type IdentityProvider = { issuer: string; tokenEndpoint: string; stop: () => Promise<void> }

type Options = {
  port: number
  findUser: FindUser
  /** Programs that sign people in through the page, and the people that it shows. */
  clients?: readonly Client[]
  people?: readonly Shown[]
  /** Milliseconds; the time of this machine if left out. */
  now?: () => number
}

const audience = 'rollcall'
const secondsToLive = 3_600
const largestBody = 65_536

/** Starts an OpenID Connect issuer for local use, on this machine only: discovery, keys, tokens, and a page to sign in. */
export const startIdentity = async ({
  port,
  findUser,
  clients = [],
  people = [],
  now = Date.now,
}: Options): Promise<IdentityProvider> => {
  if (port !== 0) await requireFreePort(port, 'IDENTITY_PORT')
  const issuer = new OAuth2Issuer()
  await issuer.keys.generate('RS256', { kid: randomUUID().slice(0, 8) })
  const refreshTokens = new Map<string, Refreshable>()
  const signed = (claims: object) =>
    issuer.buildToken({
      expiresIn: secondsToLive,
      // No two tokens are the same, also of one second.
      scopesOrTransform: (_header, standard) => Object.assign(standard, { jti: randomUUID() }, claims),
    })
  const sign = (userId: string) => signed({ sub: userId, aud: audience, token_use: 'access' })
  const signId = ({ userId, clientId, nonce }: Grant) =>
    signed({ sub: userId, aud: clientId, token_use: 'id', ...(nonce === undefined ? {} : { nonce }) })

  const server = createServer((request, response) => {
    answer(request).then(
      (reply) => send(request, response, reply),
      (error: Error) =>
        send(request, response, { status: 500, body: { error: 'server_error', error_description: error.message } }),
    )
  })
  // Programs that ask now and then would meet connections that are just being closed.
  server.keepAliveTimeout = 60_000
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, 'localhost', resolve))
  const url = `http://localhost:${(server.address() as AddressInfo).port}`
  issuer.url = url
  const onEnd = (session: string) => {
    for (const [token, { signIn }] of refreshTokens) if (signIn?.session === session) refreshTokens.delete(token)
  }
  const authorization = newAuthorization({ issuer: url, clients, people, findUser, now, onEnd })
  const { redeem } = authorization

  const routes: Record<string, (request: IncomingMessage, query: URLSearchParams) => Promise<Answer> | Answer> = {
    'GET /.well-known/openid-configuration': () => ({ status: 200, body: discovery(url) }),
    'GET /jwks': () => ({ status: 200, body: { keys: issuer.keys.toJSON() } }),
    'POST /token': async (request) => {
      const form = { body: await readBody(request), headers: request.headers }
      return answerTokenRequest(form, { findUser, redeem, sign, signId, refreshTokens, secondsToLive })
    },
    'GET /authorize': (request, query) => authorization.authorize(query, sessionOf(request, url)),
    'POST /sign-in': async (request) =>
      request.headers.origin === url
        ? authorization.signIn(new URLSearchParams(await readBody(request)))
        : { status: 403, body: { error: 'access_denied', error_description: 'Only the page itself sends its form.' } },
    'GET /sign-in.css': () => ({ status: 200, text: signInStyle, type: 'text/css; charset=utf-8' }),
    'GET /end-session': (request, query) => authorization.endSession(query, sessionOf(request, url)),
  }
  const answer = async (request: IncomingMessage): Promise<Answer> => {
    // A page of another site can give its name the address of this machine, and would read what we answer to that name.
    if (!isAllowed(`http://${request.headers.host}`)) return { status: 421, body: { error: 'invalid_request' } }
    const [path, query = ''] = (request.url ?? '').split('?')
    const route = routes[`${request.method} ${path}`]
    return (
      route?.(request, new URLSearchParams(query)) ?? { status: request.method === 'OPTIONS' ? 204 : 404, body: {} }
    )
  }

  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { issuer: url, tokenEndpoint: `${url}/token`, stop }
}

const discovery = (issuer: string) => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  end_session_endpoint: `${issuer}/end-session`,
  jwks_uri: `${issuer}/jwks`,
  grant_types_supported: ['authorization_code', 'client_credentials', 'password', 'refresh_token'],
  token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  code_challenge_methods_supported: ['S256'],
  authorization_response_iss_parameter_supported: true,
  scopes_supported: ['openid'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['RS256'],
})

/** Instances on different ports have cookies of different names: browsers give cookies to all ports of a host. */
const cookieOf = (issuer: string): string => `rollcall-sign-in-${new URL(issuer).port}`

const sessionOf = ({ headers }: IncomingMessage, issuer: string): string | undefined =>
  new RegExp(`(?:^|; )${cookieOf(issuer)}=([\\w-]+)`).exec(headers.cookie ?? '')?.[1]

// Pages of this machine can get tokens: the page /docs does, from the API's port. Others cannot: a token opens the whole local service.
const corsFor = (origin: string | undefined) =>
  origin !== undefined && isAllowed(origin)
    ? {
        'access-control-allow-origin': origin,
        'access-control-allow-headers': 'authorization, content-type, x-requested-with',
        'access-control-allow-methods': 'GET, POST, OPTIONS',
      }
    : {}

type Answer = TokenAnswer | Reply | { status: number; text: string; type: string }

const send = (request: IncomingMessage, response: ServerResponse, answer: Answer) => {
  const { status, headers, content } = written(answer, `http://${request.headers.host}`)
  response.writeHead(status, {
    'cache-control': 'no-store',
    vary: 'Origin',
    ...('body' in answer ? corsFor(request.headers.origin) : {}),
    ...headers,
  })
  response.end(content)
}

/** An answer as it is sent. */
const written = (answer: Answer, issuer: string) => {
  if ('body' in answer) {
    const { status, body, headers } = answer
    const content = status === 204 ? undefined : JSON.stringify(body)
    return { status, headers: { 'content-type': 'application/json', ...headers }, content }
  }
  if ('text' in answer) return { status: answer.status, headers: { 'content-type': answer.type }, content: answer.text }
  const cookie = answer.session === undefined ? {} : { 'set-cookie': cookieWith(answer.session, issuer) }
  return 'to' in answer
    ? { status: 303, headers: { location: answer.to, ...cookie }, content: undefined }
    : { status: answer.status, headers: { ...pageHeaders(answer.page), ...cookie }, content: answer.page.html }
}

const cookieWith = (session: string, issuer: string): string =>
  `${cookieOf(issuer)}=${session}; Path=/; HttpOnly; SameSite=Lax${session === '' ? '; Max-Age=0' : ''}`

const readBody = async (request: IncomingMessage) => {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request) {
    length += chunk.length
    if (length <= largestBody) chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
