import { randomUUID } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import { beforeAll, describe, expect, it } from 'vitest'
import { decideAgain } from '../../domain/base/retry.ts'
import { systemCause } from '../../domain/table/actions.ts'
import { removeRecord } from '../../domain/table/changes.ts'
import { workPolicy } from '../../domain/table/dynamo.ts'
import {
  allDeliveries,
  deliveriesIn,
  deliveryKey,
  deliveryOf,
  goneWebhookKey,
  goneWebhooks,
  idOfEvent,
  outboxKey,
} from '../../domain/table/keys.ts'
import { openStore } from '../../domain/table/openStore.ts'
import { all } from '../../domain/table/reader.ts'
import type { WorkStore } from '../../domain/table/store.ts'
import { newCourier } from '../../domain/webhooks/courier.ts'
import { deliver } from '../../domain/webhooks/deliver.ts'
import {
  deliveryIn,
  finishDelivery,
  itemOf,
  type ListedDelivery,
  moveToNew,
  readDelivery,
  waitActions,
} from '../../domain/webhooks/delivery.ts'
import { takeDeliveries } from '../../domain/webhooks/deliveryLease.ts'
import { failWaiting } from '../../domain/webhooks/failWaiting.ts'
import { fanOut } from '../../domain/webhooks/fanOut.ts'
import { readOutbox } from '../../domain/webhooks/outboxEntries.ts'
import { readReplay, replayItem } from '../../domain/webhooks/replay.ts'
import { countWebhook, readWebhooks, webhooks } from '../../domain/webhooks/webhook.ts'
import { testClient } from '../harness/client.ts'
import { Died, dieAfterWrite, strike } from '../harness/faults.ts'
import { newTable } from '../harness/table.ts'
import { enableWebhook, keyService, writeWebhook } from '../harness/webhooks.ts'
import { writeBadges } from './badges.ts'
import { startReceiver, thisMachine } from './receiver.ts'

// What happens between two requests of a worker: others write, it dies, its lease ends.

let time = Date.parse('2026-11-21T09:00:00.000Z')
const clock = () => new Date(time)
const pass = (seconds: number): void => {
  time += seconds * 1000
}

/** A webhook of which no attempt leaves this machine: nothing listens there. */
const nowhere = 'http://127.0.0.1:1/'

const newProcess = (name: string) => {
  const client = testClient()
  const open = openStore({ client, name, newToken: randomUUID, clock, policy: workPolicy })
  return { client, open, store: open.causedBy(systemCause('test')) }
}
type Process = ReturnType<typeof newProcess>
let [worker, others] = [] as unknown as [Process, Process]
beforeAll(async () => {
  const { client } = newProcess('')
  const name = await newTable(client, 'none')
  worker = newProcess(name)
  others = newProcess(name)
  await writeWebhook(others.store, 'watching', nowhere, clock().toISOString())
  await writeWebhook(others.store, 'new', nowhere, clock().toISOString())
  pass(5)
})

let writes = 0
/** Changes badges, in one transaction. */
const change = (...ids: string[]) => writeBadges(others.store, ids, `title ${++writes}`)
const fanOutOnce = (store: WorkStore) => fanOut(store, clock().toISOString(), async () => true)
/** Makes all deliveries that are left. */
const finish = async () => {
  while (await fanOutOnce(others.store));
  expect(await readOutbox(others.store)).toEqual([])
}
/** New deliveries of a webhook, by the times of their events. */
const newDeliveries = async (webhook: string): Promise<ListedDelivery[]> =>
  (await all(others.store, deliveriesIn(webhook, 'NEW'))).map(deliveryIn)

type Request = { command: string; input: object }

