import { describe, expect, it } from 'vitest'
import { layoutChange } from '../../domain/maintenance/migrate.ts'
import { readCatalogue } from '../../domain/table/catalogues.ts'
import {
  amendRecord,
  createOverTombstone,
  createRecord,
  giveUpName,
  itemOf,
  keepName,
  removeRecord,
  removeWithoutEvent,
  replaceByTombstone,
  replaceRecord,
  requireFields,
  requireUnchanged,
  takeName,
} from '../../domain/table/changes.ts'
import { checkTable } from '../../domain/table/check.ts'
import { changeExternalId, giveUpExternalId, takeExternalId } from '../../domain/table/externalIds.ts'
import { acceptLayout, layouts, readLayout } from '../../domain/table/layout.ts'
import { defineItem, defineRecord } from '../../domain/table/records.ts'
import type { Action, Item, Key, Page, Range } from '../../domain/table/store.ts'
import { actionText } from './written.ts'

type Thing = { id: string; name: string }
const key = (id: string) => ({ pk: `T#${id}`, sk: 'T' })
const things = defineRecord<Thing>({ key, idOf: ({ id }) => [id] })
const listed = defineRecord<Thing>({
  key,
  idOf: ({ id }) => [id],
  indexAttributes: ({ name }) => ({ list: 'L', by_name: name }),
  catalogue: 'ROLES',
  isRecord: (data) => !('gone' in data),
})
const versioned = defineRecord<Thing & { version: number }>({ key, idOf: ({ id }) => [id], versioned: true })

const one: Thing = { id: 'a', name: 'One' }
const two: Thing = { id: 'a', name: 'Two' }
const item = { ...key('a'), data: one }
const taken = { code: 'DUPLICATE_ID', property: 'id' } as const

describe('a record', () => {
  it('is the data of its item, with its index attributes', () => {
    expect(itemOf(things, one)).toEqual(item)
    expect(itemOf(listed, one)).toEqual({
      ...item,
      find: 'ROLES',
      found: 'a',
      hint: '{"id":"a","name":"One"}',
      list: 'L',
      by_name: 'One',
    })
    expect(things.key('b')).toEqual(key('b'))
    expect([things.of(item), things.of(undefined), things.of({ ...key('a') })]).toEqual([one, undefined, undefined])
    const none = [undefined, { ...key('a') }, { ...key('a'), data: { gone: true } }]
    expect(none.map(listed.of)).toEqual([undefined, undefined, undefined])
    expect(listed.of(item)).toEqual(one)
  })

  it('is read as it is now, or as it was a moment ago', async () => {
    const reading = (items: Record<string, Item>) => async (at: Key) => items[at.pk]
    expect(await things.read({ get: reading({ 'T#a': item }) }, 'a')).toEqual(one)
    expect(await things.read({ get: reading({}) }, 'a')).toBeUndefined()
    expect(await things.readEventual({ getEventual: reading({ 'T#a': item }) }, 'a')).toEqual(one)
  })

  it('is read with all others of its kind out of their catalogue', async () => {
    const asked: Range[] = []
    const query = async (range: Range): Promise<Page> => {
      asked.push(range)
      return { items: [itemOf(listed, one), itemOf(listed, { id: 'b', name: 'B' })], count: 2 }
    }
    expect(await readCatalogue({ query }, listed)).toEqual([one, { id: 'b', name: 'B' }])
    expect(asked).toMatchObject([{ index: 'find', hash: 'ROLES' }])
    expect(await readCatalogue({ query }, things)).toEqual([])
    expect(asked).toHaveLength(1)
  })
})

