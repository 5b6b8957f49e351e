/** What GET /console/config.json answers: who signs people in. Nothing in it is secret. */
export type ConsoleConfig = {
  /** The OIDC issuer of the stage. */
  issuer: string
  /** The console's public client at the issuer. */
  client_id: string
  /** The scopes to ask for, separated by spaces; `openid` is among them. */
  scopes: string
  /** The parameter `audience` of issuers that need one, such as Auth0; else null. */
  audience: string | null
  /** The release. */
  version: string
}

/** Where all files of the console are. */
const folder = new URL('.', import.meta.url)

/** The path of the console, without a slash at its end: `/console`, after the base path of a domain that has one. */
export const consolePath: string = folder.pathname.replace(/\/$/, '')

/** The address of the service, as the client takes it. */
export const serviceAddress: string = new URL('..', folder).href.replace(/\/$/, '')

/** Reads the settings of the stage. Throws if they cannot be had. */
export async function readConfig(): Promise<ConsoleConfig> {
  const answer = await fetch(new URL('config.json', folder))
  if (!answer.ok) throw new Error(`config.json: ${answer.status}`)
  return answer.json() as Promise<ConsoleConfig>
}
