import { requireNone } from '../../base/errors.ts'
import type { Context, Input } from '../../request/context.ts'
import { tokenFields, tokenIdFrom, tokenText } from './serviceToken.ts'
import { tokenFaults, tokenFrom } from './tokenRules.ts'
import { viewToken } from './tokenView.ts'
import { tokenCreation } from './tokenWrites.ts'

/** Creates a service token. Only this answer has its secret. */
export async function createServiceToken(context: Context, { body }: Input<'createServiceToken'>) {
  const { store, now, actorId: by } = context
  requireNone(tokenFaults(body, now))
  const id = tokenIdFrom(context.newSecret())
  const { token, secretHash: secret } = tokenText(id, context.newSecret())
  const record = tokenFrom(body, { id, secret, now, by })
  await store.write(tokenCreation(record))
  return { status: 201, body: { ...viewToken(record, undefined, now), token }, own: tokenFields.own(record) }
}
