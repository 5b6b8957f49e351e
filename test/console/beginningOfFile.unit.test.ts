import { describe, expect, it } from 'vitest'
import { beginningOf, type Column, keyOf, unfitCells } from '../../console/plans/beginningOfFile.ts'

describe('what is said of a file before it is sent', () => {
  it.each<[string, Blob, string | undefined]>([
    ['nothing', new Blob([]), 'EMPTY'],
    ['empty lines', new Blob(['\uFEFF\r\n\r\n']), 'EMPTY'],
    ['headers only', new Blob(['External ID;First name\r\n\r\n']), 'NO_ROWS'],
    ['a row', new Blob(['External ID;First name\r\nHR-1;Ida']), undefined],
    ['a long row of headers', new Blob(['x'.repeat(1_100_000)]), undefined],
    ['a workbook', new Blob([Uint8Array.from([0x50, 0x4b, 3, 4])]), 'EXCEL'],
  ])('%s', async (_, file, unfit) => expect((await beginningOf(file)).unfit).toBe(unfit))

  it('its columns, without those that have no header', async () => {
    const { columns, headers } = await beginningOf(new Blob(['a;;c\r\n1;2; 3 \r\n4']))
    expect(columns).toEqual([
      { header: 'a', cells: ['1', '4'] },
      { header: 'c', cells: ['3', ''] },
    ])
    expect(headers).toEqual(['a', 'c'])
  })

  it('of a long file whole rows only', async () => {
    const { columns } = await beginningOf(new Blob(['a\r\n', 'xyz\r\n'.repeat(300_000)]))
    expect(new Set(columns[0]?.cells)).toEqual(new Set(['xyz']))
  })
})

const column = (header: string, ...cells: string[]): Column => ({ header, cells })

it.each<[Column[], string]>([
  [[column('External ID', ''), column('E-mail', '')], 'EXTERNAL_ID'],
  [[column('id', '1', '2'), column('external_id', 'HR-1', '')], 'ID'],
  [[column('id', '1', '2'), column('external_id', 'HR-1', 'HR-2')], 'EXTERNAL_ID'],
  [[column('ID', '1')], 'ID'],
  [[column('Kennung', '1')], 'EXTERNAL_ID'],
])('people in %j are found by %s', (columns, key) => expect(keyOf(columns, [])).toBe(key))

it('cells in a form that the service does not take are named by their columns', () => {
  const attributes = [
    { name: 'joined', title: 'Eintritt', type: 'DATE' as const },
    { name: 'left', title: 'Austritt', type: 'DATE' as const },
    { name: 'note', title: 'Note', type: 'TEXT' as const },
  ]
  const columns = [
    column('Eintritt', '', '2026-12-31', '31.12.2026'),
    column('Austritt', '2026-12-31', ''),
    column('Note', '31.12.2026'),
    column('Ende', '1/2/26'),
    column('Status', 'active', '', 'Locked'),
    column('Zustand', 'gesperrt'),
    column('Rest', '31.12.2026'),
  ]
  expect(unfitCells(columns, { Ende: 'attribute:joined', Zustand: 'status' }, attributes)).toEqual({
    dates: ['Eintritt', 'Ende'],
    statuses: ['Zustand'],
  })
})
