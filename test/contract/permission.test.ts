import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { contracts } from '../../schemas/contracts.ts'
import { call, type Request } from '../harness/call.ts'
import { people } from '../harness/seed.ts'
import { startService } from '../harness/service.ts'
import { tokenFor } from '../harness/tokens.ts'
import { countWrites } from '../harness/writes.ts'
import { changes, others, prepare } from './changes.ts'

// Operations begin while the caller's rights are read. The requests here are valid and possible: only the caller
// may not ask for it. So nothing but the missing right keeps the table as it is.

let writes: () => number
beforeAll(async () => {
  const service = await startService({
    features: { user_deactivation: true },
    users: [...people, ...others],
    indexes: ['by_id'],
  })
  await prepare()
  writes = countWrites(service)
})
afterEach(() => expect(writes(), 'writes that were carried out').toBe(0))

const names = Object.keys(changes)
const forAdministrators = names.filter((name) => contracts[name]?.access === 'administrator')
const forUsers = names.filter((name) => contracts[name]?.access === 'user')

it('all changes are for administrators or for users', () => {
  expect([...forAdministrators, ...forUsers].sort()).toEqual(names.sort())
})

describe.each(forAdministrators)('%s', (name) => {
  it('by a user who is no administrator: PERMISSION_MISSING', async () => {
    expect((await call(name, { ...changes[name], as: 'plain' })).body).toMatchObject({
      status: 403,
      error_code: 'PERMISSION_MISSING',
    })
  })
})

describe.each(names)('%s', (name) => {
  const callers: [string, Request, string][] = [
    ['without a token', { token: null }, 'UNAUTHENTICATED'],
    ['by a locked user', { token: tokenFor('lou') }, 'ACTOR_NOT_ACTIVE'],
    ['by a user pending deletion', { token: tokenFor('pen') }, 'ACTOR_NOT_ACTIVE'],
  ]
  it.each(callers)('%s: 401', async (_who, caller, error_code) => {
    expect((await call(name, { ...changes[name], ...caller })).body).toMatchObject({ status: 401, error_code })
  })
})

/** Everybody may create tasks; what is there already is its author's, or its recipient's. */
const owned = forUsers.filter((name) => name !== 'createTask')

describe.each(owned)('%s', (name) => {
  it.each(name === 'getTask' ? ['admin-2'] : ['admin-2', 'cid'])('by %s, whose it is not: 404', async (as) => {
    const { status, body } = await call(name, { ...changes[name], as })
    expect([status, body.error_code]).toEqual([404, expect.stringMatching(/^TASK_(ASSIGNMENT_)?NOT_FOUND$/)])
  })
})
