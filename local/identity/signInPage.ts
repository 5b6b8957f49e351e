// The pages of the local identity provider. They have no script, and nothing may show them in a frame.
import type { Shown } from './signInPeople.ts'

/** A page, and the origins besides its own that its form may lead to: browsers also ask that of redirects. */
export type Page = { html: string; formOrigins?: readonly string[] }

/** The headers of a page. */
export const pageHeaders = ({ formOrigins = [] }: Page): Record<string, string> => ({
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'",
    "style-src 'self'",
    `form-action ${["'self'", ...formOrigins].join(' ')}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  // Not no-referrer: with that, browsers send the form without its origin, which is checked.
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
})

type SignIn = {
  /** What the form sends to say which request of a client it is about. */
  request: string
  people: readonly Shown[]
  /** Why the last try failed. */
  problem?: string | undefined
  username?: string | undefined
}

/** The page on which somebody says who they are. */
export const signInPage = ({ request, people, problem, username = '' }: SignIn): string =>
  page(
    'Sign in',
    `<p>This is the identity provider of <code>npm start</code>: on this machine nobody needs a password.</p>
    ${problem ? `<p role="alert">${escaped(problem)}</p>` : ''}
    <form method="post" action="/sign-in">
      <input type="hidden" name="request" value="${escaped(request)}">
      ${people.map(personButton).join('\n      ')}
    </form>
    <form method="post" action="/sign-in">
      <input type="hidden" name="request" value="${escaped(request)}">
      <label for="username">${people.length > 0 ? 'Another username' : 'Username'}</label>
      <input id="username" name="username" value="${escaped(username)}" required autocomplete="off" autocapitalize="none" spellcheck="false">
      <button>Sign in</button>
    </form>`,
  )

const personButton = ({ username, name, about }: Shown): string =>
  `<button name="username" value="${escaped(username)}">${escaped(name)} <small>${escaped(about)}</small></button>`

/** A page that only says something. */
export const messagePage = (title: string, text: string): string => page(title, `<p>${escaped(text)}</p>`)

const page = (title: string, content: string): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${escaped(title)}</title>
    <link rel="stylesheet" href="/sign-in.css">
  </head>
  <body>
    <main>
    <h1>${escaped(title)}</h1>
    ${content}
    </main>
  </body>
</html>
`

/** The style of the pages. */
export const signInStyle = `:root { font: 1rem/1.5 system-ui, sans-serif; color-scheme: light dark }
main { max-width: 26rem; margin: 10vh auto; padding: 0 1rem }
form { display: grid; gap: .5rem; margin: 1.5rem 0 }
button, input { font: inherit; padding: .6rem .8rem; border: 1px solid; border-radius: .4rem; text-align: start }
small { float: inline-end; opacity: .8 }
[role='alert'] { padding: .6rem .8rem; border: 2px solid }
:focus-visible { outline: 3px solid; outline-offset: 2px }
`

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
const escaped = (text: string): string => text.replace(/[&<>"']/g, (character) => entities[character] ?? '')
