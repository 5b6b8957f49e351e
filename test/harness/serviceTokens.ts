import { randomBytes } from 'node:crypto'
import type { ServiceToken } from '../../domain/people/tokens/serviceToken.ts'
import { tokenText } from '../../domain/people/tokens/serviceToken.ts'
import { tokenFrom } from '../../domain/people/tokens/tokenRules.ts'
import { tokenCreation } from '../../domain/people/tokens/tokenWrites.ts'
import type { Store } from '../../domain/table/store.ts'
import type { Scope } from '../../schemas/scopes.ts'
import type { Service } from './service.ts'

/** The id of a token with a readable beginning. */
export const tokenId = (name: string): string => name.padEnd(22, '0')

/** A token of the right form and check that nobody has made. */
export const forgedToken = tokenText(tokenId('forged'), Buffer.alloc(32)).token

type Given = Partial<ServiceToken> & { bytes?: Uint8Array }

/**
 * Makes a service token in the table, and answers it as its holder has it: `call('getUser', { token: await giveToken(service,
 * ['READ']) })`. `fields` replace those that a creation would give it.
 */
export async function giveToken(
  { store, now }: Pick<Service, 'now'> & { store: Pick<Store, 'write'> },
  scopes: Scope[],
  { id = tokenId(randomBytes(8).toString('hex')), bytes = randomBytes(32), ...fields }: Given = {},
): Promise<string> {
  const { token, secretHash: secret } = tokenText(id, bytes)
  const made = tokenFrom({ name: id, scopes }, { id, secret, now: now().toISOString(), by: 'admin' })
  await store.write(tokenCreation({ ...made, ...fields }))
  return token
}
