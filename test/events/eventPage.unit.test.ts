import { expect, it } from 'vitest'
import { forgetValues, loadEvents } from '../../domain/events/event.ts'
import { type EventQuery, eventPage } from '../../domain/events/eventPage.ts'
import type { AskedCursor, Cursor } from '../../domain/request/askedPage.ts'
import type { Context } from '../../domain/request/context.ts'
import { eventKey, eventSortKey } from '../../domain/table/keys.ts'
import type { FieldChange, Item, Range, WorkStore } from '../../domain/table/store.ts'
import { memoryStore } from '../harness/memoryStore.ts'

const now = '2026-11-21T09:00:00.000Z'

/** A page as a call asks for it; its cursors are not sealed. */
const asked = (cursor: Cursor<EventQuery>, limit: number): AskedCursor<EventQuery> => ({
  cursor,
  limit,
  pagination: async (next) => ({ next_cursor: next ? JSON.stringify(next) : null, has_more: next !== undefined }),
})

it('a filter that leaves nothing takes few rounds, however short the page', async () => {
  const record = { kind: 'task', id: 't' }
  const stored = Array.from({ length: 1000 }, (_, n): Item => {
    const place = eventSortKey(new Date(Date.parse(now) + n).toISOString(), `e-${n}`)
    return { ...eventKey(record, place), ...record, type: n === 300 ? 'task.created' : 'task.updated', actor: 'ada' }
  })
  let reads = 0
  const { store } = memoryStore(stored)
  const query = (range: Range) => {
    reads++
    return store.query(range)
  }
  const seals = () => ({ seal: async (text: string) => text })
  const context = { store: { query }, now, actorId: 'admin', seals } as unknown as Context
  const filters = { from: now, to: '2026-12-01T00:00:00.000Z', record, types: ['task.created'] }
  const listsOf = () => [[{ hash: 'EVENTS#task#t' }]]
  const { body } = await eventPage(context, asked({ sort: ['TIME_ASC'], filters }, 1), listsOf)
  expect(body.events).toHaveLength(1)
  expect(body.pagination.has_more).toBe(true)
  expect(reads).toBeLessThan(8)
})

it('a page of large events ends before an answer would be too long', async () => {
  const record = { kind: 'task', id: 't' }
  const changes = JSON.stringify([['recipients', [], ['x'.repeat(70_000)]]])
  const items = Array.from({ length: 101 }, (_, n): Item => {
    const place = eventSortKey(new Date(Date.parse(now) + n).toISOString(), `e-${n}`)
    return { ...eventKey(record, place), ...record, type: 'task.created', actor: 'ada', changes }
  })
  const [seals, filters] = [
    () => ({ seal: async (text: string) => text }),
    { from: now, to: '2026-12-01T00:00:00.000Z' },
  ]
  const context = { ...memoryStore(items), now, actorId: 'admin', seals } as unknown as Context
  const listsOf = () => [[{ hash: 'EVENTS#task#t' }]]
  const first = (await eventPage(context, asked({ sort: ['TIME_ASC'], filters }, 100), listsOf)).body
  expect(Buffer.byteLength(JSON.stringify(first))).toBeLessThan(6_000_000)
  const second = await eventPage(context, asked(JSON.parse(first.pagination.next_cursor ?? ''), 100), listsOf)
  expect([...first.events, ...second.body.events].map(({ id }) => id)).toEqual(items.map((_, n) => `e-${n}`))
  expect(second.body.pagination.has_more).toBe(false)
})

it("a task's settings are shown as they are answered, not as they are stored", async () => {
  const record = { kind: 'task', id: 't' }
  const settings: FieldChange = ['settings', null, '{"a":{"b":1}}']
  const fields: FieldChange[] = [settings, ['settings', { cut: true }, null], ['title', '{}', '[]']]
  const rows = [record, { kind: 'role', id: 'r' }].map((one, n): Item => {
    const changes = JSON.stringify(n === 0 ? fields : [settings])
    return { ...eventKey(one, eventSortKey(now, 'e')), ...one, type: 'x', actor: 'ada', changes }
  })
  const context = { store: {}, now } as unknown as Context
  const [ofTask, ofRole] = await loadEvents(context, rows, {})
  expect(ofTask?.changes).toEqual([
    { field: 'settings', before: null, after: { a: { b: 1 } } },
    { field: 'settings', before: { cut: true }, after: null },
    { field: 'title', before: '{}', after: '[]' },
  ])
  expect(ofRole?.changes[0]?.after).toBe('{"a":{"b":1}}')
})

it('the purge also finds the event that was written a moment ago', async () => {
  const place = eventSortKey(now, 'e')
  const event: Item = { ...eventKey({ kind: 'user', id: 'u' }, place), kind: 'user', id: 'u', changes: '[]' }
  const put: Item[] = []
  // A read that is not consistent may lag behind.
  const query = async ({ consistent }: Range) => ({ items: consistent ? [event] : [], count: 1 })
  const bulk: WorkStore['bulk'] = async (changes) => {
    for (const change of changes) if ('put' in change) put.push(change.put)
  }
  expect(await forgetValues({ query, bulk }, 'u')).toBe(place)
  expect(put).toEqual([{ ...eventKey({ kind: 'user', id: 'u' }, place), kind: 'user', id: 'u' }])
})
