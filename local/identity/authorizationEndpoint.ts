// The part of the local identity provider that signs people in through a page: OpenID Connect's authorization code flow with PKCE, for
// public clients (RFC 6749, 7636 and 9207; OpenID Connect Core and RP-Initiated Logout).
import { hash, randomUUID } from 'node:crypto'
import type { FindUser } from './findUser.ts'
import { messagePage, type Page, signInPage } from './signInPage.ts'
import type { Shown } from './signInPeople.ts'

/** A program that may send people here: the exact addresses that they go back to after signing in, and after signing out. */
export type Client = { id: string; redirectAddresses: readonly string[]; signedOutAddresses: readonly string[] }

/** What a code stands for. */
export type Grant = {
  userId: string
  clientId: string
  scopes: readonly string[]
  nonce: string | undefined
  session: string
}

/** An answer to a browser: a page, or where to go on; `session` is the new value of the cookie. */
export type Reply = ({ status: number; page: Page } | { to: string }) & { session?: string }

/** Who asks, and where the answer goes. */
type Target = { client: Client; redirectAddress: string; state: string | undefined }
type Asked = Target & { challenge: string; grant: Pick<Grant, 'scopes' | 'nonce'> }
type Issued = { grant: Grant; redirectAddress: string; challenge: string; until: number }

type Options = {
  issuer: string
  clients: readonly Client[]
  people: readonly Shown[]
  findUser: FindUser
  /** Milliseconds. */
  now: () => number
  /** Called when a session ends. */
  onEnd: (session: string) => void
}

const CODE_MS = 60_000
/** How long the page may stay open. */
const PAGE_MS = 30 * 60_000

/** Makes the authorization endpoint, the form that it shows, the endpoint that ends sessions, and the codes. */
export function newAuthorization({ issuer, clients, people, findUser, now, onEnd }: Options) {
  const codes = new Map<string, Issued>()
  const open = new Map<string, Asked & { until: number }>()
  /** Session → id of its user. */
  const sessions = new Map<string, string>()

  /** GET /authorize. */
  function authorize(query: URLSearchParams, session: string | undefined): Promise<Reply> | Reply {
    const target = targetOf(query, clients)
    if ('html' in target) return { status: 400, page: target }
    const fault = faultIn(query)
    return fault ? back(target, fault) : answerTo(query, target, session)
  }

  /** The answer to a request without faults: a code for the user who is signed in, or the page. */
  async function answerTo(query: URLSearchParams, target: Target, session = ''): Promise<Reply> {
    const grant = { scopes: scopesIn(query), nonce: textIn(query, 'nonce') }
    const asked = { ...target, challenge: textIn(query, 'code_challenge') ?? '', grant }
    const prompts = textIn(query, 'prompt')?.split(' ') ?? []
    const userId = mustAsk(prompts) ? undefined : await activeUserOf(session)
    if (userId) return withCode(asked, userId, session)
    if (prompts.includes('none')) return back(target, { error: 'login_required', says: 'Nobody is signed in.' })
    return show(asked, { username: textIn(query, 'login_hint') })
  }

  /** POST /sign-in: the form of the page. */
  async function signIn(form: URLSearchParams): Promise<Reply> {
    const request = form.get('request') ?? ''
    const asked = open.get(request)
    if (!asked || asked.until < now())
      return {
        status: 400,
        page: refusal('This page is too old. Go back to the application and sign in again.'),
      }
    const username = form.get('username')?.trim() ?? ''
    const user = await findUser({ username })
    const problem = problemOf(user, username)
    if (!user || problem) return show(asked, { username, problem })
    open.delete(request)
    const session = randomUUID()
    sessions.set(session, user.id)
    return { ...withCode(asked, user.id, session), session }
  }

  /** GET /end-session. */
  function endSession(query: URLSearchParams, session: string | undefined): Reply {
    if (session && sessions.delete(session)) onEnd(session)
    const wanted = query.get('post_logout_redirect_uri')
    const client = clients.find(({ id }) => id === query.get('client_id'))
    if (!wanted || !client?.signedOutAddresses.includes(wanted))
      return { status: 200, page: { html: messagePage('Signed out', 'You are signed out.') }, session: '' }
    return { to: withQuery(wanted, { state: textIn(query, 'state') }), session: '' }
  }

  /** What a code stands for. A code counts once, whatever comes with it. Undefined if anything is not as it was asked for. */
  function redeem(
    code: string,
    by: { clientId: string; redirectAddress: string; verifier: string },
  ): Grant | undefined {
    const issued = codes.get(code)
    codes.delete(code)
    const isRight =
      issued &&
      now() <= issued.until &&
      issued.grant.clientId === by.clientId &&
      issued.redirectAddress === by.redirectAddress &&
      issued.challenge === hash('sha256', by.verifier, 'base64url')
    return isRight ? issued.grant : undefined
  }

  const activeUserOf = async (session: string): Promise<string | undefined> => {
    const id = sessions.get(session)
    const user = id === undefined ? undefined : await findUser({ id })
    return user?.status === 'ACTIVE' ? user.id : undefined
  }

  function withCode({ client, redirectAddress, state, challenge, grant }: Asked, userId: string, session: string) {
    const code = randomUUID()
    const until = now() + CODE_MS
    codes.set(code, { redirectAddress, challenge, until, grant: { ...grant, userId, clientId: client.id, session } })
    return { to: withQuery(redirectAddress, { code, state, iss: issuer }) }
  }

  function show(asked: Asked, also: { username?: string | undefined; problem?: string | undefined }): Reply {
    const request = randomUUID()
    open.set(request, { ...asked, until: now() + PAGE_MS })
    const html = signInPage({ request, people, ...also })
    const formOrigins = [new URL(asked.redirectAddress).origin]
    return { status: also.problem ? 400 : 200, page: { html, formOrigins } }
  }

  const back = ({ redirectAddress, state }: Target, { error, says }: Fault): Reply => ({
    to: withQuery(redirectAddress, { error, error_description: says, state, iss: issuer }),
  })

  return { authorize, signIn, endSession, redeem }
}