describe('what is done to a record', () => {
  const AS_READ = 'if data = {"id":"a","name":"One"}'

  it('create: there must be none', () => {
    expect(actionText(createRecord(things, one))).toEqual(['put', item, 'if attribute_not_exists(pk)'])
    expect(actionText(createRecord(things, one, taken))).toEqual(['put', item, 'if attribute_not_exists(pk)', taken])
  })

  it('replace, remove, unchanged: it must be as it was read', () => {
    expect(actionText(replaceRecord(things, one, two))).toEqual(['put', { ...item, data: two }, AS_READ])
    expect(actionText(replaceRecord(things, undefined, two))).toEqual([
      'put',
      { ...item, data: two },
      'if attribute_not_exists(pk)',
    ])
    expect(actionText(removeRecord(things, one))).toEqual(['delete T#a T', AS_READ])
    expect(actionText(requireUnchanged(things, one))).toEqual(['check T#a T', AS_READ])
    const third = { ...one, version: 3 }
    expect(actionText(replaceRecord(versioned, third, { ...third, version: 4 })).slice(2)).toEqual([
      'if data.version = 3',
    ])
    expect(actionText(removeRecord(versioned, third))).toEqual(['delete T#a T', 'if data.version = 3'])
  })

  it('the place of the last event stays, and must be as it was read, where the kind has events', () => {
    const kind = defineRecord<Thing>({ key, idOf: ({ id }) => [id], events: { kind: 'role' } })
    const read = (of: typeof things.of) => of({ ...item, event: 'e' }) as Thing
    expect(replaceRecord(kind, read(kind.of), two).put).toStrictEqual({ ...item, data: two, event: 'e' })
    expect(replaceRecord(kind, undefined, two).put).toStrictEqual({ ...item, data: two })
    expect(replaceRecord(things, read(things.of), two).put).toStrictEqual({ ...item, data: two })
    // The next event names the one before: of two changes at once, one is stale.
    expect(actionText(removeRecord(kind, read(kind.of)))).toEqual([
      'delete T#a T',
      'if (data = {"id":"a","name":"One"}) AND (event = "e")',
    ])
    expect(actionText(amendRecord(kind, read(kind.of), { name: 'Two' })).at(-1)).toBe('if event = "e"')
    const withoutEvents = kind.of(item) as Thing
    expect(actionText(amendRecord(kind, withoutEvents, { name: 'Two' })).at(-1)).toBe('if attribute_not_exists(event)')
  })

  describe('writes an event in the same transaction', () => {
    const kind = defineRecord<Thing & { seen?: number }>({
      key,
      idOf: ({ id }) => [id],
      events: { kind: 'role', hidden: ['seen'] },
    })
    const read = kind.of({ ...item, event: 'before' }) as Thing
    const record = { kind: 'role', id: 'a' }
    const created = { type: 'role.created', record, changes: [['name', null, 'One']] }
    const updated = { type: 'role.updated', record, changes: [['name', 'One', 'Two']] }
    const deleted = { type: 'role.deleted', record, changes: [['name', 'One', null]] }
    const mark = { ...key('a'), data: { gone: true } }

    it.each<[string, Action, object | undefined]>([
      ['create', createRecord(kind, one), { ...created, last: undefined }],
      ['replace nothing', replaceRecord(kind, undefined, one), { ...created, last: undefined }],
      ['replace', replaceRecord(kind, read, two), { ...updated, last: 'before' }],
      ['remove', removeRecord(kind, read), { ...deleted, last: 'before' }],
      ['removeWithoutEvent', removeWithoutEvent(kind, read), undefined],
      ['replaceByTombstone', replaceByTombstone(kind, read, { gone: true }), { ...deleted, last: 'before' }],
      [
        'createOverTombstone',
        createOverTombstone(kind, { ...mark, event: 'of the mark' }, one),
        { ...created, last: 'of the mark' },
      ],
      [
        'createOverTombstone without a mark',
        createOverTombstone(kind, undefined, one),
        { ...created, last: undefined },
      ],
      ['requireUnchanged', requireUnchanged(kind, read), undefined],
      ['require', requireFields(kind, ['a'], { name: 'One' }), undefined],
      ['amend', amendRecord(kind, read, { name: 'Two' }), { ...updated, last: 'before' }],
      ['amend what events do not show', amendRecord(kind, read, { seen: 1 }), undefined],
      ['replace, of a kind without events', replaceRecord(things, one, two), undefined],
    ])('%s', (_what, action, event) => {
      expect(action.event).toEqual(event)
    })

    it('whose place is no condition where there is no event', () => {
      expect(actionText(amendRecord(kind, read, { seen: 1 }))).toEqual([
        'update T#a T',
        'SET data.seen = 1',
        'if attribute_exists(pk)',
      ])
    })
  })

  it('end, leave, succeed: it goes, a mark takes its place, and another record that of the mark', () => {
    const mark = { gone: true }
    expect(actionText(removeWithoutEvent(things, one))).toEqual(['delete T#a T', AS_READ])
    expect(actionText(replaceByTombstone(things, one, mark))).toEqual(['put', { ...key('a'), data: mark }, AS_READ])
    const found = { ...key('a'), data: mark }
    expect(actionText(createOverTombstone(things, found, one))).toEqual(['put', item, 'if data = {"gone":true}'])
    expect(actionText(createOverTombstone(things, undefined, one))).toEqual([
      'put',
      item,
      'if attribute_not_exists(pk)',
    ])
  })

  it('require: some fields must be as given', () => {
    expect(actionText(requireFields(things, ['a'], { name: 'One' }))).toEqual(['check T#a T', 'if data.name = "One"'])
    expect(actionText(requireFields(things, ['a'], { name: 'One' }, taken))).toEqual([
      'check T#a T',
      'if data.name = "One"',
      taken,
    ])
  })

  it('amend: some fields change, of a record that is there or as expected', () => {
    expect(actionText(amendRecord(things, one, { name: 'Two' }))).toEqual([
      'update T#a T',
      'SET data.name = "Two"',
      'if attribute_exists(pk)',
    ])
    const also = { expected: { name: 'One' }, attributes: { by_name: 'Two' }, otherwise: taken }
    expect(actionText(amendRecord(things, one, { name: 'Two' }, also))).toEqual([
      'update T#a T',
      'SET data.name = "Two", by_name = "Two"',
      'if data.name = "One"',
      taken,
    ])
  })
})

