import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { tokenUseKey } from '../../domain/table/keys.ts'
import { call } from '../harness/call.ts'
import { strike } from '../harness/faults.ts'
import { allowedTo, isAllowed, statementsOf } from '../harness/permissions.ts'
import { type Service, startService } from '../harness/service.ts'
import { giveToken, tokenId } from '../harness/serviceTokens.ts'
import { countWrites } from '../harness/writes.ts'

let service: Service
let writes: () => number
beforeAll(async () => {
  service = await startService()
  writes = countWrites(service)
})

const path = { user_id: 'plain' }
const later = (ms: number) => service.setNow(new Date(service.now().getTime() + ms))
const storedUse = async (name: string) => (await service.store.get(tokenUseKey(tokenId(name))))?.['at']
const shownUse = async (name: string) =>
  (await call('getServiceToken', { path: { token_id: tokenId(name) } })).body.last_used_at
/** The use is noted in parallel with the call, maybe after its answer. */
const noted = (name: string, at: string) => expect.poll(() => storedUse(name)).toBe(at)

describe('the last use', () => {
  it('is written at most once an hour', async () => {
    const token = await giveToken(service, ['READ'], { id: tokenId('hourly') })
    expect(await shownUse('hourly')).toBeNull()
    const first = service.now().toISOString()
    const before = writes()
    await call('getUser', { path, token })
    await noted('hourly', first)
    // The item can be read before the writer has its answer.
    await expect.poll(writes).toBe(before + 1)
    for (const wait of [0, 1_800_000, 1_799_999]) {
      later(wait)
      await call('getUser', { path, token })
    }
    expect(await shownUse('hourly')).toBe(first)
    expect(writes()).toBe(before + 1)
    later(1)
    await call('getUser', { path, token })
    await noted('hourly', service.now().toISOString())
    expect(await shownUse('hourly')).toBe(service.now().toISOString())
  })

  it('counts for a call that is refused for its scope, as the token is in use', async () => {
    const token = await giveToken(service, ['SCIM'], { id: tokenId('scoped') })
    expect((await call('getUser', { path, token })).status).toBe(403)
    await noted('scoped', service.now().toISOString())
  })

  it('of calls at the same time is written once', async () => {
    const token = await giveToken(service, ['READ'], { id: tokenId('parallel') })
    const replies = await Promise.all(Array.from({ length: 10 }, () => call('getUser', { path, token })))
    expect(replies.map(({ status }) => status)).toEqual(Array(10).fill(200))
    await noted('parallel', service.now().toISOString())
  })

  it.each(['throttle', 'unreachable'] as const)(
    'that cannot be written (%s) makes no call fail or wait',
    async (fault) => {
      const name = `fails${fault}`
      const token = await giveToken(service, ['READ'], { id: tokenId(name) })
      const { heal } = strike(service.client, (_n, command) =>
        command.startsWith('TransactWrite') ? fault : undefined,
      )
      onTestFinished(heal)
      service.logged()
      expect((await call('getUser', { path, token })).status).toBe(200)
      await expect.poll(service.logged).toContainEqual(expect.objectContaining({ level: 'warn', lost: 'last_used_at' }))
      heal()
      expect(await storedUse(name)).toBeNull()
      await call('getUser', { path, token })
      await noted(name, service.now().toISOString())
    },
  )

  it('that takes long is not waited for', async () => {
    const token = await giveToken(service, ['READ'], { id: tokenId('slow') })
    const { heal, isHanging } = strike(service.client, (_n, command) =>
      command.startsWith('TransactWrite') ? 'hanging' : undefined,
    )
    onTestFinished(heal)
    expect((await call('getUser', { path, token })).status).toBe(200)
    await expect.poll(isHanging).toBe(true)
  })

  it('of a token that is deleted meanwhile brings nothing back', async () => {
    const token = await giveToken(service, ['READ'], { id: tokenId('deleted') })
    const { promise: held, resolve: release } = Promise.withResolvers<void>()
    const notes: Promise<unknown>[] = []
    service.client.middlewareStack.add(
      (next, { commandName }) =>
        async (args) => {
          const isNote =
            commandName === 'TransactWriteItemsCommand' &&
            JSON.stringify(args.input).includes('TOKEN_USES') &&
            !JSON.stringify(args.input).includes('Delete')
          if (!isNote) return next(args)
          const note = held.then(() => next(args))
          notes.push(note)
          return note
        },
      { step: 'initialize', name: 'hold' },
    )
    onTestFinished(() => void service.client.middlewareStack.remove('hold'))
    expect((await call('getUser', { path, token })).status).toBe(200)
    expect((await call('deleteServiceToken', { path: { token_id: tokenId('deleted') } })).status).toBe(204)
    await expect.poll(() => notes).toHaveLength(1)
    release()
    await Promise.allSettled(notes)
    expect(await service.store.get(tokenUseKey(tokenId('deleted')))).toBeUndefined()
  })
})

describe('functions that only read', () => {
  it('may update the items of uses, and nothing else', () => {
    const may = (action: string, ...keys: string[]) => isAllowed(statementsOf('getUser'), action, keys)
    expect(may('UpdateItem', 'TOKEN_USES')).toBe(true)
    for (const other of ['USER#plain', 'SERVICE_TOKENS', 'SECRETS', 'EVENTS#user#plain'])
      expect(may('UpdateItem', 'TOKEN_USES', other), other).toBe(false)
    expect(may('UpdateItem')).toBe(false)
    for (const action of ['PutItem', 'DeleteItem', 'BatchWriteItem'])
      expect(may(action, 'TOKEN_USES'), action).toBe(false)
    expect(allowedTo('getUser')).toEqual(['BatchGetItem', 'Query', 'UpdateItem TOKEN_USES'])
    expect(allowedTo('refuseInactiveUser')).toEqual(['BatchGetItem', 'Query'])
    expect(allowedTo('unknownRoute')).toEqual([])
  })
})
