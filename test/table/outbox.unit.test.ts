import { describe, expect, it } from 'vitest'
import { outbox } from '../../domain/table/keys.ts'
import { announce, rememberWebhookEnabled, wake } from '../../domain/table/outbox.ts'
import type { Announced, Item, Key, Range, WorkStore } from '../../domain/table/store.ts'
import { clearOutbox, readOutbox } from '../../domain/webhooks/outboxEntries.ts'

const event = (id: string): Announced => ({
  key: { pk: `EVENTS#role#${id}`, sk: 'place' },
  type: 'role.updated',
  record: `role~${id}`,
})
const shardOf = (pk: string): boolean => outbox.some(({ hash }) => hash === pk)

describe('an entry of the outbox', () => {
  it('names the events of a transaction, and wakes the function that makes deliveries', () => {
    const events = [event('a'), event('b')]
    expect(announce(events, 'i')).toEqual([
      { put: { pk: expect.toSatisfy(shardOf), sk: 'i', wakes: 'deliver', events } },
    ])
  })

  it('is in the shard of its first event, so that writers of other records do not wait', () => {
    const shards = Array.from({ length: 16 }, (_, n) => announce([event(`r${n}`), event('b')], 'i').map(pkOf))
    expect(new Set(shards.flat()).size).toBeGreaterThan(8)
    expect(announce([event('a'), event('b')], 'i').map(pkOf)).toEqual(announce([event('a')], 'other').map(pkOf))
  })
  const pkOf = (action: object) => (action as { put: Item }).put.pk

  it('is not written without events; one that only wakes names none', () => {
    expect(announce([], 'i')).toEqual([])
    expect(wake('i')).toEqual({ put: { pk: expect.toSatisfy(shardOf), sk: 'i', wakes: 'deliver', events: [] } })
  })
})

describe('all entries', () => {
  it('are read of all shards', async () => {
    const entry = (pk: string, sk: string) => ({ pk, sk, events: [] })
    const asked: Range[] = []
    const query: WorkStore['query'] = async (range) => {
      asked.push(range)
      return { items: [entry(range.hash, '1'), entry(range.hash, '2')], count: 2 }
    }
    const found = await readOutbox({ query })
    expect(asked).toMatchObject(outbox)
    expect(found).toEqual(outbox.flatMap(({ hash }) => [entry(hash, '1'), entry(hash, '2')]))
  })

  it('are deleted by their keys', async () => {
    const deleted: unknown[] = []
    const bulk: WorkStore['bulk'] = async (changes) => void deleted.push(...changes)
    const key = { pk: 'OUTBOX#00', sk: 'i' }
    await clearOutbox({ bulk }, [{ ...key, events: [event('a')] }])
    expect(deleted).toEqual([{ delete: key }])
  })
})

describe('whether a webhook listens', () => {
  const at = (ms: number, table = 'T') => ({ now: new Date(Date.parse('2026-11-21T09:00:00.000Z') + ms), table })
  const having = (item: object | undefined) => {
    const asked: Key[] = []
    const get: WorkStore['get'] = async (key) => {
      asked.push(key)
      return item && { ...key, ...item }
    }
    return { asked, store: { get } }
  }

  it.each([
    [undefined, false],
    [{ total: 2 }, false],
    [{ total: 2, enabled: 0 }, false],
    [{ total: 2, enabled: 1 }, true],
  ])('counts %j: %s', async (counts, isWebhookEnabled) => {
    const { asked, store } = having(counts)
    expect(await rememberWebhookEnabled(() => at(0))(store)).toBe(isWebhookEnabled)
    expect(asked).toEqual([{ pk: 'WEBHOOKS', sk: 'COUNTS' }])
  })

  it('is read once in five seconds, of each table', async () => {
    const { asked, store } = having({ enabled: 1 })
    let moment = at(0)
    const isWebhookEnabled = rememberWebhookEnabled(() => moment)
    const reads: number[] = []
    for (moment of [at(0), at(4999), at(5000), at(5001), at(5002, 'other')]) {
      expect(await isWebhookEnabled(store)).toBe(true)
      reads.push(asked.length)
    }
    expect(reads).toEqual([1, 1, 2, 2, 3])
  })
})
