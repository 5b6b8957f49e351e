import { describe, expect, it } from 'vitest'
import { beginningOf } from '../../console/plans/beginningOfFile.ts'
import {
  type Asked,
  fieldOfHeader,
  fieldsOf,
  fieldsOfFiles,
  headersIn,
  missingIn,
  needsLook,
  nothingAsked,
  planOf,
  rowsOf,
  suggestedIn,
  unfitIn,
} from '../../console/plans/fileRequest.ts'
import { de } from '../../console/texts/de.ts'
import { en } from '../../console/texts/en.ts'
import { fileFields, meaningsOf } from '../../domain/plans/file/columns.ts'
import { csvRows } from '../../domain/plans/file/csvRows.ts'

const headers = ['External ID', 'Vorname', 'Größe']
const line = headers.join(';')
const utf16 = (text: string, mark: number[]) => {
  const bytes = Buffer.from(text, 'utf16le')
  return new Blob([Uint8Array.from(mark), mark[0] === 0xfe ? bytes.swap16() : bytes])
}

describe('the headers of a file', () => {
  it.each<[string, Blob]>([
    ['UTF-8', new Blob([line])],
    ['UTF-8 with a byte order mark', new Blob([`\uFEFF${line}\r\nHR-1;Ida;1`])],
    ['UTF-16, little end first', utf16(line, [0xff, 0xfe])],
    ['UTF-16, big end first', utf16(line, [0xfe, 0xff])],
    ['a file that is longer than what is looked at', new Blob([`${line}\n`, `HR-1;${'x'.repeat(100_000)};1\n`])],
  ])('%s', async (_, file) => expect((await beginningOf(file)).headers).toEqual(headers))

  it.each<[string, string[]]>([
    ['a,b;c,d', ['a', 'b;c', 'd']],
    ['a\tb\tc;d', ['a', 'b', 'c;d']],
    ['"a;b";c\n1;2;3;4', ['a;b', 'c']],
    ['"two\nlines",b\r\n1,2', ['two\nlines', 'b']],
    ['"say ""hi""",b', ['say "hi"', 'b']],
    ['6" pipe,"a"b,"open', ['6" pipe', '"a"b', '"open']],
    ['\r\n\na , b,,\n', ['a', 'b']],
    ['', []],
  ])('%j', (text, cells) => expect(headersIn(text)).toEqual(cells))

  it.each(['a,b,c', '"a,""b",c', '6" pipe,"a"b', '"two\nlines",x\n1,2', ',,a'])(
    'are those that the service reads: %j',
    async (text) => {
      const chunks = (async function* () {
        yield Buffer.from(text)
      })()
      const fault = () => expect.fail('It can be read')
      const faults = { tooLong: fault, endsInQuote: fault }
      const { value } = await csvRows(chunks, { separator: ',', longest: 1_000, faults, most: 1 }).next()
      expect(headersIn(text)).toEqual(value.cells.filter(Boolean))
    },
  )
})

describe('whether a file can be read', () => {
  const latin1 = new Blob([Uint8Array.from(Buffer.from('Vorname;Größe\r\nJörg;1', 'latin1'))])
  it.each<[string, Blob, string | undefined]>([
    ['UTF-8', new Blob(['Vorname;Größe\r\nJörg;1']), undefined],
    ['UTF-8, cut within a letter', new Blob(['x'.repeat(4_194_303), 'ö']), undefined],
    ['UTF-16', utf16('Größe', [0xff, 0xfe]), undefined],
    ['Windows-1252', latin1, 'ENCODING'],
    ['Windows-1252, late in the file', new Blob(['a\r\n'.repeat(100_000), latin1]), 'ENCODING'],
    ['a workbook', new Blob([Uint8Array.from([0x50, 0x4b, 3, 4, 0xff])]), 'EXCEL'],
    ['an old workbook', new Blob([Uint8Array.from([0xd0, 0xcf, 0x11, 0xe0])]), 'EXCEL'],
    ['nothing', new Blob([]), undefined],
  ])('%s', async (_, file, unfit) => expect(await unfitIn(file)).toBe(unfit))
})

