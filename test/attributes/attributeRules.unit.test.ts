import { describe, expect, it } from 'vitest'
import { errorOf } from '../../domain/base/errors.ts'
import {
  type AttributeDefinition,
  definitionFields,
  definitions,
  requireDefinition,
} from '../../domain/people/records/attributeDefinition.ts'
import { attributeFaults, checkedAttributes } from '../../domain/people/records/attributes.ts'
import {
  definitionDeletion,
  deletedIn,
  nextEdition,
  succeeding,
} from '../../domain/people/records/definitionEditions.ts'
import { giveUpSlot, readSlots, takeSlot } from '../../domain/people/records/definitionSlots.ts'
import { createRecord, itemOf } from '../../domain/table/changes.ts'
import type { Item, Store } from '../../domain/table/store.ts'
import { codeOf } from '../harness/refusal.ts'
import { actionText } from '../table/written.ts'

const definition = (technical_name: string, parts: Partial<AttributeDefinition> = {}): AttributeDefinition => ({
  id: technical_name,
  technical_name,
  title: [],
  attribute_type: 'TEXT',
  user_permission: 'VIEW',
  predefined: false,
  created_at: '2026-11-21T09:00:00.000Z',
  ...parts,
})
const known: Record<string, AttributeDefinition> = {
  text: definition('text', { edition: 3 }),
  phone: definition('phone', { attribute_type: 'PHONE_NUMBER' }),
  day: definition('day', { attribute_type: 'DATE' }),
}

type Given = Parameters<typeof attributeFaults>[0]
const judged = (given: Given): [code: string, ...faults: string[]] | undefined => {
  const error = errorOf(attributeFaults(given, (name) => known[name]))
  return error && [error.code, ...(error.errors ?? []).map(({ property, message }) => `${property} ${message}`)]
}
const UNKNOWN = 'NO_USER_ATTRIBUTE_DEFINITION_FOR_NAME_FOUND'
const DAY = 'INVALID_DATE_ATTRIBUTE_FORMAT'

describe('attributes', () => {
  it.each<[Given, ReturnType<typeof judged>]>([
    [[], undefined],
    [[undefined, { name: 'text', value: 'x' }, { name: 'phone', value: '1' }], undefined],
    [[{ name: 'day', value: '2026-02-28' }, { name: 'text' }], undefined],
    [[{ name: 'day' }], undefined],
    [[{ name: 'text', value: '2026-02-30' }], undefined],
    [
      [undefined, { name: 'day', value: '2026-02-30' }],
      [DAY, 'attributes.1.value must be a date, YYYY-MM-DD'],
    ],
    [[{ name: 'other', value: 'x' }], [UNKNOWN, 'attributes.0.name must name an attribute definition']],
    [
      [{ name: 'text' }, { name: 'phone' }, { name: 'text' }],
      ['VALIDATION_ERROR', 'attributes.2.name must not be given twice'],
    ],
    [
      [{ name: 'other' }, { name: 'other' }],
      [
        UNKNOWN,
        'attributes.0.name must name an attribute definition',
        'attributes.1.name must not be given twice',
        'attributes.1.name must name an attribute definition',
      ],
    ],
  ])('%j: %j', (given, expected) => {
    const [code, ...faults] = judged(given) ?? []
    expect([code, [...faults].sort()]).toEqual([expected?.[0], expected?.slice(1).sort() ?? []])
  })

  it('are read and judged, each name once, with the edition of its definition', async () => {
    const read: string[] = []
    const get: Store['get'] = async ({ pk, sk }) => {
      read.push(pk)
      const data = Object.values(known).find(({ technical_name }) => pk.endsWith(`#${technical_name}`))
      return data && { pk, sk, data }
    }
    const store = { get } as Store
    const given = [undefined, { name: 'text', value: 'x' }, { name: 'day', value: '2026-02-28' }]
    expect(await checkedAttributes(store, given)).toEqual({
      editions: new Map([
        ['text', 3],
        ['day', undefined],
      ]),
      fault: undefined,
    })
    expect(read).toHaveLength(2)
    const { fault: twice } = await checkedAttributes(store, [{ name: 'phone' }, { name: 'phone' }])
    expect(twice).toMatchObject({ code: 'VALIDATION_ERROR' })
    expect(read).toHaveLength(3)
    const { fault: unknown } = await checkedAttributes(store, [{ name: 'other' }])
    expect(unknown).toMatchObject({ code: UNKNOWN })

    const codeFor = async (attributes: unknown) => (await checkedAttributes(store, attributes)).fault?.code
    for (const unreadable of ['text', undefined, [1, 'x', { name: 5 }]])
      expect(await codeFor(unreadable)).toBeUndefined()
    expect(await codeFor([{ name: 'day', value: 5 }])).toBeUndefined()
    expect(await codeFor([{ name: 'day', value: 'x' }])).toBe(DAY)
    // As the schema refuses more than 50, no more are read.
    const many = (count: number) => [...Array.from({ length: count }, () => undefined), { name: 'day', value: 'x' }]
    expect([await codeFor(many(49)), await codeFor(many(50))]).toEqual([DAY, undefined])
  })
})

