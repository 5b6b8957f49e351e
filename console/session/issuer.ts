// What the session asks of the OIDC issuer, by oauth4webapi: authorization code with PKCE, as a public client without a secret.
import * as oauth from 'oauth4webapi'
import type { ConsoleConfig } from './config.ts'
import { SignInError } from './signInError.ts'

/** A sign-in that has begun: what its answer is checked with. */
export type Begun = { state: string; verifier: string; nonce: string }

/** Tokens of one person. Times are in milliseconds by `Date.now()`; a token without an expiry serves until it is refused. */
export type Tokens = {
  access: string
  refresh: string | undefined
  renewAt: number
  goodUntil: number
  /** Their `sub` in the ID token. */
  person: string
}

/** How far the clock of a person's device may be off: ID tokens of some issuers last five minutes only. */
const CLOCK_SECONDS = 300
/** A token is renewed so long before it expires, or in the last tenth of a shorter life. */
const MARGIN_SECONDS = 30

export type Issuer = ReturnType<typeof openIssuer>

/** The issuer of a stage. Its discovery document is read at first use, and again after a failure. */
export function openIssuer(config: ConsoleConfig, redirectAddress: string, signedOutAddress: string) {
  const client: oauth.Client = { client_id: config.client_id, [oauth.clockTolerance]: CLOCK_SECONDS }
  const insecure = { [oauth.allowInsecureRequests]: isThisMachine(config.issuer) }
  const authentication = oauth.None()
  let discovered: Promise<oauth.AuthorizationServer> | undefined

  const discover = (): Promise<oauth.AuthorizationServer> => {
    discovered ??= readDiscovery(config.issuer, insecure).catch((error) => {
      discovered = undefined
      throw error
    })
    return discovered
  }

  /** Begins a sign-in. Returns the address to send the person to. */
  async function begin(prefix = ''): Promise<Begun & { address: string }> {
    const address = endpointIn(await discover(), 'authorization_endpoint')
    if (!address) throw new SignInError('REFUSED')
    const begun = {
      state: prefix + oauth.generateRandomState(),
      verifier: oauth.generateRandomCodeVerifier(),
      nonce: oauth.generateRandomNonce(),
    }
    const query = {
      client_id: config.client_id,
      response_type: 'code',
      redirect_uri: redirectAddress,
      scope: config.scopes,
      state: begun.state,
      nonce: begun.nonce,
      code_challenge: await oauth.calculatePKCECodeChallenge(begun.verifier),
      code_challenge_method: 'S256',
      ...(config.audience ? { audience: config.audience } : {}),
    }
    for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value)
    return { ...begun, address: address.href }
  }

  /** Tokens for the answer to a sign-in. Throws SignInError. */
  async function redeem(answer: URLSearchParams, { state, verifier, nonce }: Begun): Promise<Tokens> {
    const server = await discover()
    const checked = await asked(async () => oauth.validateAuthResponse(server, client, answer, state))
    const at = Date.now()
    const tokens = await asked(async () =>
      oauth.processAuthorizationCodeResponse(
        server,
        client,
        await oauth.authorizationCodeGrantRequest(
          server,
          client,
          authentication,
          checked,
          redirectAddress,
          verifier,
          insecure,
        ),
        { expectedNonce: nonce, requireIdToken: true },
      ),
    )
    return tokensOf(tokens, at)
  }

  /** New tokens of the same person. Throws SignInError: `REFUSED` means that they must sign in again. */
  async function refresh(before: Tokens): Promise<Tokens> {
    if (before.refresh === undefined) throw new SignInError('REFUSED')
    const token = before.refresh
    const server = await discover()
    const at = Date.now()
    const tokens = await asked(async () =>
      oauth.processRefreshTokenResponse(
        server,
        client,
        await oauth.refreshTokenGrantRequest(server, client, authentication, token, insecure),
      ),
    )
    const after = tokensOf(tokens, at, before)
    if (after.person !== before.person) throw new SignInError('OTHER_PERSON')
    return after
  }

  /**
   * The address that ends the issuer's session; undefined if it has none. It holds no token: a token in an address is in histories
   * and logs. Cognito has names for the parameters that no other issuer has.
   */
  async function signOutAddress(): Promise<string | undefined> {
    const address = endpointIn(await discover(), 'end_session_endpoint')
    if (!address) return undefined
    address.searchParams.set('client_id', config.client_id)
    address.searchParams.set(isCognito(config.issuer) ? 'logout_uri' : 'post_logout_redirect_uri', signedOutAddress)
    return address.href
  }

  return { discover, begin, redeem, refresh, signOutAddress }
}

type Insecure = { [oauth.allowInsecureRequests]: boolean }

async function readDiscovery(issuer: string, insecure: Insecure): Promise<oauth.AuthorizationServer> {
  const address = new URL(issuer)
  return asked(async () =>
    oauth.processDiscoveryResponse(address, await oauth.discoveryRequest(address, { algorithm: 'oidc', ...insecure })),
  )
}

/** An address of the discovery document to send the person to; undefined if there is none. Throws SignInError if it is not safe. */
function endpointIn(
  server: oauth.AuthorizationServer,
  name: 'authorization_endpoint' | 'end_session_endpoint',
): URL | undefined {
  const text = server[name]
  if (text === undefined) return undefined
  const address = URL.canParse(text) ? new URL(text) : undefined
  if (address?.protocol !== 'https:' && !isThisMachine(text)) throw new SignInError('REFUSED')
  return address
}

function tokensOf(answer: oauth.TokenEndpointResponse, at: number, before?: Tokens): Tokens {
  const { access_token, refresh_token, expires_in = Number.POSITIVE_INFINITY } = answer
  return {
    access: access_token,
    // An issuer that does not rotate refresh tokens sends none.
    refresh: refresh_token ?? before?.refresh,
    renewAt: at + (expires_in - Math.min(MARGIN_SECONDS, expires_in / 10)) * 1000,
    goodUntil: at + expires_in * 1000,
    person: oauth.getValidatedIdTokenClaims(answer)?.sub ?? before?.person ?? '',
  }
}

/** Asks the issuer. Throws SignInError. */
async function asked<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (error) {
    throw new SignInError(reasonOf(error), { cause: error })
  }
}

function reasonOf(error: unknown): SignInError['reason'] {
  if (error instanceof oauth.AuthorizationResponseError) return error.error === 'access_denied' ? 'DENIED' : 'REFUSED'
  if (error instanceof oauth.ResponseBodyError) return error.status >= 500 ? 'ISSUER_UNREACHABLE' : 'REFUSED'
  // A fetch that fails, and a page of something between here and the issuer.
  if (error instanceof TypeError || isNoAnswer(error)) return 'ISSUER_UNREACHABLE'
  return 'REFUSED'
}

const isNoAnswer = (error: unknown): boolean =>
  error instanceof oauth.OperationProcessingError &&
  [oauth.RESPONSE_IS_NOT_CONFORM, oauth.RESPONSE_IS_NOT_JSON, oauth.PARSE_ERROR].includes(error.code ?? '')

/** Tokens are only as safe as the connection: http is only for the issuer of `npm start`. */
const isThisMachine = (address: string): boolean =>
  /^http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?(\/|$)/.test(address)

const isCognito = (issuer: string): boolean => /^https:\/\/cognito-idp\.[a-z0-9-]+\.amazonaws\.com/.test(issuer)
