import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { organisationKey, userKey } from '../../domain/table/keys.ts'
import { type Any, call, type Request } from '../harness/call.ts'
import { testClient } from '../harness/client.ts'
import { type Entry, keepLedger } from '../harness/ledger.ts'
import { people } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'

// What an instance remembers from one call to the next: settings of the organisation, and callers whom it refused.

let service: Service
let ledger: Awaited<ReturnType<typeof keepLedger>>
let settings: Any
beforeAll(async () => {
  service = await startService({
    remembers: true,
    indexes: 'all',
    users: [...people, { id: 'lou', first_name: 'Lou', last_name: 'Locked', username: 'lou', status: 'LOCKED' }],
  })
  settings = (await service.store.get(organisationKey))?.['data']
  ledger = await keepLedger(service.client, testClient())
})
afterAll(() => ledger.close())
// At the beginning of a test an instance remembers only what is read once a minute.
beforeEach(async () => {
  await set({})
  later(60_000)
  await call('getUser', { path: { user_id: 'admin' } })
  later(5000)
})

const later = (ms: number) => service.setNow(new Date(service.now().getTime() + ms))
/** Another instance changes settings. */
const set = (changed: object) =>
  service.store.bulk([{ put: { ...organisationKey, data: { ...settings, ...changed } } }] as never)
const costOf = async (name: string, request: Request = {}): Promise<Entry & { status: number }> => {
  const { answer, entry } = await ledger.of(() => call(name, request))
  return { ...entry, status: answer.status }
}
const asksFor = ({ sent }: Entry, pk: string): boolean => JSON.stringify(sent).includes(`"pk":"${pk}"`)

describe('settings of the organisation', () => {
  const getUser = () => costOf('getUser', { path: { user_id: 'plain' } })

  it('are read once in five seconds', async () => {
    expect(asksFor(await getUser(), 'ORGANISATION')).toBe(true)
    later(4999)
    expect(asksFor(await getUser(), 'ORGANISATION')).toBe(false)
    later(1)
    expect(asksFor(await getUser(), 'ORGANISATION')).toBe(true)
  })

  it.each<[string, Request]>([
    ['getUser', { path: { user_id: 'plain' } }],
    ['listUsers', {}],
    ['getGroup', { path: { group_id: 'root' } }],
    ['listOwnTaskAssignments', { query: 'distribution_kind=RECEIVED' }],
    ['getRole', { path: { role_id: 'coach' } }],
  ])('cost a call nothing while they are known: %s', async (name, request) => {
    await costOf(name, request)
    later(5000)
    const cold = await costOf(name, request)
    const warm = await costOf(name, request)
    expect([cold.status, warm.status]).toEqual([200, 200])
    expect([warm.calls, warm.waves, warm.reads]).toEqual([cold.calls, cold.waves, cold.reads - 1])
  })

  it('that switch a feature off count five seconds later, and that switch it on, at once', async () => {
    const list = () => call('listOwnTaskAssignments', { query: 'distribution_kind=RECEIVED', as: 'plain' })
    expect((await list()).status).toBe(200)
    await set({ features: { tasks: false, user_deactivation: true } })
    expect((await list()).status).toBe(200)
    later(5000)
    expect((await list()).body.error_code).toBe('FEATURE_DISABLED')
    await set({ features: { tasks: true, user_deactivation: true } })
    expect((await list()).status).toBe(200)
  })

  it('that add a language count at once, and a language that there is not is refused', async () => {
    const create = async (language: string, extra: object = {}) =>
      (await call('createGroup', { body: { title: [{ language, text: 'Team' }], parent_id: 'root', ...extra } })).body
    expect(await create('pl')).toMatchObject({ error_code: 'LANGUAGE_NOT_ENABLED' })
    await set({ languages: [...settings.languages, 'pl'] })
    expect(await create('pl')).toMatchObject({ title: [{ language: 'pl' }] })
    expect(await create('fr')).toMatchObject({ error_code: 'LANGUAGE_NOT_ENABLED' })
    await set({ languages: [...settings.languages, 'fr'] })
    expect(await create('fr', { unknown: 1 })).toMatchObject({ error_code: 'VALIDATION_ERROR' })
  })

  it('are read again only for callers who are permitted', async () => {
    await set({ features: { tasks: false, user_deactivation: true } })
    const request = { query: 'distribution_kind=RECEIVED' }
    await costOf('listOwnTaskAssignments', request)
    const permitted = await costOf('listOwnTaskAssignments', request)
    expect([permitted.status, asksFor(permitted, 'ORGANISATION')]).toEqual([403, true])
    const locked = await costOf('listOwnTaskAssignments', { ...request, as: 'lou' })
    expect([locked.status, asksFor(locked, 'ORGANISATION')]).toEqual([401, false])
  })

  it('are answered, changed and compared as they are now', async () => {
    await getUser()
    await set({ languages: [...settings.languages, 'pl'] })
    const read = await call('getOrganisationSettings')
    expect(read.body.languages).toContain('pl')
    const headers = { 'if-match': String(read.headers['etag']) }
    const patched = await call('updateOrganisationSettings', { body: { default_language: 'pl' }, headers })
    expect([patched.status, patched.body.default_language]).toEqual([200, 'pl'])
    const faulty = await call('updateOrganisationSettings', { body: { default_language: 'pl', unknown: 1 } })
    expect(faulty.body.errors).toHaveLength(1)
  })

  it('are read in every call while something predefined is missing', async () => {
    const { CHANNEL_OWNER: _missing, ...predefined } = settings.predefined
    await set({ predefined })
    for (let time = 0; time < 2; time++) expect(asksFor(await getUser(), 'ORGANISATION')).toBe(true)
    await set({})
    expect(asksFor(await getUser(), 'ORGANISATION')).toBe(true)
    expect(asksFor(await getUser(), 'ORGANISATION')).toBe(false)
  })

  it('of one table say nothing about another', async () => {
    await getUser()
    const other = await startService({ remembers: true, features: { user_deactivation: false } })
    other.setNow(service.now())
    const refused = await call('deactivateUser', { path: { user_id: 'plain' } })
    service.activate()
    expect(refused.body.error_code).toBe('FEATURE_NOT_ENABLED')
  })
})

