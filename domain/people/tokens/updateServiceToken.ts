import { requireNone } from '../../base/errors.ts'
import type { Context, Input } from '../../request/context.ts'
import { changeIfMatch } from '../../request/etags.ts'
import { replaceRecord } from '../../table/changes.ts'
import { readWithUse, serviceTokens, tokenFields } from './serviceToken.ts'
import { patchedToken, tokenFaults } from './tokenRules.ts'
import { requireToken, viewToken } from './tokenView.ts'

/** Applies a merge patch to a service token. New scopes apply from the token's next request on. */
export async function updateServiceToken(context: Context, { path, body }: Input<'updateServiceToken'>) {
  const { store, now } = context
  const { token, use } = await readWithUse(store, path.token_id)
  requireNone(tokenFaults(body, now, token?.expires_at))
  const before = requireToken(token)
  const after = changeIfMatch(context, before, () => patchedToken(before, body, now), tokenFields.own(before))
  if (after !== before) await store.write([replaceRecord(serviceTokens, before, after)])
  return { status: 200, body: viewToken(after, use, now), own: tokenFields.own(after) }
}
