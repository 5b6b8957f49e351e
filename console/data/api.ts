// The only way to data: the typed client of client/, with the session's token. Calls throw a RollcallError.
import { type Client, type components, createClient, type RollcallError } from '../../client/src/index.ts'
import type { Session } from '../session/session.ts'

export { RollcallError } from '../../client/src/index.ts'
export type Schemas = components['schemas']

/** Made once, when the page starts. */
export let api: Client

type Options = {
  session: Session
  baseUrl: string
  /** The languages in which texts of the organisation are wanted, as in Accept-Language. */
  languages: () => string
  /** A call waits so many seconds, because of an error, and is sent again. */
  onWait: (seconds: number, error: RollcallError) => void
}

export function startApi({ session, baseUrl, languages, onWait }: Options): void {
  api = createClient({
    baseUrl,
    token: session.tokenSource,
    headers: () => ({ 'accept-language': languages() }),
    onPause: onWait,
  })
}