describe('a caller who was refused', () => {
  const status = (id: string, value: string) =>
    service.store
      .get(userKey(id))
      .then((item: Any) => service.store.bulk([{ put: { ...item, data: { ...item.data, status: value } } }]))

  it.each(['lou', 'plain'])('(%s) costs one request for a minute, whatever they ask for', async (as) => {
    const first = await costOf('listUsers', { as })
    expect(first.calls).toBeGreaterThan(1)
    for (const wait of [0, 30_000, 59_999]) {
      later(wait)
      expect((await costOf('listUsers', { as })).calls, `after ${wait} ms`).toBe(1)
    }
    later(60_000)
    expect((await costOf('listUsers', { as })).calls).toBeGreaterThan(1)
  })

  it('costs no more requests than any other from their first permitted call on', async () => {
    const list = () => costOf('listUsers', { as: 'lou' })
    const usual = await costOf('listUsers')
    expect((await list()).status).toBe(401)
    await status('lou', 'ACTIVE')
    await service.store
      .get(userKey('lou'))
      .then((item: Any) => service.store.bulk([{ put: { ...item, data: { ...item.data, role: 'ADMIN' } } }]))
    const [doubted, trusted] = [await list(), await list()]
    expect([doubted.status, trusted.status]).toEqual([200, 200])
    expect(doubted.waves).toBe(usual.waves + 1)
    expect([trusted.calls, trusted.waves]).toEqual([usual.calls, usual.waves])
    await status('lou', 'LOCKED')
  })

  it('delays no one else', async () => {
    const usual = await costOf('listUsers')
    expect((await costOf('listUsers', { as: 'lou' })).status).toBe(401)
    expect((await costOf('listUsers')).waves).toBe(usual.waves)
  })

  it('writes nothing and reads nothing else, also with an Idempotency-Key', async () => {
    const request = {
      as: 'plain',
      body: { title: [{ language: 'en-GB', text: 'T' }], parent_id: 'root' },
      headers: { 'idempotency-key': 'k-1' },
    }
    for (let time = 0; time < 2; time++) {
      const { status, calls, waves, writes } = await costOf('createGroup', request)
      expect([status, calls, waves, writes]).toEqual([403, 1, 1, 0])
    }
  })
})
