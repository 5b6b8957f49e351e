import { describe, expect, it } from 'vitest'
import {
  amendRecord,
  createOverTombstone,
  createRecord,
  removeRecord,
  removeWithoutEvent,
  replaceByTombstone,
  replaceRecord,
  requireUnchanged,
} from '../../domain/table/changes.ts'
import { eventOf } from '../../domain/table/events.ts'
import { withEvents } from '../../domain/table/recording.ts'
import { defineRecord, isSameRecord } from '../../domain/table/records.ts'
import type { Action, Item } from '../../domain/table/store.ts'
import { roomBeside } from '../../domain/table/transactions.ts'
import { workEntry } from '../../domain/table/work.ts'

type Thing = { id: string; name: string; count: number; secret: string; updated_at: string }
const things = defineRecord<Thing>({
  key: (id) => ({ pk: `T#${id}`, sk: 'T' }),
  idOf: ({ id }) => [id],
  events: {
    kind: 'role',
    hidden: ['secret'],
    verb: (before, after) => (after.count > before.count ? 'counted' : undefined),
  },
})
const one: Thing = { id: 'a', name: 'One', count: 1, secret: 's', updated_at: '1' }
const readAt = (event: string | undefined, data = { ...one }): Thing =>
  things.of({ ...things.key('a'), data, ...(event ? { event } : {}) }) as Thing

let nth = 0
const recorder = {
  cause: { actor: 'ada', request: 'r', operation: 'updateRole' },
  now: new Date('2026-11-21T09:00:00.000Z'),
  newId: () => `id-${++nth}`,
  keptDays: 400,
}
const storedEvent = (actions: readonly Action[]): Item => {
  const put = actions.find((action): action is Extract<Action, { put: Item }> => 'put' in action && 'ttl' in action.put)
  return (put ?? { put: {} as Item }).put
}

