import { beforeAll, describe, expect, it } from 'vitest'
import { purgeUsers } from '../../domain/maintenance/purgeUsers.ts'
import { audit } from '../harness/audit.ts'
import { call, type Reply } from '../harness/call.ts'
import { withoutWaits } from '../harness/faults.ts'
import { meanwhile } from '../harness/meanwhile.ts'
import { ordinary } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'

// The end of the deletion window where two clocks differ, or where something happens between two steps of the purge.

const DAY = 24 * 3600 * 1000

let service: Service
beforeAll(async () => {
  service = await startService()
})

const codeOf = ({ status, body }: Reply): string | number => body.error_code ?? status
const get = async (user_id: string) => (await call('getUser', { path: { user_id } })).body
const restore = (user_id: string) => call('restoreUser', { path: { user_id } })
const ownerOf = async (filter: object) =>
  (await call('listUsers', { query: { ...filter } })).body.users.map(({ id }: { id: string }) => id)

/** A user who is pending deletion, with a value that is counted, and their deadline. */
async function leaving(id: string): Promise<Date> {
  const names = { id, username: `${id}-name`, external_id: `${id}-ext`, first_name: 'Lea', last_name: 'Ving' }
  const attributes = [{ name: 'department', value: 'Sales' }]
  expect(codeOf(await call('createUser', { body: { ...ordinary, ...names, attributes } }))).toBe(201)
  const { body } = await call('deleteUser', { path: { user_id: id } })
  return new Date(body.deletion_at)
}

/** Takes names that another user had. */
async function inherit(id: string, from: string, names: object = { username: `${from}-name` }): Promise<void> {
  const body = { ...ordinary, id, username: id, first_name: 'He', last_name: 'Ir', ...names }
  expect(codeOf(await call('createUser', { body }))).toBe(201)
}

/** Purges at another time than the service's clock. */
const purge = (clock: Date) =>
  purgeUsers({ store: service.store, clock: () => clock, timeLeft: () => 60_000, log: () => {} })

describe('the purge, of a user', () => {
  it('who is restored after it has found them due: they stay as they are', async () => {
    const deadline = await leaving('back')
    const purged = await meanwhile(
      service,
      async () => expect(codeOf(await restore('back'))).toBe(200),
      () => purge(deadline),
      '"USER#back"',
    )
    expect(purged).toMatchObject({ failed: 0, left: false })
    expect(await get('back')).toMatchObject({ status: 'ACTIVE', username: 'back-name', external_id: 'back-ext' })
    expect(await ownerOf({ username: 'back-name' })).toEqual(['back'])
    expect(await ownerOf({ search_term: 'Ving' })).toContain('back')
    await audit(service)
  })

  it('who is deleted anew after it has found them due: the new deadline holds', async () => {
    const deadline = await leaving('anew')
    const later = new Date(service.now().getTime() + DAY)
    await meanwhile(
      service,
      async () => {
        expect(codeOf(await restore('anew'))).toBe(200)
        service.setNow(later)
        expect(codeOf(await call('deleteUser', { path: { user_id: 'anew' } }))).toBe(200)
      },
      () => purge(deadline),
      '"USER#anew"',
    )
    expect(await get('anew')).toMatchObject({ status: 'PENDING_DELETION' })
    await audit(service)
    service.setNow(new Date(deadline.getTime() + DAY))
    expect(await purge(service.now())).toMatchObject({ purged: 1 })
    await audit(service)
  })

  it.each([
    ['username', { username: 'NAME-1-name' }, 'username', 'name-1'],
    ['external id', { external_id: 'name-2-ext' }, 'external_id', 'name-2'],
  ])('whose %s is taken before it gives the name up: it stays taken', async (_name, names, property, id) => {
    service.setNow(await leaving(id))
    const mentioned = property === 'username' ? `USERNAME#${id}-name` : `EXTERNAL#${id}-ext`
    await meanwhile(
      service,
      () => inherit(`${id}-heir`, id, names),
      () => purge(service.now()),
      mentioned,
    )
    expect(await ownerOf({ [property]: Object.values(names)[0] })).toEqual([`${id}-heir`])
    const again = { ...ordinary, id: `${id}-other`, username: `${id}-other`, first_name: 'A', last_name: 'B', ...names }
    expect((await call('createUser', { body: again })).body).toMatchObject({ status: 409, property })
    await audit(service)
  })
})

describe('a restore by a clock that is behind', () => {
  it.each([
    ['username', { username: 'late-1-NAME' }, 'late-1'],
    ['external id', { external_id: 'late-2-ext' }, 'late-2'],
  ])('does not take back the %s that has been taken since the deadline', async (_name, names, id) => {
    const deadline = await leaving(id)
    const early = new Date(deadline.getTime() - 1)
    service.setNow(early)
    const reply = await meanwhile(
      service,
      async () => {
        service.setNow(deadline)
        await inherit(`${id}-heir`, id, names)
      },
      () => withoutWaits(() => restore(id)),
    )
    expect(codeOf(reply)).not.toBe(200)
    const [[property, value]] = Object.entries(names) as [[string, string]]
    expect(await ownerOf({ [property]: value })).toEqual([`${id}-heir`])
    service.setNow(early)
    const again = await withoutWaits(() => restore(id))
    expect(codeOf(again), 'still not, when the name was taken before it read').not.toBe(200)
    service.setNow(deadline)
    expect(await ownerOf({ [property]: value })).toEqual([`${id}-heir`])
    await purge(deadline)
    await audit(service)
  })
})
