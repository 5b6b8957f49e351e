import { describe, expect, it } from 'vitest'
import {
  type AttributeDefinition,
  checkAgainstDefinitions,
  checkAttributes,
} from '../../domain/attributes/attributeDefinition.ts'
import { AppError } from '../../domain/base/errors.ts'

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

type Given = Parameters<typeof checkAttributes>[0]
const judged = (given: Given, at?: string): [code: string, ...faults: string[]] | undefined => {
  try {
    checkAttributes(given, (name) => known[name], at)
    return undefined
  } catch (error) {
    const { code, errors = [] } = error as AppError
    return [code, ...errors.map(({ property, message }) => `${property} ${message}`)]
  }
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

  it('of a place that is named', () => {
    expect(judged([{ name: 'other' }], 'items.3.attributes')?.[1]).toMatch(/^items[.]3[.]attributes[.]0[.]name /)
  })

  it('are read and judged, each name once, with the edition of its definition', async () => {
    const read: string[] = []
    const store = {
      get: async ({ pk, sk }: { pk: string; sk: string }) => {
        read.push(pk)
        const data = Object.values(known).find(({ technical_name }) => pk.endsWith(`#${technical_name}`))
        return data && { pk, sk, data }
      },
    }
    const given = [undefined, { name: 'text', value: 'x' }, { name: 'day', value: '2026-02-28' }]
    expect([...(await checkAgainstDefinitions(store, given))]).toEqual([
      ['text', 3],
      ['day', undefined],
    ])
    expect(read).toHaveLength(2)
    const twice = checkAgainstDefinitions(store, [{ name: 'phone' }, { name: 'phone' }])
    await expect(twice).rejects.toMatchObject({ code: 'VALIDATION_ERROR' })
    expect(read).toHaveLength(3)
    await expect(checkAgainstDefinitions(store, [{ name: 'other' }])).rejects.toThrow(AppError)
  })
})