/** Acts before the first request like this, once all requests under way are answered. False if no request is like this. */
async function actBefore(
  isIt: (request: Request) => boolean,
  act: () => Promise<unknown>,
  work: () => Promise<unknown>,
) {
  const { middlewareStack } = worker.client
  let [underWay, hasActed] = [0, false]
  middlewareStack.add(
    (next, context) => async (args) => {
      if (!hasActed && isIt({ command: String(context['commandName']), input: args.input })) {
        hasActed = true
        // Requests of the same tick go first.
        do await turn()
        while (underWay > 0)
        await act()
      }
      underWay++
      return next(args).finally(() => underWay--)
    },
    { step: 'initialize', name: 'others' },
  )
  await work().finally(() => middlewareStack.remove('others'))
  return hasActed
}

/** The shards of the outbox that changes of these badges are in. */
const shardsOf = (...ids: string[]) => ids.map((id) => outboxKey(`EVENTS#role#${id}`, '').pk)
/** Whether a request reads another shard of the outbox. */
const isOtherShard = ({ input }: Request, shards: readonly string[]) =>
  JSON.stringify(input).includes('OUTBOX#') &&
  'KeyConditionExpression' in input &&
  !shards.some((shard) => JSON.stringify(input).includes(shard))

/** Watches the order in which deliveries are written, and answers those that came before that of the event before. */
async function outOfOrder(work: () => Promise<unknown>): Promise<string[]> {
  const written = new Set<string>()
  const early: { id: string; previous: string }[] = []
  const { middlewareStack } = worker.client
  middlewareStack.add(
    (next) => async (args) => {
      const { RequestItems = {} } = args.input as { RequestItems?: Record<string, { PutRequest?: { Item: never } }[]> }
      const puts = Object.values(RequestItems).flatMap((requests) =>
        Array.isArray(requests) ? requests.flatMap(({ PutRequest }) => PutRequest?.Item ?? []) : [],
      )
      const made = puts.map((item: never) => ({ webhook: (item as { pk: string }).pk, ...deliveryIn(item) }))
      for (const { webhook, id, previous } of made)
        if (previous && !written.has(`${webhook} ${deliveryOf(previous)}`))
          early.push({ id: `${webhook} ${id}`, previous: `${webhook} ${deliveryOf(previous)}` })
      const answer = await next(args)
      for (const { webhook, id } of made) written.add(`${webhook} ${id}`)
      return answer
    },
    { step: 'initialize', name: 'order' },
  )
  await work().finally(() => middlewareStack.remove('order'))
  return early.filter(({ previous }) => written.has(previous)).map(({ id }) => id)
}

describe('while deliveries are made', () => {
  it('a webhook is enabled, and records change five seconds later: between any two requests', async () => {
    let isThere = true
    const early = await outOfOrder(async () => {
      for (let nth = 1; isThere; nth++) {
        await enableWebhook(others.store, 'new', false)
        await change('c')
        const act = async () => {
          await enableWebhook(others.store, 'new', true)
          pass(5)
          await change('a')
          // In the shard of b, and after the change before.
          await change('b', 'a')
        }
        let count = 0
        isThere = await actBefore(
          (request) => !isOtherShard(request, shardsOf('a', 'b')) && ++count === nth,
          act,
          () => fanOutOnce(worker.store),
        )
        while (await fanOutOnce(worker.store));
        const wanted = (await newDeliveries('watching')).slice(-3)
        const generation = (await webhooks.read(others.store, 'new'))?.generation
        const found = (await newDeliveries('new')).flatMap((one) => (one.generation === generation ? one.id : []))
        if (isThere) for (const { id } of wanted) expect(found, `request ${nth}`).toContain(id)
      }
    })
    expect(early).toEqual([])
  })

  it('the worker dies after any write', async () => {
    for (let [nth, isOver] = [1, false]; !isOver; nth++) {
      await change('a')
      await change('b', 'a')
      const made = (await newDeliveries('watching')).length
      const death = dieAfterWrite(worker.client, nth)
      await fanOutOnce(worker.store).catch((error: unknown) => {
        if (!(error instanceof Died)) throw error
      })
      death.heal()
      isOver = death.isOver()
      await finish()
      expect(await newDeliveries('watching'), `write ${nth}`).toHaveLength(made + 3)
    }
  })

  it('every shard of the outbox is read', async () => {
    const ids = [...'abcdefghijklmnop']
    for (const id of ids) await change(id)
    const entries = await readOutbox(worker.store)
    expect(entries.flatMap(({ events }) => events.map(({ record }) => record)).sort()).toEqual(
      ids.map((id) => `role~${id}`).sort(),
    )
    expect(new Set(entries.map(({ pk }) => pk)).size).toBe(16)
    await finish()
  })
})

