import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { OAuth2Issuer } from 'oauth2-mock-server'
import { isAllowed } from './origins.ts'
import { requireFreePort } from './ports.ts'
import { answerTokenRequest, type FindUser, type TokenAnswer } from './tokenEndpoint.ts'

/** The local identity provider, running. */
export type IdentityProvider = { issuer: string; tokenEndpoint: string; stop: () => Promise<void> }

type Options = { port: number; findUser: FindUser }

const audience = 'rollcall'
const secondsToLive = 3_600
const largestBody = 65_536

/** Starts an OpenID Connect issuer for local use: discovery, keys and a token endpoint, on this machine only. */
export const startIdentity = async ({ port, findUser }: Options): Promise<IdentityProvider> => {
  if (port !== 0) await requireFreePort(port, 'IDENTITY_PORT')
  const issuer = new OAuth2Issuer()
  await issuer.keys.generate('RS256', { kid: randomUUID().slice(0, 8) })
  const refreshTokens = new Map<string, string>()
  const sign = (userId: string) =>
    issuer.buildToken({
      expiresIn: secondsToLive,
      scopesOrTransform: (_header, claims) =>
        Object.assign(claims, { sub: userId, aud: audience, token_use: 'access' }),
    })

  const routes: Record<string, (request: IncomingMessage) => Promise<TokenAnswer> | TokenAnswer> = {
    'GET /.well-known/openid-configuration': () => ({ status: 200, body: discovery(issuer.url ?? '') }),
    'GET /jwks': () => ({ status: 200, body: { keys: issuer.keys.toJSON() } }),
    'POST /token': async (request) => {
      const form = { body: await readBody(request), headers: request.headers }
      return answerTokenRequest(form, { findUser, sign, refreshTokens, secondsToLive })
    },
  }
  const server = createServer((request, response) => {
    const route = routes[`${request.method} ${request.url?.split('?')[0]}`]
    const answer = route ?? (() => ({ status: request.method === 'OPTIONS' ? 204 : 404, body: {} }))
    Promise.resolve(answer(request)).then(
      (reply) => send(request, response, reply),
      (error: Error) =>
        send(request, response, { status: 500, body: { error: 'server_error', error_description: error.message } }),
    )
  })
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, 'localhost', resolve))
  issuer.url = `http://localhost:${(server.address() as AddressInfo).port}`
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { issuer: issuer.url, tokenEndpoint: `${issuer.url}/token`, stop }
}

const discovery = (issuer: string) => ({
  issuer,
  token_endpoint: `${issuer}/token`,
  jwks_uri: `${issuer}/jwks`,
  grant_types_supported: ['client_credentials', 'password', 'refresh_token'],
  token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
  response_types_supported: [],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['RS256'],
})

// Pages of this machine can get tokens: the page /docs does, from the API's port. Others cannot: a token opens the whole local service.
const corsFor = (origin: string | undefined) =>
  origin !== undefined && isAllowed(origin)
    ? {
        'access-control-allow-origin': origin,
        'access-control-allow-headers': 'authorization, content-type, x-requested-with',
        'access-control-allow-methods': 'GET, POST, OPTIONS',
      }
    : {}

const send = (request: IncomingMessage, response: ServerResponse, { status, body, headers }: TokenAnswer) => {
  response.writeHead(status, {
    'content-type': 'application/json',
    'cache-control': 'no-store',
    vary: 'Origin',
    ...corsFor(request.headers.origin),
    ...headers,
  })
  response.end(status === 204 ? undefined : JSON.stringify(body))
}

const readBody = async (request: IncomingMessage) => {
  const chunks: Buffer[] = []
  let length = 0
  for await (const chunk of request) {
    length += chunk.length
    if (length <= largestBody) chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
