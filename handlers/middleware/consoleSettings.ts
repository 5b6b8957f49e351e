// What the stage's parameters mean for the console.

import packageFile from '../../package.json' with { type: 'json' }

/** The environment of the function. */
type Environment = Readonly<Record<string, string | undefined>>

/** Whether the stage has a console. */
export const hasConsole = (env: Environment): boolean => Boolean(env['CONSOLE_CLIENT_ID'] && env['TOKEN_ISSUER'])

/** The answer of GET /console/config.json: nothing in it is secret. `page` tells builds of a release apart. */
export const configOf = (env: Environment, page: string) => ({
  issuer: env['TOKEN_ISSUER'],
  client_id: env['CONSOLE_CLIENT_ID'],
  scopes: env['CONSOLE_SCOPES'] || 'openid',
  audience: env['CONSOLE_AUDIENCE'] || null,
  version: `${packageFile.version}+${page}`,
})

/**
 * Headers of every answer. Scripts and styles come from here alone; the page may call the API and the issuer, and nothing may show it
 * in a frame.
 */
export function securityHeaders(env: Environment): Record<string, string> {
  const { origin } = new URL(env['TOKEN_ISSUER'] ?? '')
  const others = (env['CONSOLE_ORIGINS'] ?? '').split(' ').filter(Boolean)
  const policy = [
    "default-src 'self'",
    `connect-src ${["'self'", ...new Set([origin, ...others])].join(' ')}`,
    "base-uri 'none'",
    "form-action 'self'",
    "object-src 'none'",
    "frame-ancestors 'none'",
  ]
  return {
    'content-security-policy': policy.join('; '),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  }
}

/** The path before `/console`, where the service's own domain has one. */
export const basePathOf = (env: Environment): string =>
  env['API_ADDRESS'] ? new URL(env['API_ADDRESS']).pathname.replace(/\/$/, '') : ''