describe('what a header means', () => {
  const attributes = [
    { name: 'cost_center', title: 'Cost centre' },
    { name: 'shift', title: 'Shift' },
    { name: 'shift_2', title: 'shift' },
    { name: 'title_a', title: 'Same' },
    { name: 'title_b', title: 'Same' },
    { name: 'nick', title: 'Username' },
    { name: 'place', title: 'Place', titles: ['Place', 'Ort'] },
  ]

  it.each<[string, string | undefined]>([
    ['External ID', 'external_id'],
    [' first-NAME ', 'first_name'],
    ['E-mail', 'email'],
    ['COST CENTRE', 'attribute:cost_center'],
    ['costcenter', 'attribute:cost_center'],
    ['attribute:cost_center', 'attribute:cost_center'],
    ['Username', 'username'],
    ['Shift', 'attribute:shift'],
    ['Same', undefined],
    ['Shoe size', undefined],
    ['ort', 'attribute:place'],
    ['Vorname', undefined],
  ])('%s', (header, field) => {
    expect(fieldOfHeader(header, attributes)).toBe(field)
    const definitions = attributes.map(({ name, title, titles = [title] }) => ({
      technical_name: name,
      title: titles.map((text) => ({ language: 'en-GB', text })),
      attribute_type: 'TEXT' as const,
    }))
    const meaning = meaningsOf(definitions)(header)
    expect(typeof meaning === 'object' && 'field' in meaning ? meaning.field : undefined, 'as the service').toBe(field)
  })

  it('is what somebody says of it', () => {
    const columns = { Nr: 'external_id', Username: null }
    expect(fieldsOf(['Nr', 'Username', 'E-mail', 'toString'], columns, attributes)).toEqual([
      'external_id',
      null,
      'email',
      undefined,
    ])
  })

  it('is suggested where the service does not know it', () => {
    const german = ['Personal-Nr.', 'VORNAME', 'Nachname', 'Benutzername', 'E-Mail', 'Ort', 'Schuhgröße', 'Kennung']
    expect(suggestedIn(german, attributes)).toEqual({
      'Personal-Nr.': 'external_id',
      VORNAME: 'first_name',
      Nachname: 'last_name',
      Benutzername: 'username',
      Kennung: 'id',
    })
    const others = ['Standort', 'Stelle', 'Stammgruppe', 'Payroll number']
    const known = [{ name: 'location', title: 'Where' }]
    expect(suggestedIn(others, known), 'attributes that the organisation has').toEqual({
      Standort: 'attribute:location',
      Stammgruppe: 'primary_user_group',
      'Payroll number': 'external_id',
    })
    // No two columns are one field.
    expect(suggestedIn(['First name', 'Vorname', 'Surname', 'Nachname'], attributes)).toEqual({ Surname: 'last_name' })
  })

  it.each([en, de])('is known or suggested by the words of the console: $name', ({ fields }) => {
    for (const field of fileFields) {
      const words = field === 'id' ? 'ID' : fields[field]
      expect(fieldOfHeader(words, []) ?? suggestedIn([words], [])[words], words).toBe(field)
    }
  })

  it.each<[string[], boolean]>([
    [['External ID', 'First name', 'Last name', 'Shoe size'], false],
    [['External ID', 'E-mail'], false],
    [['External ID', 'Vorname', 'Nachname'], true],
    [['Personalnummer', 'First name', 'Last name'], true],
  ])('somebody should look at %j: %s', (given, isNeeded) =>
    expect(needsLook(given, nothingAsked, attributes)).toBe(isNeeded),
  )

  it('a column can be each field that the service knows', () => expect(fieldsOfFiles).toEqual(fileFields))
})

describe('what a form asks', () => {
  const all = { ...nothingAsked, absent: 'DELETE' as const, rows: '46' }

  it.each<[Partial<Asked>, (string | null | undefined)[] | undefined, Record<string, string>]>([
    [{}, undefined, {}],
    [{}, ['external_id', undefined], {}],
    [{}, ['username', 'external_id'], {}],
    [{ matchBy: 'USERNAME' }, ['external_id', undefined], { match_by: 'KEY' }],
    [{}, [null, undefined], { match_by: 'KEY' }],
    [{}, [undefined, undefined], { file: 'HEADERS' }],
    [{}, ['external_id', 'email', null, 'email', null, undefined, undefined], { 'column-3': 'TWICE' }],
    [{ ...all, rows: 'many' }, undefined, { rows: 'REQUIRED' }],
    [{ ...all, rows: '12.5' }, undefined, { rows: 'REQUIRED' }],
    [{ rows: 'many' }, undefined, {}],
    [{ ...all, attribute: 'department', value: ' ' }, undefined, { value: 'REQUIRED' }],
    [{ ...all, attribute: 'department', value: 'IT' }, undefined, {}],
  ])('%j %j lacks %j', (asked, fields, lacks) =>
    expect(Object.fromEntries(missingIn({ ...nothingAsked, ...asked }, true, fields))).toEqual(lacks),
  )

  it('a file', () => expect([...missingIn(nothingAsked, false)]).toEqual([['file', 'FILE']]))

  it.each([
    ['46', 46],
    [' 1,200 ', 1_200],
    ['1.200.000', 1_200_000],
    ['12 000', 12_000],
    ['1,20', undefined],
    ['', undefined],
  ])('%j rows', (rows, number) => {
    expect(rowsOf({ ...all, rows })).toBe(number)
    expect(rowsOf({ ...nothingAsked, rows })).toBeUndefined()
  })

  const plain = { kind: 'FILE', title: 'hr.csv', format: 'CSV', match_by: 'EXTERNAL_ID' }
  it.each<[Partial<Asked>, object]>([
    [{}, {}],
    [
      { title: ' Night ', matchBy: 'ID' },
      { title: 'Night', match_by: 'ID' },
    ],
    [
      { clearsEmpty: true, restores: true, unlocks: true },
      { empty: 'CLEAR', pending: 'RESTORE', unlock: true },
    ],
    [{ attribute: 'department', value: 'IT', rows: '4' }, {}],
    [{ absent: 'DEACTIVATE' }, { mode: 'FULL', absent: 'DEACTIVATE', absent_among: { all: true } }],
    [
      { absent: 'DELETE', attribute: 'department', value: 'IT' },
      {
        mode: 'FULL',
        absent: 'DELETE',
        absent_among: { attribute_technical_name: 'department', attribute_value: 'IT' },
      },
    ],
    [{ columns: { Nr: 'external_id', Note: null } }, { columns: { Nr: 'external_id', Note: null } }],
    [
      { limits: { changed_percent: '50', lifecycle_percent: '0', cleared_percent: ' ' } },
      { limits: { changed_percent: 50, lifecycle_percent: 0 } },
    ],
  ])('%j is sent as %j', (asked, plan) =>
    expect(planOf({ ...nothingAsked, ...asked }, 'hr.csv')).toEqual({ ...plain, ...plan }),
  )

  it('a title that fits, of whole characters', () =>
    expect(planOf(nothingAsked, '🦊'.repeat(200)).title).toBe('🦊'.repeat(120)))
})
