import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Condition, exists, is, lacks } from '../../domain/table/expressions.ts'
import { mostThatFit, pack } from '../../domain/table/pack.ts'
import type { Action, ActionOptions, Key } from '../../domain/table/store.ts'
import { fits, mergeCounts, requireRoom, roomBeside } from '../../domain/table/transactions.ts'
import { actionText } from './written.ts'

const key = (name: string): Key => ({ pk: name, sk: 's' })
const count = (name: string, add: Record<string, number>, expected: ActionOptions = {}): Action => ({
  update: key(name),
  add,
  ...expected,
})
const refusal = { code: 'ROLE_NOT_FOUND' } as const
const other = { code: 'CHANNEL_NOT_FOUND' } as const
const event = { type: 'role.deleted', record: { kind: 'role', id: 'ä' }, changes: [], last: undefined }

describe('actions that count in the same item', () => {
  const one = (...actions: Action[]) => mergeCounts(actions)?.map(actionText)

  it('become one', () => {
    expect(one(count('a', { n: 1, m: 1 }), count('b', { n: 1 }), count('a', { n: 2, o: 3 }))).toEqual([
      ['update a s', 'ADD n 3, m 1, o 3'],
      ['update b s', 'ADD n 1'],
    ])
  })

  it('keep all that they expect, each thing once, and the first refusal', () => {
    const open = lacks('closed')
    const actions: Action[] = [
      { check: key('a'), if: open, otherwise: refusal },
      count('a', { n: 1 }, { if: open }),
      count('a', { n: 1 }, { if: is({ m: 1 }), otherwise: other }),
    ]
    expect(one(...actions)).toEqual([
      ['update a s', 'ADD n 2', 'if (attribute_not_exists(closed)) AND (m = 1)', refusal],
    ])
    expect(one(count('a', { n: 1 }), count('a', { n: 1 }, { otherwise: other }))).toEqual([
      ['update a s', 'ADD n 2', other],
    ])
    expect(one(count('a', { n: 1 }, { if: exists }), count('a', { n: 1 }))).toEqual([
      ['update a s', 'ADD n 2', 'if attribute_exists(pk)'],
    ])
  })

  it('are about the first property that one of them is about', () => {
    const about = (...properties: (string | undefined)[]) =>
      mergeCounts(properties.map((property) => count('a', { n: 1 }, { property })))?.map((action) => action.property)
    expect([about('x', 'y'), about('x', undefined), about(undefined, 'y'), about(undefined, undefined)]).toEqual([
      ...[['x'], ['x'], ['y'], [undefined]],
    ])
  })

  it('which only check stay a check', () => {
    expect(one({ check: key('a'), if: exists }, { check: key('a'), if: lacks('closed') })).toEqual([
      ['check a s', 'if (attribute_exists(pk)) AND (attribute_not_exists(closed))'],
    ])
    expect(one({ check: key('a') }, { check: key('a') })).toEqual([['check a s']])
  })

  it.each<[string, Action]>([
    ['put', { put: { ...key('a'), n: 1 } }],
    ['delete', { delete: key('a') }],
    ['set', { update: key('a'), set: { n: 1 } }],
    ['setOnce', { update: key('a'), setOnce: { n: 1 } }],
    ['clear', { update: key('a'), clear: ['n'] }],
    ['told count', count('a', { n: 1 }, { event })],
  ])('do not meet with a %s', (_what, action) => {
    expect(mergeCounts([action, count('a', { n: 1 })])).toBeUndefined()
    expect(mergeCounts([count('a', { n: 1 }), action])).toBeUndefined()
    expect(mergeCounts([action, count('b', { n: 1 })])?.map(actionText)).toEqual(
      [action, count('b', { n: 1 })].map(actionText),
    )
  })
})

describe('the room of a transaction', () => {
  const plain = (length: number): Action[] => Array.from({ length }, (_, n) => ({ delete: key(`plain ${n}`) }))
  const told = (length: number): Action[] => plain(length).map((action) => ({ ...action, event }))

  it.each<[string, Action[], room: number]>([
    ['nothing', [], 100],
    ['actions', plain(7), 93],
    ['as many as fit', plain(100), 0],
    ['one too many', plain(101), -1],
    // The event and the entry of the outbox take a place each.
    ['an event', told(1), 97],
    ['49 events', told(49), 1],
    ['50 events', told(50), -1],
    ['an event among others', [...told(1), ...plain(97)], 0],
    ['an event among too many others', [...told(1), ...plain(98)], -1],
  ])('beside %s', (_what, actions, room) => {
    expect(roomBeside(actions)).toBe(room)
    expect(fits(actions)).toBe(room >= 0)
    if (room >= 0) expect(requireRoom(actions)).toBeUndefined()
    else expect(() => requireRoom(actions)).toThrow(`100 places, and these actions take ${100 - room}`)
  })

  it('is that of as many items as are asked for', () => {
    fc.assert(
      fc.property(fc.nat(10), fc.nat(20), fc.boolean(), (more, besides, hasEvents) => {
        const [each, others] = [more + 1, besides + 1]
        const most = mostThatFit({ each, besides: hasEvents ? others + 1 : others, hasEvents })
        const first = hasEvents ? told(1).concat(plain(others - 1)) : plain(others)
        const room = roomBeside(first)
        expect(most).toBe(Math.floor(room / each))
      }),
    )
  })
})

