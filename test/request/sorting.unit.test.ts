import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareBytes } from '../../domain/base/text.ts'
import { comparing, sortings, sortRecords } from '../../domain/request/sorting.ts'

it('a sort parameter names fields and directions', () => {
  expect(sortings(['LAST_NAME_ASC', 'ID_DESC'])).toEqual([
    { field: 'LAST_NAME', descending: false },
    { field: 'ID', descending: true },
  ])
  expect(sortings([])).toEqual([])
})

describe('the order of records', () => {
  const up = { field: 'a', descending: false }
  const down = { field: 'b', descending: true }
  type Row = { id: string; a?: string; b?: string }
  const ids = (rows: Row[], ...sorts: (typeof up)[]) =>
    sortRecords(
      rows,
      sorts,
      (row, field) => row[field as 'a' | 'b'],
      ({ id }) => id,
    ).map(({ record }) => record.id)

  it('is that of the first field that differs, then of the id in the direction of the last', () => {
    const rows: Row[] = [
      { id: '1', a: 'x', b: 'p' },
      { id: '2', a: 'x', b: 'q' },
      { id: '3', a: 'w', b: 'p' },
      { id: '4', a: 'x', b: 'q' },
    ]
    expect(ids(rows, up)).toEqual(['3', '1', '2', '4'])
    expect(ids(rows, down)).toEqual(['4', '2', '3', '1'])
    expect(ids(rows, up, down)).toEqual(['3', '4', '2', '1'])
    expect(ids(rows, down, up)).toEqual(['2', '4', '3', '1'])
    expect(ids(rows.toReversed())).toEqual(['1', '2', '3', '4'])
  })

  it('has those without a value last, whatever the direction', () => {
    const rows: Row[] = [{ id: '1' }, { id: '2', a: 'x', b: 'x' }, { id: '3', a: '', b: '' }, { id: '4' }]
    expect(ids(rows, up)).toEqual(['3', '2', '1', '4'])
    expect(ids(rows, down)).toEqual(['2', '3', '4', '1'])
  })

  it('asks each record for its values and its id once', () => {
    const asked: string[] = []
    const rows = ['c', 'a', 'b', 'd'].map((id) => ({ id }))
    const value = ({ id }: { id: string }, field: string) => {
      asked.push(`${id} ${field}`)
      return undefined
    }
    const by = sortRecords(rows, [up, down], value, ({ id }) => {
      asked.push(id)
      return id
    })
    expect(by.map(({ record }) => record.id)).toEqual(['d', 'c', 'b', 'a'])
    expect(new Set(asked).size).toBe(asked.length)
    expect(asked).toHaveLength(12)
  })

  it('is an order', () => {
    const value = fc.option(fc.constantFrom('', 'a', 'b', '\uffff', '😀'), { nil: null })
    const rank = fc.record({ values: fc.tuple(value, value), id: fc.constantFrom('1', '2', '3') })
    const compare = comparing([up, down])
    fc.assert(
      fc.property(rank, rank, rank, (a, b, c) => {
        expect(Math.sign(compare(a, b)) === -Math.sign(compare(b, a))).toBe(true)
        expect(compare(a, a) === 0).toBe(true)
        if (compare(a, b) <= 0 && compare(b, c) <= 0) expect(compare(a, c)).toBeLessThanOrEqual(0)
        const [x] = a.values
        const [y] = b.values
        if (x != null && y != null && x !== y) expect(Math.sign(compare(a, b))).toBe(Math.sign(compareBytes(x, y)))
      }),
    )
  })
})
