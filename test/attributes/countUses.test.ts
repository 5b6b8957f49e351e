import { describe, expect, it } from 'vitest'
import { SHARDS } from '../../domain/table/counters.ts'
import { attributeKey, userCountKey, userKey } from '../../domain/table/keys.ts'
import { handler as purge } from '../../handlers/maintenance/purge.ts'
import { audit } from '../harness/audit.ts'
import { type Any, call, type Reply } from '../harness/call.ts'
import { strike, tellingDeaths } from '../harness/faults.ts'
import { people } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'

let service: Service

const title = [{ language: 'en-GB', text: 'T' }]
const remove = (definition_id: string): Promise<Reply> => call('deleteAttributeDefinition', { path: { definition_id } })
const retype = (definition_id: string, attribute_type: string): Promise<Reply> =>
  call('updateAttributeDefinition', { path: { definition_id }, body: { attribute_type } })
const valuesOf = (...names: string[]) => names.map((name) => ({ name, value: 'x' }))
const give = (user_id: string, ...names: string[]): Promise<Reply> =>
  call('updateUser', { path: { user_id }, body: { attributes: valuesOf(...names) } })
const coded = ({ status, body }: Reply): unknown[] => [status, body?.error_code, body?.property]
const inUse = [409, 'ATTRIBUTE_DEFINITION_IN_USE', 'definition_id']
const runPurge = () => purge({}, { getRemainingTimeInMillis: () => 60_000 } as Any)

/** A table in which nothing is counted yet: who has values, and definitions that say that somebody has had one. */
async function uncounted(): Promise<Service> {
  const users = [
    ...people,
    { id: 'u-active', attributes: valuesOf('note', 'extra_0') },
    { id: 'u-locked', status: 'LOCKED' as const, attributes: valuesOf('note', 'extra_1') },
    { id: 'u-pending', attributes: valuesOf('extra_2') },
    { id: 'u-overdue', attributes: valuesOf('extra_2') },
    { id: 'u-expired', attributes: valuesOf('extra_2') },
    ...Array.from({ length: 60 }, (_, n) => ({ id: `many-${n}`, attributes: valuesOf('note') })),
  ]
  const old = await startService({ extras: 5, users })
  old.setNow('2026-11-10T09:00:00.000Z')
  await call('deleteUsers', { body: { items: ['u-overdue', 'u-expired'].map((id) => ({ id })) } })
  old.setNow('2026-11-24T08:00:00.000Z')
  await call('deleteUser', { path: { user_id: 'u-pending' } })
  const { items } = await old.store.query({ hash: 'PURGE' })
  const forget = [
    ...users.map(({ id }) => ({ update: userKey(String(id)), clear: ['data/counted'] })),
    ...items.map(({ pk, sk }) => ({ update: { pk, sk }, clear: ['attributes'] })),
  ]
  for (let start = 0; start < forget.length; start += 100) await old.store.write(forget.slice(start, start + 100))
  const names = ['a:note', 'a:extra_0', 'a:extra_1', 'a:extra_2']
  await old.store.write(
    Array.from({ length: SHARDS }, (_, shard) => ({
      update: userCountKey(shard),
      clear: names,
    })),
  )
  // Of the fourth nobody has a value any more, of the fifth nobody ever had.
  const used = ['note', 'extra_0', 'extra_1', 'extra_2', 'extra_3']
  await old.store.write(
    used.map((name) => ({
      update: attributeKey(name),
      set: { 'data/used': true },
    })),
  )
  return old
}

const refusedAsUncounted = async (name: string) => {
  const refused = await remove(name)
  expect(coded(refused)).toEqual(inUse)
  expect(refused.body.detail).toBe('Whether anybody has a value is being counted: try again in some minutes')
}
const later = (minutes: number) => service.setNow(new Date(service.now().getTime() + minutes * 60_000))

describe('values that an earlier version of the service has written', () => {
  it('are counted once somebody asks, whatever happens meanwhile', async () => {
    service = await uncounted()
    await audit(service)
    expect((await remove('extra_4')).status).toBe(204)
    await refusedAsUncounted('extra_3')
    await refusedAsUncounted('extra_3')
    expect(coded(await retype('extra_3', 'DATE'))).toEqual([409, 'ATTRIBUTE_DEFINITION_IN_USE', 'attribute_type'])
    expect((await call('updateAttributeDefinition', { path: { definition_id: 'note' }, body: { title } })).status).toBe(
      200,
    )
    // Some change before they are counted, so that they are counted by that.
    await call('lockUser', { path: { user_id: 'u-active' } })
    await call('unlockUser', { path: { user_id: 'u-locked' } })
    await give('many-1', 'note', 'extra_3')
    await give('many-2')
    const newcomer = {
      id: 'newcomer',
      username: 'newcomer',
      first_name: 'N',
      last_name: 'N',
      role: 'USER',
      status: 'ACTIVE',
    }
    expect((await call('createUser', { body: { ...newcomer, attributes: valuesOf('note') } })).status).toBe(201)
    await audit(service)
    service.setNow('2026-11-24T10:00:00.000Z')
    await service.store.bulk([{ delete: userKey('u-expired') }])
    await runPurge()
    await audit(service)
    for (const name of ['note', 'extra_0', 'extra_1', 'extra_2', 'extra_3'])
      expect(coded(await remove(name)), name).toEqual(inUse)
    await give('many-1')
    expect((await remove('extra_3')).status).toBe(204)
    service.setNow('2026-12-09T10:00:00.000Z')
    await runPurge()
    await audit(service)
    expect((await remove('extra_2')).status).toBe(204)
    await audit(service)
  }, 60_000)

  it('are counted exactly, although the process dies after any call', async () => {
    const counted = async (last?: number) => {
      service = await uncounted()
      await refusedAsUncounted('note')
      later(2)
      const { calls, heal } = strike(service.client, (n) => (n === last ? 'death' : undefined))
      await runPurge().catch(() => undefined)
      heal()
      return calls
    }
    const deaths = tellingDeaths(await counted())
    await audit(service)
    expect(deaths.length).toBeGreaterThan(8)
    for (const last of deaths) {
      await counted(last)
      await audit(service)
      for (let run = 0; run < 3; run++) {
        later(8 * 60)
        await Promise.all([runPurge(), runPurge()])
      }
      await audit(service)
      const left = await service.store.query({ hash: 'WORK' })
      expect(left.items, `after call ${last}`).toEqual([])
      expect((await remove('extra_3')).status, `after call ${last}`).toBe(204)
    }
  }, 300_000)

  it('are counted exactly while users change', async () => {
    service = await uncounted()
    await refusedAsUncounted('note')
    later(2)
    await Promise.all([
      runPurge(),
      ...Array.from({ length: 30 }, (_, n) => give(`many-${n}`, ...(n % 2 ? [] : ['extra_3', 'note']))),
      ...Array.from({ length: 10 }, (_, n) => call('lockUser', { path: { user_id: `many-${n + 40}` } })),
    ])
    for (let run = 0; run < 3; run++) {
      later(8 * 60)
      await runPurge()
    }
    await audit(service)
    expect(coded(await remove('extra_3'))).toEqual(inUse)
  }, 60_000)
})
