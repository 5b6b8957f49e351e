import { describe, expect, it } from 'vitest'
import {
  type AttributeDefinition,
  attributeFaults,
  judgedAttributes,
} from '../../domain/attributes/attributeDefinition.ts'
import { errorOf } from '../../domain/base/errors.ts'
import type { Store } from '../../domain/table/store.ts'

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
    [[{ name: 'other', value: 'x' }], [UNKNOWN, 'attributes.0.name names no attribute definition']],
    [
      [{ name: 'text' }, { name: 'phone' }, { name: 'text' }],
      ['VALIDATION_ERROR', 'attributes.2.name must not be given twice'],
    ],
    [
      [{ name: 'other' }, { name: 'other' }],
      [
        UNKNOWN,
        'attributes.0.name names no attribute definition',
        'attributes.1.name must not be given twice',
        'attributes.1.name names no attribute definition',
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
    expect(await judgedAttributes(store, given)).toEqual({
      editions: new Map([
        ['text', 3],
        ['day', undefined],
      ]),
      fault: undefined,
    })
    expect(read).toHaveLength(2)
    const { fault: twice } = await judgedAttributes(store, [{ name: 'phone' }, { name: 'phone' }])
    expect(twice).toMatchObject({ code: 'VALIDATION_ERROR' })
    expect(read).toHaveLength(3)
    const { fault: unknown } = await judgedAttributes(store, [{ name: 'other' }])
    expect(unknown).toMatchObject({ code: UNKNOWN })
  })
})