const serve = (webhook: string, mayTry = async () => true) =>
  newCourier(
    {
      ...{ store: worker.store, clock, keyService, reach: thisMachine, mayTry },
      done: { delivered: 0, failed: 0, disabled: 0 },
    },
    webhook,
    { mustRead: true },
  ).tryDeliveries()
const delivering = () => ({
  ...{ store: worker.open, clock, timeLeft: () => 60_000, newId: randomUUID, keyService, log: () => {} },
  reach: thisMachine,
})
const isReadingNew = ({ input }: Request) => JSON.stringify(input).includes('"NEW#"')

describe('an attempt', () => {
  /** A webhook whose receiver is on this machine, with the deliveries of two changes of one record. */
  const twoChanges = async (webhook: string) => {
    const receiver = await startReceiver()
    await writeWebhook(others.store, webhook, receiver.url, clock().toISOString())
    await finish()
    // It gets the event of its own creation.
    for (const { id } of await newDeliveries(webhook))
      await others.store.bulk([{ delete: deliveryKey(webhook, 'NEW', id) }])
    await change(webhook)
    await change(webhook)
    await finish()
    const [first, second] = (await newDeliveries(webhook)) as [ListedDelivery, ListedDelivery]
    const isPreparing = ({ command, input }: Request) =>
      command.startsWith('BatchGet') && JSON.stringify(input).includes(JSON.stringify(second.key?.sk))
    return { receiver, first, second, isPreparing }
  }
  it('waits for the delivery of the event before, even if that has been found too late', async () => {
    const { receiver, first, second, isPreparing } = await twoChanges('ordered')
    const key = deliveryKey('ordered', 'NEW', first.id)
    const item = await others.store.get(key)
    if (!item) throw new Error('There is no such delivery')
    await others.store.bulk([{ delete: key }])
    await actBefore(
      isPreparing,
      () => others.store.bulk([{ put: item }]),
      () => serve('ordered'),
    )
    expect(receiver.received.map(({ body }) => body.data.id)).toEqual(
      [first, second].map(({ key }) => key && idOfEvent(key.sk)),
    )
  })

  it('does not begin once the time for it is over, however long reads take', async () => {
    const { receiver, first, second, isPreparing } = await twoChanges('leased')
    await others.store.bulk([{ delete: deliveryKey('leased', 'NEW', first.id) }])
    let isOver = false
    const act = async () => {
      pass(2)
      isOver = true
    }
    expect(await actBefore(isPreparing, act, () => serve('leased', async () => !isOver))).toBe(true)
    expect(receiver.received).toEqual([])
    expect((await newDeliveries('leased')).map(({ id }) => id)).toEqual([second.id])
  })
})

