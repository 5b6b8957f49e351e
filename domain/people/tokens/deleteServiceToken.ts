import type { Context, Input } from '../../request/context.ts'
import { requireExpected } from '../../request/etags.ts'
import { serviceTokens, tokenFields } from './serviceToken.ts'
import { requireToken } from './tokenView.ts'
import { tokenDeletion } from './tokenWrites.ts'

/** Deletes a service token: it is refused from the next request on. */
export async function deleteServiceToken(context: Context, { path }: Input<'deleteServiceToken'>) {
  const token = requireToken(await serviceTokens.read(context.store, path.token_id))
  requireExpected(context, tokenFields.own(token))
  await context.store.write(tokenDeletion(token))
  return { status: 204, body: undefined }
}