/** The target of a request, or a page that says what is wrong: nobody is sent to an address that is not the client's. */
function targetOf(query: URLSearchParams, clients: readonly Client[]): Target | Page {
  const client = clients.find(({ id }) => id === query.get('client_id'))
  if (!client) return refusal('The client is not known: check client_id.')
  const redirectAddress = query.get('redirect_uri') ?? ''
  return client.redirectAddresses.includes(redirectAddress)
    ? { client, redirectAddress, state: textIn(query, 'state') }
    : refusal(`redirect_uri must be exactly ${client.redirectAddresses.join(' or ')}.`)
}

const problemOf = (user: { status: string } | undefined, username: string): string | undefined => {
  if (!user) return `There is no user ${username}.`
  return user.status === 'ACTIVE' ? undefined : `${username} cannot sign in: ${reasons[user.status] ?? user.status}.`
}

const reasons: Readonly<Record<string, string>> = {
  LOCKED: 'the account is locked',
  DEACTIVATED: 'the account is deactivated',
  PENDING_DELETION: 'the account is about to be deleted',
}

type Fault = { error: string; says: string }

/** The fault of a request, of those that the client gets to know. */
function faultIn(query: URLSearchParams): Fault | undefined {
  const rules: [isBroken: boolean, error: string, says: string][] = [
    [query.get('response_type') !== 'code', 'unsupported_response_type', 'response_type must be code.'],
    [!['query', null].includes(query.get('response_mode')), 'invalid_request', 'response_mode can only be query.'],
    [query.has('request') || query.has('request_uri'), 'request_not_supported', 'There are no request objects here.'],
    [query.get('code_challenge_method') !== 'S256', 'invalid_request', 'code_challenge_method must be S256.'],
    [
      !/^[\w-]{43}$/.test(query.get('code_challenge') ?? ''),
      'invalid_request',
      'code_challenge must be a SHA-256 hash.',
    ],
    [!scopesIn(query).includes('openid'), 'invalid_scope', 'scope must contain openid.'],
  ]
  const [, error, says] = rules.find(([isBroken]) => isBroken) ?? []
  return error && says ? { error, says } : undefined
}

const textIn = (query: URLSearchParams, name: string): string | undefined => query.get(name) ?? undefined

const scopesIn = (query: URLSearchParams): string[] => (query.get('scope') ?? '').split(' ').filter(Boolean)

/** Whether the client wants the page, although somebody is signed in. */
const mustAsk = (prompts: readonly string[]): boolean =>
  prompts.some((prompt) => ['login', 'select_account', 'consent'].includes(prompt))

const refusal = (text: string): Page => ({ html: messagePage('This does not work', text) })

const withQuery = (address: string, values: Readonly<Record<string, string | undefined>>): string => {
  const url = new URL(address)
  for (const [name, value] of Object.entries(values)) if (value !== undefined) url.searchParams.set(name, value)
  return url.href
}
