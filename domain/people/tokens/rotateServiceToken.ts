import type { Context, Input } from '../../request/context.ts'
import { replaceRecord } from '../../table/changes.ts'
import { readWithUse, serviceTokens, tokenFields, tokenText } from './serviceToken.ts'
import { rotated } from './tokenRules.ts'
import { requireToken, viewToken } from './tokenView.ts'

/** Gives a service token a new secret. Only this answer has it. The previous one stays valid for the overlap. */
export async function rotateServiceToken(context: Context, { path, body }: Input<'rotateServiceToken'>) {
  const { store, now } = context
  const { token: found, use } = await readWithUse(store, path.token_id)
  const before = requireToken(found)
  const { token, secretHash: secret } = tokenText(before.id, context.newSecret())
  const after = rotated(before, { ...body, secret, now })
  await store.write([replaceRecord(serviceTokens, before, after)])
  return { status: 200, body: { ...viewToken(after, use, now), token }, own: tokenFields.own(after) }
}
