// For the commands that call the API and nothing else: the client of the local service, or of another one with a token.
import { readFile } from 'node:fs/promises'
import {
  type Client,
  clientCredentials,
  createClient,
  RollcallError,
  type TokenSource,
} from '../../client/src/index.ts'
import { serviceAccountId } from '../identity/tokenEndpoint.ts'
import { callersPath } from './callersPath.ts'
import { faultOf } from './command.ts'

/** The options of every command that calls the API. */
export const serviceOptions = { url: { type: 'string' }, 'token-file': { type: 'string' } } as const

export const serviceHelp = `The service is the one that npm start runs, unless --url names another:
  --url URL          where the service is, without /api; https, except on this machine
  --token-file FILE  the file with the token for it; without it the token is the value of ROLLCALL_TOKEN
  PORT               port of the local service (3000)
  IDENTITY_PORT      port of its identity provider (8080)
`

type Named = { url?: string | undefined; 'token-file'?: string | undefined }

/** A client of the service that the options name. Throws one line about options that do not fit. */
export function serviceClient({ url, 'token-file': file }: Named, env = process.env): Client {
  if (url === undefined) {
    if (file !== undefined) throw new Error('--token-file goes with --url: the local service gives tokens itself.')
    return createClient({ baseUrl: `http://localhost:${env['PORT'] || 3000}`, token: localTokens(env) })
  }
  return createClient({ baseUrl: baseOf(url), token: tokenOf(file, env) })
}

/** The password-less account that every local directory has. */
const localTokens = (env: NodeJS.ProcessEnv): TokenSource =>
  clientCredentials({
    tokenEndpoint: `http://localhost:${env['IDENTITY_PORT'] || 8080}/token`,
    ...{ clientId: serviceAccountId, clientSecret: 'any' },
  })

function baseOf(url: string): string {
  if (!URL.canParse(url)) throw new Error(`--url ${url} is no address: use one such as https://rollcall.example.org`)
  const { protocol, hostname } = new URL(url)
  const isHere = ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
  if (protocol === 'https:' || (protocol === 'http:' && isHere)) return url.replace(/\/+$/, '')
  throw new Error(`--url ${url} would send the token in the clear: use https.`)
}

/** The token is read again when it is refused, so that another program may renew it. */
function tokenOf(file: string | undefined, env: NodeJS.ProcessEnv): TokenSource {
  if (file !== undefined) return async () => ({ access_token: (await readFile(callersPath(file), 'utf8')).trim() })
  const access_token = env['ROLLCALL_TOKEN']
  if (!access_token) throw new Error('--url needs a token: in a file that --token-file names, or in ROLLCALL_TOKEN.')
  return () => ({ access_token })
}

/** Why a call failed, in one line. */
export function serviceFault(error: unknown): string {
  if (!(error instanceof RollcallError) || error.status !== undefined) return faultOf(error)
  if (error.cause === undefined) return error.message
  return `${error.message} (${firstCause(error.cause)}). Is the service running? npm start starts a local one.`
}

/** What is behind an error of `fetch`. Of a host with several addresses that is an error without a message. */
function firstCause(error: unknown): string {
  const { cause, code, message } = error as { cause?: unknown; code?: string; message: string }
  return cause === undefined ? message || String(code) : firstCause(cause)
}
