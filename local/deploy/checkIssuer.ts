// The console's settings, compared with the issuer's discovery document.
import type { Values } from '../build/stageParameters.ts'
import type { Reached } from './checkStage.ts'

/** The endpoints of the issuer to which the console sends requests, or people. */
const ENDPOINTS = ['authorization_endpoint', 'token_endpoint', 'end_session_endpoint'] as const

type Discovery = Partial<Record<(typeof ENDPOINTS)[number] | 'issuer', string>> & {
  response_types_supported?: readonly string[]
  code_challenge_methods_supported?: readonly string[]
}

/**
 * Compares the parameters of the console with the issuer's discovery document. Throws if nobody could sign in: if an endpoint's origin
 * is not among `consoleOrigins`, browsers do not let the console ask there. Where the issuer cannot be reached from here, it only says
 * so.
 */
export async function checkIssuer({ get, say }: Pick<Reached, 'get' | 'say'>, values: Values): Promise<void> {
  if (!values['console']) return
  const issuer = String(values['tokenIssuer'])
  const found = await discoveryOf(get, issuer)
  if (!found) return say(`the console's parameters were not compared: ${issuer} has no discovery document for us`)
  const faults = issuerFaults(found, issuer, values['consoleOrigins'] as readonly string[])
  if (faults.length > 0) throw new Error(['Nobody could sign in to the console:', ...faults].join('\n- '))
  say(`checked: the console's parameters agree with ${issuer}`)
}

async function discoveryOf(get: Reached['get'], issuer: string): Promise<Discovery | undefined> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  const { status, body } = await get(url).catch(() => ({ status: 0, body: '' }))
  try {
    return status === 200 ? (JSON.parse(body) as Discovery) : undefined
  } catch {
    return undefined
  }
}

function issuerFaults(found: Discovery, issuer: string, others: readonly string[]): string[] {
  const allowed = [new URL(issuer).origin, ...others]
  const missing = ENDPOINTS.flatMap((name) => {
    const origin = found[name] && URL.canParse(found[name]) ? new URL(found[name]).origin : undefined
    return origin === undefined || allowed.includes(origin)
      ? []
      : [`consoleOrigins lacks ${origin}, of the issuer's ${name}`]
  })
  const rules: [isBroken: boolean, says: string][] = [
    [found.issuer !== issuer, `tokenIssuer is ${issuer}, but the issuer calls itself ${found.issuer}`],
    [!found.authorization_endpoint || !found.token_endpoint, 'the issuer has no authorization code flow'],
    [found.response_types_supported?.includes('code') === false, 'the issuer offers no response type code'],
    [found.code_challenge_methods_supported?.includes('S256') === false, 'the issuer does not take PKCE with S256'],
  ]
  return [...new Set(missing), ...rules.flatMap(([isBroken, says]) => (isBroken ? [says] : []))]
}
