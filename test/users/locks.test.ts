import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { userKey } from '../../domain/table/keys.ts'
import { audit } from '../harness/audit.ts'
import { type Any, call, type Reply } from '../harness/call.ts'
import { runs } from '../harness/runs.ts'
import { type Service, startService } from '../harness/service.ts'
import { patchBody, scim } from '../scim/scim.ts'

// A lock lasts until somebody unlocks the user, whatever else happens to them, in our API and by SCIM.

let service: Service
beforeAll(async () => {
  service = await startService({
    indexes: 'all',
    features: { user_deactivation: true },
    users: [
      { id: 'admin', role: 'ADMIN' },
      { id: 'old', username: 'old', status: 'DEACTIVATED' },
    ],
  })
})
afterAll(() => audit(service))

/** A user as three facts. Each of them hides those before it. */
type Model = { isLocked: boolean; isOff: boolean; isDeleted: boolean }
const statusOf = ({ isLocked, isOff, isDeleted }: Model): string =>
  isDeleted ? 'PENDING_DELETION' : isOff ? 'DEACTIVATED' : isLocked ? 'LOCKED' : 'ACTIVE'

type User = { id: string; userName: string }
type Way = { run: (user: User) => Promise<Reply>; after: (model: Model) => Model | 'refused' }
const rest = (name: string) => (user: User) => call(name, { path: { user_id: user.id } })
const active = (value: unknown) => (user: User) =>
  scim('PATCH', `/Users/${user.id}`, { body: patchBody({ op: 'replace', path: 'active', value }) })
const put = (value: boolean) => (user: User) =>
  scim('PUT', `/Users/${user.id}`, { body: { userName: user.userName, active: value } })
const post = (value?: boolean) => (user: User) =>
  scim('POST', '/Users', { body: { userName: user.userName, active: value } })
const visible = (change: Partial<Model>) => (model: Model) =>
  model.isDeleted ? ('refused' as const) : { ...model, ...change }
const returning = (change: Partial<Model>) => (model: Model) =>
  model.isDeleted ? { ...model, isDeleted: false, ...change } : ('refused' as const)
const present = (change: Partial<Model>) => (model: Model) =>
  model.isDeleted || model.isOff ? ('refused' as const) : { ...model, ...change }

const ways: Record<string, Way> = {
  lock: { run: rest('lockUser'), after: present({ isLocked: true }) },
  unlock: { run: rest('unlockUser'), after: present({ isLocked: false }) },
  deactivate: { run: rest('deactivateUser'), after: visible({ isOff: true }) },
  reactivate: { run: rest('reactivateUser'), after: visible({ isOff: false }) },
  delete: { run: rest('deleteUser'), after: (model) => ({ ...model, isDeleted: true }) },
  restore: { run: rest('restoreUser'), after: returning({}) },
  'PATCH active: false': { run: active('False'), after: visible({ isOff: true }) },
  'PATCH active: true': { run: active(true), after: visible({ isOff: false }) },
  'PUT active: false': { run: put(false), after: visible({ isOff: true }) },
  'PUT active: true': { run: put(true), after: visible({ isOff: false }) },
  DELETE: { run: (user) => scim('DELETE', `/Users/${user.id}`), after: visible({ isDeleted: true }) },
  POST: { run: post(), after: returning({}) },
  'POST active: true': { run: post(true), after: returning({ isOff: false }) },
  'POST active: false': { run: post(false), after: returning({ isOff: true }) },
}

let made = 0
async function newUser(): Promise<User> {
  const userName = `locks-${++made}`
  return { id: (await scim('POST', '/Users', { body: { userName } })).body.id, userName }
}
const get = async ({ id }: User): Promise<Any> => (await call('getUser', { path: { user_id: id } })).body
const lastEvent = async ({ id }: User): Promise<string> =>
  (await call('listUserEvents', { path: { user_id: id } })).body.events[0].type

/** Does all of it, and compares each answer and state with the model. */
async function follow(names: readonly string[]): Promise<void> {
  const user = await newUser()
  let model: Model = { isLocked: false, isOff: false, isDeleted: false }
  for (const name of names) {
    const { run, after } = ways[name] as Way
    const before = await get(user)
    const { status } = await run(user)
    const next = after(model)
    expect(status >= 400 ? 'refused' : 'done', `${name} of ${statusOf(model)}`).toBe(next === 'refused' ? next : 'done')
    if (next === 'refused') expect(await get(user)).toEqual(before)
    else model = next
    expect((await get(user)).status, names.join(', ')).toBe(statusOf(model))
  }
}

it('in any order of changes', async () => {
  const names = fc.array(fc.constantFrom(...Object.keys(ways)), { minLength: 3, maxLength: 12 })
  await fc.assert(fc.asyncProperty(names, follow), { numRuns: runs(15) })
})

describe('a locked user', () => {
  const off = ['deactivate', 'PATCH active: false', 'PUT active: false']
  const on = ['reactivate', 'PATCH active: true', 'PUT active: true']
  it.each(off.flatMap((one) => on.map((other) => [one, other])))('%s, then %s: is locked', async (one, other) => {
    await follow(['lock', one, other])
    await follow(['lock', one, 'delete', 'restore', other])
    await follow(['lock', one, 'DELETE', 'POST active: true', one, other])
  })

  it('is reactivated in the history, and shows nothing of what is remembered', async () => {
    const user = await newUser()
    for (const name of ['lock', 'deactivate']) await ways[name]?.run(user)
    const { body } = await rest('reactivateUser')(user)
    expect(body.status).toBe('LOCKED')
    expect(await lastEvent(user)).toBe('user.reactivated')
    for (const name of ['deactivate', 'DELETE', 'POST active: true']) await ways[name]?.run(user)
    expect(await lastEvent(user)).toBe('user.restored')
    const { body: listed } = await call('listUserEvents', { path: { user_id: user.id } })
    expect(JSON.stringify([await get(user), listed])).not.toMatch(/previous_status|earlier_status/)
    const item = (await service.store.get(userKey(user.id))) as Any
    expect(Object.keys(item.data ?? item)).not.toContain('earlier_status')
  })
})

it('who was deactivated before locks were remembered becomes active', async () => {
  expect((await rest('reactivateUser')({ id: 'old', userName: 'old' })).body.status).toBe('ACTIVE')
})
