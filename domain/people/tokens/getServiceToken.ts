import type { Context, Input } from '../../request/context.ts'
import { readWithUse, tokenFields } from './serviceToken.ts'
import { requireToken, viewToken } from './tokenView.ts'

/** Reads a service token. */
export async function getServiceToken({ store, now }: Context, { path }: Input<'getServiceToken'>) {
  const { token, use } = await readWithUse(store, path.token_id)
  const found = requireToken(token)
  return { status: 200, body: viewToken(found, use, now), own: tokenFields.own(found) }
}