it('a row holds its attributes and its key', () => {
  const rows = defineItem<{ n: number }>()
  expect(rows.item(key('a'), { n: 1 })).toEqual({ ...key('a'), n: 1 })
  expect(rows.of({ ...key('a'), n: 1 }).n).toBe(1)
})

describe('a name that one record has', () => {
  const name = { ...key('n'), owner: 'me' }
  const FREE_OR_MINE = '(attribute_not_exists(pk)) OR (owner = "me")'

  it('is taken where it is free, mine, or expired', () => {
    expect(actionText(takeName(name, taken))).toEqual(['put', name, `if ${FREE_OR_MINE}`, taken])
    expect(actionText(takeName(name, taken, 'noon'))).toEqual([
      'put',
      name,
      `if ${FREE_OR_MINE} OR (expires_at <= "noon")`,
      taken,
    ])
  })

  it('is kept and given up unless another record has it', () => {
    expect(actionText(keepName(name))).toEqual(['put', name, `if ${FREE_OR_MINE}`])
    expect(actionText(giveUpName(name, 'me'))).toEqual(['delete T#n T', `if ${FREE_OR_MINE}`])
  })
})

describe('an external id', () => {
  const with_ = (external_id: string | null) => ({ id: 'me', external_id })
  const take = [
    'put',
    { ...key('E'), owner: 'me' },
    'if (attribute_not_exists(pk)) OR (owner = "me")',
    { code: 'DUPLICATE_EXTERNAL_ID', property: 'external_id' },
  ]
  const giveUp = (id: string) => [`delete T#${id} T`, 'if (attribute_not_exists(pk)) OR (owner = "me")']

  it('is taken and given up, where there is one', () => {
    expect(takeExternalId(key, with_('E')).map(actionText)).toEqual([take])
    expect(giveUpExternalId(key, with_('E')).map(actionText)).toEqual([giveUp('E')])
    expect([takeExternalId(key, with_(null)), giveUpExternalId(key, with_(null))]).toEqual([[], []])
  })

  it('changes', () => {
    expect(changeExternalId(key, with_('D'), with_('E')).map(actionText)).toEqual([take, giveUp('D')])
    expect(changeExternalId(key, with_(null), with_('E')).map(actionText)).toEqual([take])
    expect(changeExternalId(key, with_('D'), with_(null)).map(actionText)).toEqual([giveUp('D')])
    expect(changeExternalId(key, undefined, with_('E')).map(actionText)).toEqual([take])
    expect(changeExternalId(key, with_('E'), with_('E'))).toEqual([])
    expect(changeExternalId(key, undefined, with_(null))).toEqual([])
  })
})

it('a check of the table counts itself, on what it has read', async () => {
  const checked = async (before?: { at: string; nth: number }) => {
    const written: Action[] = []
    const get = async ({ pk, sk }: Key) =>
      before && pk === 'CHECK' && sk === 'CHECK' ? { pk, sk, data: before } : undefined
    await checkTable({ get, write: async (actions) => void written.push(...actions) }, 'noon')
    return written.map(actionText)
  }
  const at = { pk: 'CHECK', sk: 'CHECK' }
  const first = { at: 'noon', nth: 1 }
  expect(await checked()).toEqual([['put', { ...at, data: first }, 'if attribute_not_exists(pk)']])
  expect(await checked({ at: 'before', nth: 7 })).toEqual([
    ['put', { ...at, data: { at: 'noon', nth: 8 } }, 'if data = {"at":"before","nth":7}'],
  ])
})

describe('the layout of the table', () => {
  const layoutItem = (version: number) => ({ pk: 'LAYOUT', sk: 'LAYOUT', data: { version } })
  const stored = (version?: number) => ({
    get: async ({ pk, sk }: Key) =>
      version !== undefined && pk === 'LAYOUT' && sk === 'LAYOUT' ? layoutItem(version) : undefined,
  })

  it('is the first one where nothing says so, and changes as it was read', async () => {
    expect([await readLayout(stored()), await readLayout(stored(3))]).toEqual([1, 3])
    expect(actionText(await layoutChange(stored(), 2))).toEqual(['put', layoutItem(2), 'if attribute_not_exists(pk)'])
    expect(actionText(await layoutChange(stored(2), 3))).toEqual(['put', layoutItem(3), 'if data = {"version":2}'])
  })

  it('is one that this version knows, or the service cannot be reached', () => {
    const { oldest, newest } = layouts
    for (const version of [oldest, newest]) expect(() => acceptLayout(version)).not.toThrow()
    for (const layout of [oldest - 1, newest + 1]) {
      const failedRequest = { dependency: 'DynamoDB', layout, accepts: [oldest, newest] }
      expect(() => acceptLayout(layout)).toThrow(
        expect.objectContaining({ name: 'StoreUnreachable', cause: 'layout', mayBeDone: false, failedRequest }),
      )
    }
  })
})