describe('a delivery that a call opens again', () => {
  /** A webhook with one delivery: in the list NEW, or in AGAIN after failed attempts. Answers its id. */
  const oneDelivery = async (webhook: string, url: string, failures: number) => {
    await finish()
    await writeWebhook(others.store, webhook, url, clock().toISOString())
    await finish()
    const [made] = await newDeliveries(webhook)
    if (!made) throw new Error('There is no delivery')
    if (failures > 0) {
      const waiting = { ...made, failures, next_attempt_at: clock().toISOString() }
      await others.store.write(waitActions(webhook, made, waiting, clock().toISOString()))
    }
    return made.id
  }
  /** What the call does. */
  const openAgain = async (webhook: string, id: string) => {
    const [hook, found] = await Promise.all([
      webhooks.read(others.store, webhook),
      readDelivery(others.store, webhook, id),
    ])
    if (!hook || !found) throw new Error('There is no such delivery')
    await others.store.write(moveToNew(webhook, found, hook, clock().toISOString()).actions)
  }
  const listed = async (webhook: string) =>
    (await all(others.store, allDeliveries(webhook))).map(({ sk }) => sk.slice(0, sk.indexOf('#')))
  const isMoving = (webhook: string) => (request: Request) =>
    /Write/.test(request.command) && JSON.stringify(request.input).includes(`WEBHOOK#${webhook}`)

  it.each([0, 1])('is not moved to FAILED with those that waited for a disabled webhook: %i', async (failures) => {
    const name = `opened-${failures}`
    const id = await oneDelivery(name, nowhere, failures)
    await enableWebhook(others.store, name, false)
    await enableWebhook(others.store, name, true)
    const webhook = await webhooks.read(others.store, name)
    if (!webhook) throw new Error('There is no webhook')
    const act = () => openAgain(name, id)
    expect(
      await actBefore(isMoving(name), act, () =>
        failWaiting(worker.store, webhook, clock().toISOString(), async () => true),
      ),
    ).toBe(true)
    expect(await listed(name)).toEqual(['NEW'])
    expect(await newDeliveries(name)).toMatchObject([{ id, generation: 2 }])
  })

  it('after its webhook is enabled is not moved to FAILED by a run that has read the webhook as disabled', async () => {
    const id = await oneDelivery('opened-early', nowhere, 0)
    await enableWebhook(others.store, 'opened-early', false)
    const webhook = await webhooks.read(others.store, 'opened-early')
    if (!webhook) throw new Error('There is no webhook')
    const act = async () => {
      await enableWebhook(others.store, 'opened-early', true)
      await openAgain('opened-early', id)
    }
    const work = () => failWaiting(worker.store, webhook, clock().toISOString(), async () => true)
    expect(await actBefore(isReadingNew, act, work)).toBe(true)
    expect(await newDeliveries('opened-early')).toMatchObject([{ id, generation: 2 }])
    expect(await webhooks.read(others.store, 'opened-early')).toMatchObject({ mustSweep: true })
  })

  it('is not moved to FAILED by a courier that had read it before', async () => {
    const receiver = await startReceiver()
    const id = await oneDelivery('opened-late', receiver.url, 0)
    await enableWebhook(others.store, 'opened-late', false)
    await enableWebhook(others.store, 'opened-late', true)
    const act = () => openAgain('opened-late', id)
    expect(await actBefore(isMoving('opened-late'), act, () => serve('opened-late'))).toBe(true)
    await serve('opened-late')
    expect(receiver.received).toHaveLength(1)
    expect(await listed('opened-late')).toEqual(['DELIVERED'])
  })

  it.each([2, 8])('while an attempt fails after %i others is in one list', async (failures) => {
    const name = `opened-after-${failures}`
    const receiver = await startReceiver(() => ({ status: 500 }))
    const id = await oneDelivery(name, receiver.url, failures)
    const act = async () => {
      await openAgain(name, id)
      receiver.answer = () => ({ status: 200 })
    }
    expect(await actBefore(isMoving(name), act, () => serve(name))).toBe(true)
    expect(await listed(name)).toEqual(['NEW'])
    await serve(name)
    expect(await listed(name)).toEqual(['DELIVERED'])
  })

  it('just when it has arrived waits in one list', async () => {
    const receiver = await startReceiver()
    const id = await oneDelivery('opened-arrived', receiver.url, 1)
    const isOpening = ({ command, input }: Request) =>
      command.startsWith('TransactWrite') && JSON.stringify(input).includes(id)
    const open = () =>
      decideAgain(async () => {
        const found = await readDelivery(worker.store, 'opened-arrived', id)
        if (!found) throw new Error('There is no such delivery')
        await worker.store.write(moveToNew('opened-arrived', found, { generation: 1 }, clock().toISOString()).actions)
      })
    const arrive = async () => {
      const before = await readDelivery(others.store, 'opened-arrived', id)
      if (!before) throw new Error('There is no such delivery')
      await finishDelivery(
        others.store,
        'opened-arrived',
        { before, after: before },
        'DELIVERED',
        clock().toISOString(),
      )
    }
    expect(await actBefore(isOpening, arrive, open)).toBe(true)
    expect(await listed('opened-arrived')).toEqual(['NEW'])
  })
})