describe('pieces of work in transactions', () => {
  const sizes = (packed: Iterable<{ pieces: unknown[]; actions: readonly Action[] }>) =>
    [...packed].map(({ pieces, actions }) => [pieces.length, actions.length])
  /** A piece of so many actions, and a count that all pieces share. */
  const piece = (length: number, id: number): Action[] => [
    ...Array.from({ length }, (_, n): Action => ({ delete: key(`${id}-${n}`) })),
    count('shared', { n: 1 }),
  ]

  it('as many as fit, in their order, and never half of one', () => {
    const lengths = [49, 50, 50, 99, 1]
    const packed = [...pack(lengths, (length) => piece(length, lengths.indexOf(length)))]
    // Equal pieces are one more meeting of the same items: 50 and 50 cannot share.
    expect(packed.map(({ pieces }) => pieces)).toEqual([[49, 50], [50], [99], [1]])
    expect(packed.map(({ actions }) => actions.length)).toEqual([100, 51, 100, 2])
    expect(actionText(packed[0]?.actions.at(-1) as Action)).toBeDefined()
    expect(packed[0]?.actions.map(actionText)).toContainEqual(['update shared s', 'ADD n 2'])
  })

  it('leave room where there is to be some', () => {
    const ids = [0, 1, 2, 3]
    expect(sizes(pack(ids, (id) => piece(30, id)))).toEqual([
      [3, 91],
      [1, 31],
    ])
    expect(sizes(pack(ids, (id) => piece(30, id), { most: 61 }))).toEqual([
      [2, 61],
      [2, 61],
    ])
    expect(sizes(pack(ids, (id) => piece(30, id), { most: 80, spare: 20 }))).toEqual(ids.map(() => [1, 31]))
    expect(sizes(pack([0, 1], (id) => piece(49, id), { most: Number.POSITIVE_INFINITY }))).toEqual([[2, 99]])
    expect(sizes(pack([0, 1], (id) => piece(49, id), { spare: 2 }))).toEqual([
      [1, 50],
      [1, 50],
    ])
  })

  it('get the number of their transaction', () => {
    const asked: number[] = []
    const packed = [
      ...pack([0, 1, 2], (id, nth) => {
        asked.push(nth)
        return [...piece(60, id), count(`shard-${nth}`, { n: 1 })]
      }),
    ]
    expect(packed.map(({ actions }) => actions.map(actionText).at(-1)?.[0])).toEqual([
      'update shard-0 s',
      'update shard-1 s',
      'update shard-2 s',
    ])
    // A piece that does not fit is asked for again.
    expect(asked).toEqual([0, 0, 1, 1, 2])
  })

  it('one that is too large, or meets itself, stands alone', () => {
    const twice: Action[] = [{ delete: key('x') }, { put: { ...key('x') } }]
    expect(sizes(pack([1, 2, 3], (id) => (id === 2 ? piece(120, 2) : piece(1, id))))).toEqual([
      [1, 2],
      [1, 121],
      [1, 2],
    ])
    expect(sizes(pack([1, 2, 3], (id) => (id === 2 ? twice : piece(1, id))))).toEqual([
      [1, 2],
      [1, 2],
      [1, 2],
    ])
    expect(sizes(pack([2, 3], (id) => (id === 2 ? twice : piece(1, id))))).toEqual([
      [1, 2],
      [1, 2],
    ])
    expect(sizes(pack([], () => []))).toEqual([])
  })

  const MOST = 3_500_000
  const HALF = MOST / 2
  /** Puts an item of so many bytes; one that is compared with what was read counts twice. */
  function put(id: number, bytes: number, condition?: Condition): Action {
    const item = { ...key(`${id}`), text: 'ä' }
    const text = `ä${'x'.repeat(bytes - Buffer.byteLength(JSON.stringify(item)))}`
    return { put: { ...item, text }, ...(condition ? { if: condition } : {}) }
  }
  const remove = (id: number): Action => ({ delete: key(`${id}`) })
  const room = MOST - 500 - 4 * Buffer.byteLength(JSON.stringify(event))
  it.each<[string, Action[], number[]]>([
    ['a deletion counts its event four times', [put(0, room), { ...remove(1), event }], [2]],
    ['a deletion counts its event four times, and a byte', [put(0, room + 1), { ...remove(1), event }], [1, 1]],
    ['two halves', [put(0, HALF), put(1, HALF)], [2]],
    ['two halves and a byte', [put(0, HALF), put(1, HALF + 1)], [1, 1]],
    ['two quarters that are compared', [put(0, HALF / 2, exists), put(1, HALF / 2, exists)], [2]],
    ['two quarters that are compared and a byte', [put(0, HALF / 2, exists), put(1, HALF / 2 + 1, exists)], [1, 1]],
    ['anything but a put counts 500', [put(0, MOST - 500), remove(1)], [2]],
    ['anything but a put counts 500, and a byte', [put(0, MOST - 499), remove(1)], [1, 1]],
    ['what is sent does not count for the next', [0, 1, 2, 3].map((id) => put(id, HALF)), [2, 2]],
    ['what begins a transaction counts in it', [put(0, MOST), put(1, HALF), put(2, HALF), put(3, HALF)], [1, 2, 1]],
  ])('take no more than 3.5 MB: %s', (_what, actions, expected) => {
    expect([...pack(actions, (action) => [action])].map(({ pieces }) => pieces.length)).toEqual(expected)
  })
})
