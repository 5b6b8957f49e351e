import { randomBytes } from 'node:crypto'
import { DAY_MS, momentAfter } from '../../domain/base/text.ts'
import { serviceTokens, tokenText } from '../../domain/people/tokens/serviceToken.ts'
import { tokenFrom } from '../../domain/people/tokens/tokenRules.ts'
import { tokenCreation, tokenDeletion } from '../../domain/people/tokens/tokenWrites.ts'
import { serviceTokenKey } from '../../domain/table/keys.ts'
import type { Store } from '../../domain/table/store.ts'
import type { Scope } from '../../schemas/scopes.ts'

type Wanted = { id: string; name: string; scopes: Scope[] }

/** The tokens in the examples of the API reference. Their secrets are not kept anywhere. */
const examples: readonly Wanted[] = [
  { id: 'DemoHrSystem0000000001', name: 'HR system', scopes: ['READ', 'USERS', 'USER_GROUPS'] },
  { id: 'DemoDashboard000000001', name: 'Dashboard', scopes: ['READ'] },
  { id: 'DemoDirectory000000001', name: 'Directory', scopes: ['SCIM'] },
  { id: 'DemoOldReport000000001', name: 'Report of last year', scopes: ['READ'] },
]

const made = { by: 'demo-admin', days: 20 }

/** Adds the missing service tokens of the demo organisation. */
export async function addDemoTokens(store: Store, now: string): Promise<void> {
  const before = momentAfter(now, -made.days * DAY_MS)
  for (const wanted of examples)
    if (!(await store.get(serviceTokenKey(wanted.id)))) await create(store, wanted, { now: before, by: made.by })
}

const forStart: Wanted = {
  id: 'DemoNpmStart0000000001',
  name: 'Made by npm start',
  scopes: ['READ', 'USERS', 'USER_GROUPS', 'CHANNELS', 'SETTINGS', 'SCIM'],
}

/** The token that `npm start` prints: a new one each time, so that of the last start is refused. */
export async function newStartToken(store: Store, now: string, by: string): Promise<string> {
  const last = await serviceTokens.read(store, forStart.id)
  if (last) await store.write(tokenDeletion(last))
  return create(store, forStart, { now, by })
}

async function create(store: Store, { id, ...body }: Wanted, by: { now: string; by: string }): Promise<string> {
  const { token, secretHash: secret } = tokenText(id, randomBytes(32))
  await store.write(tokenCreation(tokenFrom(body, { id, secret, ...by })))
  return token
}