describe('a courier', () => {
  it('ends when its webhook is deleted, however many deliveries wait', async () => {
    await writeWebhook(others.store, 'deleted', nowhere, clock().toISOString())
    await finish()
    const [made] = await newDeliveries('deleted')
    if (!made) throw new Error('There is no delivery')
    const many = Array.from({ length: 250 }, (_, n) => {
      const id = `many-${n}`
      return { put: itemOf('deleted', 'NEW', { id, delivery: { ...made, record: id } }, '') }
    })
    await others.store.bulk(many)
    const webhook = await webhooks.read(others.store, 'deleted')
    if (!webhook) throw new Error('There is no webhook')
    const act = () => others.store.write([removeRecord(webhooks, webhook), ...countWebhook(webhook, undefined)])
    expect(await actBefore(isReadingNew, act, () => serve('deleted'))).toBe(true)
    expect(await newDeliveries('deleted')).toHaveLength(251)
  })

  it('does not replace a new replay by the one before', async () => {
    const { url } = await startReceiver()
    await writeWebhook(others.store, 'replayed', url, clock().toISOString())
    await finish()
    // All of its events have their deliveries.
    const span = { at: '2026-11-03T00:00:00.000Z', to: '2026-11-02T00:00:00.000Z' }
    await others.store.bulk([{ put: replayItem('replayed', { ...span, generation: 1 }) }])
    const next = { ...span, generation: 2 }
    const act = async () => {
      await enableWebhook(others.store, 'replayed', false)
      await enableWebhook(others.store, 'replayed', true)
      await others.store.bulk([{ put: replayItem('replayed', next) }])
    }
    const isMovingOn = ({ command, input }: Request) =>
      command.startsWith('TransactWrite') && JSON.stringify(input).includes('R#replayed')
    let isOver = false
    const actOnce = () =>
      act().finally(() => {
        isOver = true
      })
    expect(await actBefore(isMovingOn, actOnce, () => serve('replayed', async () => !isOver))).toBe(true)
    expect(await readReplay(others.store, 'replayed')).toMatchObject(next)
  })
})