describe('a definition', () => {
  const now = '2026-11-22T09:00:00.000Z'
  const later = definition('text', { edition: 3 })
  const first = definition('text')
  const key = { pk: 'ATTRIBUTE#text', sk: 'ATTRIBUTE' }
  const mark: Item = { ...key, data: { deleted_at: now, edition: 4 } }

  it('must exist', () => {
    expect(requireDefinition(first)).toBe(first)
    expect(codeOf(() => requireDefinition(undefined))).toBe('ATTRIBUTE_DEFINITION_NOT_FOUND definition_id')
  })

  it('has one edition after the other, also beyond its deletion', () => {
    expect([nextEdition(first), nextEdition(later)]).toEqual([1, 4])
    const deletion = definitionDeletion(requireDefinition(definitions.of(itemOf(definitions, later))), now)
    expect(actionText(deletion)).toEqual([
      'put',
      mark,
      `if (data = ${JSON.stringify(later)}) AND (attribute_not_exists(event))`,
    ])
    expect(deletion.event).toMatchObject({ type: 'attribute_definition.deleted', record: { id: 'text' } })
    expect(succeeding(first, mark)).toEqual({ ...first, edition: 4 })
    for (const none of [undefined, itemOf(definitions, later)]) expect(succeeding(first, none)).toBe(first)
  })

  it('leaves a mark that differs from a definition', () => {
    expect(deletedIn(mark)).toEqual({ deleted_at: now, edition: 4 })
    for (const none of [undefined, key, itemOf(definitions, later)]) expect(deletedIn(none)).toBeUndefined()
    expect(definitions.of(mark)).toBeUndefined()
    expect(definitions.of(itemOf(definitions, later))).toMatchObject(later)
  })

  it('never shows its edition', () => {
    const { edition: _, ...own } = later
    const { created_at: _created, ...view } = own
    expect(definitionFields.answer(later)).toEqual({ status: 200, own, body: view })
    const names = createRecord(definitions, later).event?.changes.map(([name]) => name)
    expect(names).toEqual(['attribute_type', 'predefined', 'technical_name', 'title', 'user_permission'])
  })

  it('takes one of fifty places, and gives it up', async () => {
    const items = ['a', 'b'].map((name, n): Item => ({ pk: 'ATTRIBUTES', sk: `0${2 * n}`, name }))
    const query: Store['query'] = async ({ hash }) =>
      hash === 'ATTRIBUTES' ? { items, count: items.length } : { items: [], count: 0 }
    const { names, free, taken } = await readSlots({ query } as Store)
    expect([names, taken]).toEqual([['a', 'b'], items])
    expect(free).toEqual([1, ...Array.from({ length: 47 }, (_, n) => n + 3)])
    const free1 = ['put', { pk: 'ATTRIBUTES', sk: '01', name: 'c' }, 'if attribute_not_exists(pk)']
    expect(actionText(takeSlot(1, 'c'))).toEqual(free1)
    expect(giveUpSlot(taken, 'b').map(actionText)).toEqual([['delete ATTRIBUTES 02', 'if name = "b"']])
    expect(giveUpSlot(taken, 'c')).toEqual([])
  })
})