describe('every write that changes a record of a kind with events', () => {
  const last = '2026-11-20T09:00:00.000Z\u0001before'
  it.each<[string, () => Action, string, unknown[]]>([
    [
      'create',
      () => createRecord(things, one),
      'role.created',
      [
        ['count', null, 1],
        ['name', null, 'One'],
      ],
    ],
    [
      'succeed',
      () => createOverTombstone(things, undefined, one),
      'role.created',
      [
        ['count', null, 1],
        ['name', null, 'One'],
      ],
    ],
    [
      'replace',
      () => replaceRecord(things, readAt(last), { ...one, name: 'Two' }),
      'role.updated',
      [['name', 'One', 'Two']],
    ],
    [
      'replace, as a verb',
      () => replaceRecord(things, readAt(last), { ...one, count: 2 }),
      'role.counted',
      [['count', 1, 2]],
    ],
    ['amend', () => amendRecord(things, readAt(last), { name: 'Two' }), 'role.updated', [['name', 'One', 'Two']]],
    [
      'remove',
      () => removeRecord(things, readAt(last)),
      'role.deleted',
      [
        ['count', 1, null],
        ['name', 'One', null],
      ],
    ],
    [
      'leave',
      () => replaceByTombstone(things, readAt(last), {}),
      'role.deleted',
      [
        ['count', 1, null],
        ['name', 'One', null],
      ],
    ],
  ])('%s has one', (_verb, act, type, changes) => {
    const action = act()
    const actions = withEvents([action], recorder)
    // One more, if a webhook is enabled: an entry of the outbox.
    expect(roomBeside([action])).toBe(97)
    expect(actions).toHaveLength(2)
    const heard = withEvents([action], { ...recorder, isWebhookEnabled: true })
    expect(heard).toHaveLength(3)
    const { pk, sk } = storedEvent(heard)
    const named = { key: { pk, sk }, type, record: 'role~a', ...(type === 'role.created' ? {} : { previous: last }) }
    expect(heard[2]).toMatchObject({
      put: { pk: expect.stringMatching(/^OUTBOX#/), wakes: 'deliver', events: [named] },
    })
    const { changes: text, ...event } = storedEvent(actions)
    expect(event).toMatchObject({ pk: 'EVENTS#role#a', kind: 'role', id: 'a', type, ...recorder.cause })
    expect(JSON.parse(String(text))).toEqual(changes)
    expect(event.previous).toBe(type === 'role.created' ? undefined : last)
    const [written] = actions
    const kept = written && ('put' in written ? written.put.event : 'update' in written ? written.set?.event : 'none')
    expect(kept).toBe('delete' in action ? 'none' : event.sk)
  })

  it.each<[string, Action]>([
    [
      'nothing that it tells is different',
      replaceRecord(things, readAt(undefined), { ...one, secret: 't', updated_at: '2' }),
    ],
    ['it ends together with another one', removeWithoutEvent(things, readAt(undefined))],
    ['nothing is written', requireUnchanged(things, readAt(undefined))],
  ])('none where %s', (_why, action) => {
    expect(withEvents([action], { ...recorder, isWebhookEnabled: true })).toHaveLength(1)
  })

  it('keeps the place of the last event where there is none', () => {
    const [action] = withEvents([replaceRecord(things, readAt(last), { ...one, secret: 't' })], recorder)
    expect(action).toMatchObject({ put: { event: last } })
  })

  it.each<[string, (read: Thing) => Action]>([
    ['replace', (read) => replaceRecord(things, { ...read }, { ...read, name: 'Two' })],
    ['amend', (read) => amendRecord(things, { ...read }, { name: 'Two' })],
    ['remove', (read) => removeRecord(things, { ...read })],
    ['replaceByTombstone', (read) => replaceByTombstone(things, { ...read }, { gone: true })],
  ])('%s: a copy of a record keeps its chain of events', (_what, change) => {
    expect(storedEvent(withEvents([change(readAt(last))], recorder))).toMatchObject({ previous: last })
    expect(storedEvent(withEvents([change(readAt(undefined))], recorder))).not.toHaveProperty('previous')
  })

  it('needs the record as it was read: one that was put together has lost its chain', () => {
    const error = 'A change of a record needs the record as it was read'
    expect(() => replaceRecord(things, { ...one }, { ...one, name: 'Two' })).toThrow(error)
    expect(() => amendRecord(things, one, { name: 'Two' })).toThrow(error)
    expect(() => removeRecord(things, JSON.parse(JSON.stringify(readAt(last))))).toThrow(error)
  })

  it('does not count when records are compared', () => {
    expect(isSameRecord(readAt(last), { ...one })).toBe(true)
    expect(isSameRecord({ ...one }, readAt(last))).toBe(true)
    expect(isSameRecord(readAt(last), { ...readAt(last), name: 'Two' })).toBe(false)
  })

  it('is later than the last one, whatever the clocks say, and in a list of its day', () => {
    const ahead = '2026-11-21T09:00:00.500Z\u0001x'
    const event = storedEvent(withEvents([removeRecord(things, readAt(ahead))], recorder))
    expect(event.sk).toMatch(/^2026-11-21T09:00:00\.501Z\u0001id-\d+$/)
    expect(event).toMatchObject({ by_created_at: event.sk, find: 'ACTOR#ada', found: event.sk })
    expect(event.list).toMatch(/^EVENTS#2026-11-21#[0-7]$/)
    expect(event.ttl).toBe(Math.ceil((Date.parse('2026-11-21T09:00:00.501Z') + 400 * 86_400_000) / 1000))
  })
})

describe('what an event tells', () => {
  const record = { kind: 'role', id: 'a' }
  const eventsOf = (actions: readonly Action[]) =>
    actions.flatMap((action) => ('put' in action && 'ttl' in action.put ? [action.put] : []))

  it.each<[string, object | undefined, object | undefined, object | undefined]>([
    [
      'of a record that begins, even without fields',
      undefined,
      { id: 'a', version: 1 },
      { type: 'role.created', changes: [] },
    ],
    ['of a record that ends', { id: 'a' }, undefined, { type: 'role.deleted', changes: [] }],
    [
      'of marks alone: nothing',
      { version: 1, created_at: '1', updated_at: '1' },
      { version: 2, created_at: '2', updated_at: '2' },
      undefined,
    ],
    [
      'of fields that are there on one side only',
      { b: 1 },
      { a: [1] },
      {
        type: 'role.updated',
        changes: [
          ['a', null, [1]],
          ['b', 1, null],
        ],
      },
    ],
  ])('%s', (_what, before, after, expected) => {
    const told = eventOf({ record }, before, after)
    expect(told).toEqual(expected && { ...expected, record, last: undefined })
    expect(told && 'among' in told).toBe(told && false)
  })

  it('lies among those of another record where its kind says so, under an id that is made', () => {
    type Part = { user: string; n: number }
    const parts = defineRecord<Part>({
      key: (user) => ({ pk: `U#${user}`, sk: 'P' }),
      idOf: ({ user }) => [user],
      events: {
        kind: 'task_assignment',
        id: ({ user }) => `t~${user}`,
        among: ({ user }) => ({ kind: 'user', id: user }),
      },
    })
    const before = parts.of({ ...parts.key('u'), data: { user: 'u', n: 1 } }) as Part
    const actions = [replaceRecord(parts, before, { user: 'u', n: 2 }), { delete: parts.key('v') }]
    const [event] = eventsOf(withEvents(actions, recorder))
    expect(event).toMatchObject({
      pk: 'EVENTS#user#u',
      kind: 'task_assignment',
      id: 't~u',
      type: 'task_assignment.updated',
    })
    expect(Object.keys(event ?? {})).not.toContain('previous')
  })
})

it('work that is noted again keeps the cause of the last call; other items have none', () => {
  const entry = workEntry('places', 't', { task: 't' }, '2026-11-21T09:00:00.000Z')
  const actions: Action[] = [
    { update: entry, set: { kind: 'places' } },
    { update: { pk: 'T', sk: 'T' }, set: { kind: 'x' } },
    { update: entry },
  ]
  const [again, ...others] = withEvents(actions, recorder)
  expect(again).toEqual({ update: entry, set: { kind: 'places', cause: recorder.cause } })
  expect(others).toEqual(actions.slice(1))
})

it.each<[string, unknown, isCut: boolean]>([
  ['10,000 characters of JSON', 'x'.repeat(9_998), false],
  ['one more', 'x'.repeat(9_999), true],
  ['70,000 of ids', ['x'.repeat(69_996)], false],
  ['one more of ids', ['x'.repeat(69_997)], true],
  ['a list that is not of ids alone', ['x'.repeat(10_000), 1], true],
])('a value is cut where it is too long: %s', (_size, value, isCut) => {
  const event = eventOf({ record: { kind: 'role', id: 'a' } }, undefined, { value })
  const [[, , kept]] = JSON.parse(
    String(storedEvent(withEvents([{ delete: { pk: 'p', sk: 's' }, event }], recorder)).changes),
  )
  expect(kept?.cut === true).toBe(isCut)
})

it('a long value is cut, and known by its hash', () => {
  const record = { kind: 'role', id: 'a' }
  const name = 'ü'.repeat(10_000)
  const event = eventOf({ record }, undefined, { name, short: 'ü'.repeat(9_000) })
  const [action] = [{ check: { pk: 'p', sk: 's' }, event }]
  const changes = JSON.parse(String(storedEvent(withEvents([action as Action], recorder)).changes))
  expect(changes[0]).toEqual(['name', null, { cut: true, beginning: expect.any(String), sha256: expect.any(String) }])
  expect(changes[0][2].beginning).toBe(JSON.stringify(name).slice(0, 500))
  expect(changes[1][2]).toHaveLength(9_000)
})

it('a list of ids may be longer: of 1,000 recipients none is left out', () => {
  const id = 'i'.repeat(64)
  const lists = { most: Array(1000).fill(id), more: Array(1100).fill(id) }
  const action: Action = { check: { pk: 'p', sk: 's' }, event: eventOf({ record: { kind: 'task', id } }, {}, lists) }
  const changes = JSON.parse(String(storedEvent(withEvents([action], recorder)).changes))
  expect(changes.map(([field, , after]: [string, null, object]) => [field, Array.isArray(after)])).toEqual([
    ['more', false],
    ['most', true],
  ])
})

it('what nobody has caused is in no list of an actor', () => {
  const event = storedEvent(
    withEvents([createRecord(things, one)], { ...recorder, cause: { ...recorder.cause, actor: null } }),
  )
  expect([event.find, event.found, event.actor]).toEqual([undefined, undefined, null])
})

it('work that is noted keeps the cause; one that is moved on keeps its own', () => {
  const entry = workEntry('places', 't', { task: 't' }, '2026-11-21T09:00:00.000Z')
  const other = { actor: 'bea', request: null, operation: 'x' }
  const noted: Action[] = [{ put: entry }, { put: { ...entry, cause: other } }, { update: entry, set: { left: 1 } }]
  const [put, kept, moved] = withEvents(noted, recorder)
  expect(put).toMatchObject({ put: { cause: recorder.cause } })
  expect(kept).toMatchObject({ put: { cause: other } })
  expect(moved).toEqual(noted[2])
})