describe('a run', () => {
  it('moves what waited for a disabled webhook, 1,000 deliveries at a time, and nothing that is newer', async () => {
    await writeWebhook(others.store, 'swept', nowhere, clock().toISOString())
    await finish()
    const first = await newDeliveries('swept')
    const [made] = first
    if (!made) throw new Error('There is no delivery')
    const waiting = 1100
    const many = Array.from({ length: waiting - first.length }, (_, n) =>
      itemOf('swept', 'NEW', { id: `many-${n}`, delivery: made }, ''),
    )
    await others.store.bulk(many.map((put) => ({ put })))
    await enableWebhook(others.store, 'swept', false)
    await enableWebhook(others.store, 'swept', true)
    const newer = { ...made, generation: 2 }
    await others.store.bulk([{ put: itemOf('swept', 'NEW', { id: 'newer', delivery: newer }, '') }])
    const left: number[] = []
    for (let isLeft = true; isLeft; ) {
      const webhook = await webhooks.read(others.store, 'swept')
      if (!webhook) throw new Error('There is no webhook')
      if (webhook.mustSweep) await failWaiting(worker.store, webhook, clock().toISOString(), async () => true)
      else isLeft = false
      left.push((await newDeliveries('swept')).length)
    }
    expect(left).toEqual([101, 1, 1])
    expect(await all(others.store, deliveriesIn('swept', 'FAILED'))).toHaveLength(waiting)
  })

  it('delivers while it removes what is left of a deleted webhook', async () => {
    const arrived = Promise.withResolvers<void>()
    const receiver = await startReceiver(() => {
      arrived.resolve()
      return { status: 200 }
    })
    await writeWebhook(others.store, 'gone', receiver.url, clock().toISOString())
    await writeWebhook(others.store, 'kept', receiver.url, clock().toISOString())
    await finish()
    const webhook = await webhooks.read(others.store, 'gone')
    if (!webhook) throw new Error('There is no webhook')
    const goneItem = { put: goneWebhookKey('gone') }
    await others.store.write([removeRecord(webhooks, webhook), ...countWebhook(webhook, undefined), goneItem])
    const isRemoving = ({ input }: Request) =>
      JSON.stringify(input).includes('DeleteRequest') && JSON.stringify(input).includes('WEBHOOK#gone')
    expect(
      await actBefore(
        isRemoving,
        () => arrived.promise,
        () => deliver(delivering()),
      ),
    ).toBe(true)
    expect(await all(others.store, allDeliveries('gone'))).toEqual([])
    expect(await all(others.store, goneWebhooks)).toEqual([])
  })
})

describe('the lease', () => {
  const take = ({ store }: Process) => takeDeliveries({ store, clock, newId: randomUUID })

  it('is kept while attempts are under way, also if the run fails meanwhile', async () => {
    for (const { id } of await readWebhooks(others.store)) await enableWebhook(others.store, id, false)
    const [arrived, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const receiver = await startReceiver(async () => {
      arrived.resolve()
      await answered.promise
      return { status: 200 }
    })
    await writeWebhook(others.store, 'slow', receiver.url, clock().toISOString())
    pass(5)
    await change('a')
    await finish()
    const refused = Promise.withResolvers<void>()
    let isRefused = false
    const { heal } = strike(worker.client, (_nth, _command, input) => {
      if (!(isRefused && JSON.stringify(input).includes('OUTBOX#'))) return undefined
      refused.resolve()
      return 'refused'
    })
    const run = deliver(delivering()).catch((error: Error) => error.name)
    await arrived.promise
    isRefused = true
    await refused.promise
    // Time enough to give it back.
    for (let looks = 0; looks < 20; looks++) expect(await take(others)).toBeUndefined()
    answered.resolve()
    expect(await run).toBe('ValidationException')
    heal()
    const next = await take(others)
    expect(await next?.giveBack()).toBe(true)
  })

  it('is held by one process, which looks again before it ends if another one asks for that', async () => {
    const held = await take(worker)
    expect(await held?.mayTry()).toBe(true)
    expect(await take(others)).toBeUndefined()
    expect(await held?.giveBack()).toBe(false)
    expect(await held?.giveBack()).toBe(true)
    const next = await take(others)
    expect(await next?.giveBack()).toBe(true)
  })

  it('lasts while it is renewed, and then goes to another process', async () => {
    const held = await take(worker)
    for (let nth = 0; nth < 5; nth++) {
      pass(20)
      expect(await held?.mayTry()).toBe(true)
      expect(await take(others)).toBeUndefined()
    }
    pass(45)
    const next = await take(others)
    expect(await next?.mayTry()).toBe(true)
    expect(await held?.mayTry()).toBe(false)
    expect(await held?.giveBack()).toBe(true)
    await held?.drop()
    expect(await take(worker)).toBeUndefined()
    await next?.drop()
  })
})
