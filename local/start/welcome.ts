import { logins } from '../demo/demo.ts'
import { serviceAccountId } from '../identity/tokenEndpoint.ts'

type Started = { baseUrl: string; tokenEndpoint: string; serviceToken: string; isDemo: boolean }

const credentials = { grant_type: 'client_credentials', client_id: serviceAccountId, client_secret: 'any' }

/** What `npm start` prints last: addresses, and requests that work when pasted. */
export const welcome = async ({ baseUrl, tokenEndpoint, serviceToken, isDemo }: Started): Promise<string> => {
  const token = await requestToken(tokenEndpoint)
  const form = Object.entries(credentials).map(([name, value]) => `-d ${name}=${value}`)
  const users = `${baseUrl}/api/admin/users/v4/users`
  return `
Rollcall is running. Ctrl-C stops everything.

  Console   ${baseUrl}/console${isDemo ? consoleLogin : ''}
  API       ${baseUrl}
  API page  ${baseUrl}/docs
  SCIM      ${baseUrl}/scim/v2
  Status    ${baseUrl}/status
  Tokens    ${tokenEndpoint}

Paste this into another terminal (the token is ${serviceAccountId}'s and lasts an hour):

curl -s '${users}?page_limit=2' -H 'Authorization: Bearer ${token}'

A new token, and a search with it:

TOKEN=$(curl -s ${tokenEndpoint} ${form.join(' ')} | sed 's/.*"access_token":"\\([^"]*\\).*/\\1/')
curl -s '${users}?search_term=${isDemo ? 'mull' : ''}' -H "Authorization: Bearer $TOKEN"

The same with a service token, for programs (valid for a year; the next start creates another one):

curl -s '${users}?page_limit=2' -H 'Authorization: Bearer ${serviceToken}'
curl -s '${baseUrl}/scim/v2/Users?count=2' -H 'Authorization: Bearer ${serviceToken}'

${isDemo ? demoLogins : anyLogin}
Print events as webhooks deliver them, in another terminal:

${listenCommand(baseUrl, tokenEndpoint)}

Requests are listed below as they come in.
`
}

/** `npm run listen`, with the ports if they are not the usual ones. */
const listenCommand = (baseUrl: string, tokenEndpoint: string): string => {
  const ports = [
    { name: 'PORT', usual: '3000', port: new URL(baseUrl).port },
    { name: 'IDENTITY_PORT', usual: '8080', port: new URL(tokenEndpoint).port },
  ]
  const others = ports.filter(({ usual, port }) => port !== usual)
  return [...others.map(({ name, port }) => `${name}=${port}`), 'npm run listen'].join(' ')
}

/** The page to sign in of the local issuer asks for a username only. */
const consoleLogin = ` (sign in as ${logins.admin}, who is an administrator, without a password)`

const demoLogins = `Others log in by grant_type=password with password=password and their username: ${logins.admin} (an administrator),
${logins.user} (no administrator), ${logins.locked} (locked, so refused), ${logins.leaving} (to be deleted, so refused), or anybody you find.
`

const anyLogin = `Others log in by grant_type=password with password=password and their username.
`

const requestToken = async (tokenEndpoint: string): Promise<string> => {
  const answer = await fetch(tokenEndpoint, { method: 'POST', body: new URLSearchParams(credentials) })
  const body = (await answer.json()) as { access_token?: string; error_description?: string }
  return body.access_token ?? `(no token: ${body.error_description})`
}
