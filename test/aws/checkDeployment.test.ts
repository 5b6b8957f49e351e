import { afterEach, beforeAll, describe, expect, it, test } from 'vitest'
import { checkKey, layoutKey } from '../../domain/table/keys.ts'
import { handler as checkDeployment } from '../../handlers/maintenance/checkDeployment.ts'
import { copyOf } from '../../local/verify/tableCopy.ts'
import { verify } from '../../local/verify/verify.ts'
import { dump } from '../harness/audit.ts'
import { type Any, call } from '../harness/call.ts'
import { allowedTo, usedBy } from '../harness/permissions.ts'
import { people } from '../harness/seed.ts'
import { type Service, startService } from '../harness/service.ts'

// What a deployment asks of the functions, and what their log lines have for those who join them with the gateway's.

let service: Service
const lambda = { getRemainingTimeInMillis: () => 10_000 } as Any

beforeAll(async () => {
  service = await startService({ users: people })
})

describe('the check of a deployment', () => {
  const items = () => dump(service)

  it('reads and writes one item outside the directory: no event tells of it, and all else stays as it is', async () => {
    const before = await items()
    const { used } = await usedBy(() => checkDeployment({}, lambda))
    await checkDeployment({}, lambda)
    expect(used).toEqual(['BatchGetItem', 'PutItem'])
    expect(allowedTo('checkDeployment')).toEqual(expect.arrayContaining(used))
    const now = await items()
    const item = now.find(({ pk }) => pk === checkKey.pk)
    expect(item).toMatchObject({ ...checkKey, data: { nth: 2 } })
    expect(now.filter((one) => one !== item)).toEqual(before)
    expect(verify(copyOf(now), service.now().toISOString()).findings).toEqual([])
  })

  it('writes on a condition: of two at once both succeed, one after the other', async () => {
    const nth = Number(((await service.store.get(checkKey)) as Any).data.nth)
    await Promise.all([checkDeployment({}, lambda), checkDeployment({}, lambda)])
    expect(await service.store.get(checkKey)).toMatchObject({ data: { nth: nth + 2 } })
  })

  it('fails on a table with a layout that the functions do not know', async () => {
    await service.store.bulk([{ put: { ...layoutKey, data: { version: 9 } } }])
    service.setNow(new Date(service.now().getTime() + 120_000))
    await expect(checkDeployment({}, lambda)).rejects.toThrow()
    await service.store.bulk([{ delete: layoutKey }])
    service.setNow(new Date(service.now().getTime() + 120_000))
  })
})

describe('the line of a call', () => {
  afterEach(() => {
    delete process.env['ACTOR_LOG_KEY']
  })
  const lineOf = async (): Promise<Any> => {
    service.logged()
    await call('getUser', { path: { user_id: 'plain' } })
    return service.logged().at(-1)
  }

  test('has the id by which the gateway knows it', async () => {
    expect((await lineOf()).invocation_id).toMatch(/^[0-9a-f-]{36}$/)
  })

  test('has a keyed hash of the caller, the same in each of their calls; none without a key', async () => {
    expect(await lineOf()).not.toHaveProperty('actor')
    process.env['ACTOR_LOG_KEY'] = 'first'
    const { actor } = await lineOf()
    expect(actor).toMatch(/^[\w-]{12}$/)
    expect((await lineOf()).actor).toBe(actor)
    process.env['ACTOR_LOG_KEY'] = 'second'
    expect((await lineOf()).actor).not.toBe(actor)
    expect(JSON.stringify(await lineOf())).not.toContain('admin')
  })
})
