import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Grant, newAuthorization } from './authorizationEndpoint.ts'
import type { FindUser } from './findUser.ts'

/** An HTTP answer with a JSON body. */
export type TokenAnswer = { status: number; body: object; headers?: Record<string, string> }

type TokenRequest = { body: string; headers: IncomingHttpHeaders }
/** Whom a refresh token is for, and of which sign-in it is; one of a password is of none. */
export type Refreshable = { userId: string; signIn?: Grant | undefined }
type Issuing = {
  findUser: FindUser
  /** What a code of the authorization endpoint stands for. */
  redeem: ReturnType<typeof newAuthorization>['redeem']
  /** Signs an access token. */
  sign: (userId: string) => Promise<string>
  /** Signs an ID token. */
  signId: (signIn: Grant) => Promise<string>
  refreshTokens: Map<string, Refreshable>
  secondsToLive: number
}
type Form = Record<string, string | undefined>
type Granting = (form: Form, issuing: Issuing) => Promise<TokenAnswer>

/** The protected administrator of every local directory; the client id is the user id. */
export const serviceAccountId = 'service-account-admin'
const passwordOfAll = 'password'

/** Answers a request to the token endpoint as RFC 6749 says. Only an ACTIVE user gets tokens. */
export const answerTokenRequest = async (request: TokenRequest, issuing: Issuing): Promise<TokenAnswer> => {
  const form = readForm(request)
  if (!form) return refuse('invalid_request', 'The body must be a form (application/x-www-form-urlencoded).')
  if (!form.grant_type) return refuse('invalid_request', 'grant_type is missing.')
  const grant = Object.hasOwn(grants, form.grant_type) ? grants[form.grant_type] : undefined
  return grant ? grant(form, issuing) : refuse('unsupported_grant_type', `Offered: ${Object.keys(grants).join(', ')}.`)
}

const grants: Record<string, Granting> = {
  client_credentials: async (form, issuing) => {
    if (form.client_id !== serviceAccountId) return refuseClient()
    const user = await issuing.findUser({ id: serviceAccountId })
    if (user?.status !== 'ACTIVE') return refuse('invalid_grant', 'The service account is not active.')
    return { status: 200, body: await accessToken(user.id, issuing) }
  },

  password: async (form, issuing) => {
    if (!form.username || !form.password) return refuse('invalid_request', 'username and password are required.')
    const user = form.password === passwordOfAll ? await issuing.findUser({ username: form.username }) : undefined
    if (!user) return refuse('invalid_grant', 'Unknown username or wrong password.')
    return withRefreshToken(user, issuing)
  },

  authorization_code: async (form, issuing) => {
    const { code, client_id: clientId, redirect_uri: redirectAddress, code_verifier: verifier } = form
    if (!code || !clientId || !redirectAddress || !verifier)
      return refuse('invalid_request', 'code, client_id, redirect_uri and code_verifier are required.')
    const signIn = issuing.redeem(code, { clientId, redirectAddress, verifier })
    const user = signIn && (await issuing.findUser({ id: signIn.userId }))
    if (!user)
      return refuse('invalid_grant', 'The code is not known, was used, is too old, or was given for another request.')
    return withRefreshToken(user, issuing, signIn)
  },

  refresh_token: async (form, issuing) => {
    const token = form.refresh_token ?? ''
    const known = issuing.refreshTokens.get(token)
    const isOfClient = known?.signIn === undefined || known.signIn.clientId === form.client_id
    const user = known && isOfClient ? await issuing.findUser({ id: known.userId }) : undefined
    if (!user) return refuse('invalid_grant', 'The refresh token is not known.')
    const answer = await withRefreshToken(user, issuing, known?.signIn)
    // A refresh token is used up only if it succeeds, so a session continues after its user is unlocked.
    if (answer.status === 200) issuing.refreshTokens.delete(token)
    return answer
  },
}

const withRefreshToken = async (
  user: { id: string; status: string },
  issuing: Issuing,
  signIn?: Grant,
): Promise<TokenAnswer> => {
  if (user.status !== 'ACTIVE') return refuse('invalid_grant', `The user is ${user.status}.`)
  const refresh_token = randomUUID()
  issuing.refreshTokens.set(refresh_token, { userId: user.id, signIn })
  const also = signIn ? { id_token: await issuing.signId(signIn), scope: signIn.scopes.join(' ') } : {}
  return { status: 200, body: { ...(await accessToken(user.id, issuing)), refresh_token, ...also } }
}

const accessToken = async (userId: string, { sign, secondsToLive }: Issuing) => ({
  access_token: await sign(userId),
  token_type: 'Bearer',
  expires_in: secondsToLive,
})

const refuse = (error: string, error_description: string, status = 400): TokenAnswer => ({
  status,
  body: { error, error_description },
})

const refuseClient = (): TokenAnswer => ({
  ...refuse('invalid_client', `The only client is ${serviceAccountId}.`, 401),
  headers: { 'www-authenticate': 'Basic realm="rollcall"' },
})

const readForm = ({ body, headers }: TokenRequest): Form | undefined => {
  const [type = ''] = (headers['content-type'] ?? '').split(';')
  if (type.trim().toLowerCase() !== 'application/x-www-form-urlencoded') return undefined
  return { ...Object.fromEntries(new URLSearchParams(body)), ...basicCredentials(headers.authorization) }
}

// The client's id can be in the header instead of the form (RFC 6749, 2.3.1: each part form-encoded).
const basicCredentials = (authorization = ''): Form => {
  const [, encoded] = /^Basic +([\w+/=-]+)$/i.exec(authorization) ?? []
  if (!encoded) return {}
  const [name = ''] = Buffer.from(encoded, 'base64').toString('utf8').split(':')
  return { client_id: new URLSearchParams(`client_id=${name}`).get('client_id') ?? '' }
}
