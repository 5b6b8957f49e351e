import { refuse } from '../../base/errors.ts'
import { allServiceTokens } from '../../table/keys.ts'
import { all } from '../../table/reader.ts'
import type { Store } from '../../table/store.ts'
import {
  endOfPrevious,
  hasPrevious,
  type ServiceToken,
  serviceTokens,
  type TokenUse,
  tokenFields,
} from './serviceToken.ts'

/** Throws SERVICE_TOKEN_NOT_FOUND if there is none. */
export function requireToken(token: ServiceToken | undefined): ServiceToken {
  if (!token) throw refuse('SERVICE_TOKEN_NOT_FOUND', 'token_id')
  return token
}

/** All service tokens. */
export const readAllTokens = async (store: Pick<Store, 'query'>): Promise<ServiceToken[]> =>
  (await all(store, allServiceTokens)).map(serviceTokens.of).filter((token) => token !== undefined)

/** A token in answers. */
export const viewToken = (token: ServiceToken, use: TokenUse | undefined, now: string) => ({
  ...tokenFields.shown(token),
  last_used_at: use?.at ?? null,
  previous_expires_at: hasPrevious(token, now) ? endOfPrevious(token) : null,
})
