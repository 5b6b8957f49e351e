import { createRecord, removeRecord } from '../../table/changes.ts'
import { atMost, either, lacks } from '../../table/expressions.ts'
import { serviceTokenCountKey, tokenUseKey } from '../../table/keys.ts'
import type { Action } from '../../table/store.ts'
import { type ServiceToken, serviceTokens, uses } from './serviceToken.ts'

// The item of the last use is created and deleted with the token; a late note of a use does not create it again.

/** The most tokens. A conditional update counts them, so creations in parallel cannot exceed the limit. */
const MOST_TOKENS = 100

/** The actions that write a new token. Throws SERVICE_TOKENS_LIMIT_EXCEEDED. */
export const tokenCreation = (token: ServiceToken): Action[] => [
  createRecord(serviceTokens, token),
  { put: uses.item(tokenUseKey(token.id), { at: null }) },
  {
    update: serviceTokenCountKey,
    add: { count: 1 },
    if: either(lacks('count'), atMost('count', MOST_TOKENS - 1)),
    otherwise: { code: 'SERVICE_TOKENS_LIMIT_EXCEEDED' },
  },
]

/** The actions that delete a token. */
export const tokenDeletion = (token: ServiceToken): Action[] => [
  removeRecord(serviceTokens, token),
  { delete: tokenUseKey(token.id) },
  { update: serviceTokenCountKey, add: { count: -1 } },
]
