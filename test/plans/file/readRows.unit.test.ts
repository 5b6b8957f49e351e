import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { splitTags } from '../../../domain/plans/file/cells.ts'
import { readRows } from '../../../domain/plans/file/readRows.ts'
import type { FileRow } from '../../../domain/plans/file/row.ts'
import { definitionOf, fileOf, open, rowsOf } from './files.ts'

// What files are written with.

const encodings = {
  'UTF-8': (text: string) => Buffer.from(text),
  'UTF-8 with a mark': (text: string) => Buffer.from(`\ufeff${text}`),
  'UTF-16LE': (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le'),
  'UTF-16BE': (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16(),
} as const
const encoding = fc.constantFrom(...(Object.keys(encodings) as (keyof typeof encodings)[]))

const inQuotes = (text: string) => `"${text.replaceAll('"', '""')}"`
const needsQuotes = /[",;\t\r\n]/
const escaped = (text: string) => (/^[=+\-@'\t\r]/.test(text) ? `'${text}` : text)
const joinTags = (tags: readonly string[]) =>
  tags
    .map((tag) => tag.replace(/(\\*)\|/g, '$1$1\\|'))
    .map((tag, n) => (n < tags.length - 1 ? tag.replace(/\\+$/, '$&$&') : tag))
    .join('|')

/** Texts with what CSV, spreadsheets and encodings stumble over. */
const text = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '"',
        "'",
        ',',
        ';',
        '\t',
        '\r',
        '\n',
        '\r\n',
        '|',
        '\\',
        '=',
        '+',
        '-',
        '@',
        ' ',
        '_',
        '\u2c22',
        '\u0100',
      ),
      fc.constantFrom(
        '😀',
        'ß',
        'İ',
        'ı',
        'שלום',
        'e\u0301',
        '\u200f',
        '\u2028',
        '\ufeff',
        '0',
        'NULL',
        '{',
        '}',
        '[',
        ']',
        ':',
      ),
      fc.string({ unit: 'grapheme', maxLength: 4 }),
    ),
    { maxLength: 8 },
  )
  .map((parts) => parts.join('').replaceAll('\0', '').replaceAll('\ufffd', '').toWellFormed().replaceAll('\ufffd', ''))
const tag = text.filter((one) => one !== '')
const key = fc.integer({ min: 1, max: 10 ** 9 }).map((n) => `k-${n}`)

const person = fc.record({
  external_id: key,
  first_name: text,
  email: text,
  tags: fc.array(tag, { maxLength: 3 }),
  attributes: fc.record({ job_title: text, 'cost.center': text }),
})
type Person = typeof person extends fc.Arbitrary<infer P> ? P : never

const definitions = [definitionOf('job_title', ['Beruf', 'Job title']), definitionOf('cost.center')]
const headers = {
  external_id: fc.constantFrom('external_id', 'External ID', 'EXTERNALID', ' external-id '),
  first_name: fc.constantFrom('first_name', 'FIRST NAME', 'Firstname'),
  email: fc.constantFrom('email', 'E-Mail', 'E_MAIL'),
  tags: fc.constantFrom('tags', 'Tags'),
  job_title: fc.constantFrom('attribute:job_title', 'job_title', 'Job-Title', 'BERUF', 'Attribute: Job Title'),
  'cost.center': fc.constantFrom('attribute:cost.center', 'COST.CENTER'),
}

/** What is read of a person: empty cells are left out, names are trimmed. */
function expected({ external_id, first_name, email, tags, attributes }: Person, row: number): FileRow {
  const given = Object.entries(attributes).filter(([, value]) => value !== '')
  return {
    row,
    key: external_id,
    values: {
      external_id,
      ...(first_name.trim() === '' ? {} : { first_name: first_name.trim() }),
      ...(email === '' ? {} : { email }),
      ...(tags.length === 0 ? {} : { tags }),
      ...(given.length === 0 ? {} : { attributes: Object.fromEntries(given) }),
    },
    faults: [],
  }
}

const file = fc.record({
  people: fc.array(person, { maxLength: 6 }),
  headers: fc.record(headers),
  separator: fc.constantFrom(',', ';', '\t'),
  lineEnd: fc.constantFrom('\n', '\r\n', '\r'),
  endsWithLine: fc.boolean(),
  quotesAll: fc.boolean(),
  encoding,
  cuts: fc.array(fc.nat({ max: 1000 }), { maxLength: 4 }),
})
type File = typeof file extends fc.Arbitrary<infer F> ? F : never

function csvOf({ people, headers: names, separator, lineEnd, endsWithLine, quotesAll }: File): string {
  const cell = (one: string) => (quotesAll || needsQuotes.test(one) ? inQuotes(one) : one)
  const rows = people.map(({ external_id, first_name, email, tags, attributes }) =>
    [external_id, first_name, email, joinTags(tags), ...Object.values(attributes)].map((one) => cell(escaped(one))),
  )
  const head = Object.values(names).map((name) => cell(name))
  return [head, ...rows].map((row) => row.join(separator)).join(lineEnd) + (endsWithLine ? lineEnd : '')
}

function jsonlOf({ people, headers: names, lineEnd, endsWithLine }: File): string {
  const end = lineEnd === '\r' ? '\n' : lineEnd
  const lines = people.map(({ external_id, first_name, email, tags, attributes }) => {
    const { external_id: id, first_name: first, email: mail, tags: labels, ...others } = names
    const own = Object.entries(others).map(([name, header]) => [header, attributes[name as keyof typeof attributes]])
    return JSON.stringify({
      [id]: external_id,
      [first]: first_name,
      [mail]: email,
      [labels]: tags,
      ...Object.fromEntries(own),
    })
  })
  return lines.join(end) + (endsWithLine && lines.length > 0 ? end : '')
}

const within = (cuts: readonly number[], { length }: Uint8Array) => cuts.filter((cut) => cut < length)

describe('any table', () => {
  it('is read as it was written to CSV, cut anywhere, and from any row on', () =>
    fc.assert(
      fc.asyncProperty(file, async (one) => {
        const bytes = encodings[one.encoding](csvOf(one))
        const options = { definitions, cuts: within(one.cuts, bytes) }
        const rows = await rowsOf(bytes, options)
        expect(rows.map(({ row }) => row)).toEqual(one.people.map((who, n) => expected(who, n + 1)))
        for (const [n, { at }] of rows.entries()) expect(await rowsOf(bytes, options, at)).toEqual(rows.slice(n + 1))
      }),
    ))

  it('is read as it was written to JSONL, cut anywhere, and from any line on', () =>
    fc.assert(
      fc.asyncProperty(file, async (one) => {
        const bytes = encodings[one.encoding](jsonlOf(one))
        const options = { definitions, format: 'JSONL', cuts: within(one.cuts, bytes) } as const
        const rows = await rowsOf(bytes, options)
        const wanted = one.people.map((who, n) => {
          const row = expected(who, n + 1)
          // JSON has an empty list, and a cell has not.
          return { ...row, values: { ...row.values, tags: who.tags } }
        })
        expect(rows.map(({ row }) => row)).toEqual(wanted)
        for (const [n, { at }] of rows.entries()) expect(await rowsOf(bytes, options, at)).toEqual(rows.slice(n + 1))
      }),
    ))

  it('has tags of any texts', () =>
    fc.assert(
      fc.property(fc.array(tag, { minLength: 1, maxLength: 5 }), (tags) => {
        expect(splitTags(joinTags(tags))).toEqual(tags)
      }),
    ))
})

// A file of any bytes is read or refused: nothing else.
it('of any bytes gives rows or a refusal', () =>
  fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ maxLength: 200 }),
      fc.constantFrom('', 'external_id\n', '\ufeffid;external_id\n'),
      fc.constantFrom('CSV', 'JSONL'),
      async (bytes, head, format) => {
        const read = rowsOf(Buffer.concat([Buffer.from(head), bytes]), { format: format as 'CSV' })
        const found = await read.catch((error: Error) => error)
        if (found instanceof Error) expect(found.name).toBe('AppError')
        else for (const { row } of found) expect(row.key !== null || row.faults.length > 0).toBe(true)
      },
    ),
  ))

// One by one.

const titled = [
  definitionOf('job_title', ['Beruf', 'Job title']),
  definitionOf('location', ['Ort', 'İşyeri']),
  definitionOf('site', ['Ort']),
  definitionOf('entry', ['Eintritt'], 'DATE'),
  definitionOf('email', ['Private address']),
  definitionOf('cost-center', ['E-Mail']),
]
type Given = Parameters<typeof rowsOf>[1]
const read = async (file: string | Uint8Array, options: Given = {}) =>
  (await rowsOf(file, { definitions: titled, ...options })).map((one) => one.row)
const refusalOf = (file: string | Uint8Array, options: Given = {}) =>
  read(file, options).then(
    (rows) => rows as unknown,
    ({ code, message }) => `${code}: ${message}`,
  )
const INCOMPLETE = 'PLAN_FILE_INCOMPLETE: '
const WRONG = 'VALIDATION_ERROR: '

describe('headers', () => {
  it.each<[header: string, field: string]>([
    ['E-MAIL', 'email'],
    ['attribute:email', 'attribute:email'],
    ['Private Address', 'attribute:email'],
    ['Cost Center', 'attribute:cost-center'],
    ['beruf', 'attribute:job_title'],
    ['JOB_TITLE', 'attribute:job_title'],
    ['\u00a0Primary\u00a0User Group ', 'primary_user_group'],
    ['PREFERRED_LANGUAGE', 'preferred_language'],
    ['i\u0307şyeri', 'attribute:location'],
    ["'-attribute:site", 'attribute:site'],
  ])('%s means %s', async (header, field) => {
    const { columns } = await open(`external_id;${header}\n`, { definitions: titled })
    expect([columns.headerOf(field)?.trim().replace(/^'/, ''), columns.ignored]).toEqual([
      header.trim().replace(/^'/, ''),
      [],
    ])
  })

  // Turkish letters are other letters: no rule of a language says that they are the same.
  it.each([
    'FİRST_NAME',
    'fırst_name',
    'first name 2',
    'attribute:no',
    'attribute:',
    '__',
    'columns',
    'constructor',
    '__proto__',
  ])('%s means nothing', async (header) => {
    const { columns } = await open(`external_id,${header},\n`, { definitions: titled })
    expect(columns.ignored).toEqual([header])
  })

  it('mean what the caller says', async () => {
    const columns = {
      'Personal-Nr.': 'external_id',
      mail: null,
      ORT: 'attribute:site',
      beruf: null,
      tags: 'attribute:location',
    }
    const options = { definitions: titled, columns }
    const file = await open('personal nr.;Mail;Ort;BERUF;Tags;other\n1;a@b.de;Ulm;Koch;x|y;z\n', options)
    expect(file.columns.ignored).toEqual(['other'])
    expect(await read('personal nr.;Mail;Ort;BERUF;Tags;other\n1;a@b.de;Ulm;Koch;x|y;z\n', options)).toEqual([
      { row: 1, key: '1', values: { external_id: '1', attributes: { site: 'Ulm', location: 'x|y' } }, faults: [] },
    ])
    await expect(open('external_id\n1', { columns: { external_id: 'attribute:gone' } })).rejects.toThrow(
      /attribute:gone/,
    )
  })

  it.each<[what: string, head: string, refusal: string]>([
    [
      'a title of two attributes',
      'external_id,Ort',
      `${WRONG}The header "Ort" names the attributes location and site: say in columns which one it is`,
    ],
    [
      'two headers for one field',
      'external_id,E-Mail,email',
      `${WRONG}The headers "E-Mail" and "email" both name email: leave one of them out, for example with null in columns`,
    ],
    [
      'no header for the key',
      'Nr|Name',
      expect.stringMatching(/^VALIDATION_ERROR: No header names external_id,.* has 1 cell\./),
    ],
    ['no header row', '', `${WRONG}The file is empty: it has no header row`],
    ['no header row but a mark', '\ufeff\n', `${WRONG}The file is empty: it has no header row`],
    ['too many columns', `external_id${','.repeat(1000)}`, `${WRONG}The file has more than 1000 columns`],
    [
      'a header row that is too long',
      `external_id,${'x'.repeat(65_536)}`,
      `${WRONG}The header row has more than 64 kB`,
    ],
    ['nothing but separators', ','.repeat(10_000_000), `${WRONG}The header row has more than 64 kB`],
    [
      'a quote in the header row that does not end',
      'external_id,"x\n1,2',
      `${INCOMPLETE}The file ends inside a quote, in its header row`,
    ],
  ])('refuse the file: %s', async (_, head, refusal) => {
    expect(await refusalOf(head)).toEqual(refusal)
  })

  it('are as many as a thousand', async () => {
    expect(await read(`external_id${',x'.repeat(999)}\n1${','.repeat(999)}`)).toMatchObject([{ key: '1', faults: [] }])
  })

  it('say which separator there is, whatever else they have', async () => {
    expect(await read('external_id;"first_name";"a,b,c,d"\n1;Ada;x')).toMatchObject([{ values: { first_name: 'Ada' } }])
    expect(await read('external_id,first_name\n1,"Ada;\tB;C"')).toMatchObject([{ values: { first_name: 'Ada;\tB;C' } }])
    expect(await read('external_id\n1\n\n2\n')).toMatchObject([
      { row: 1, key: '1' },
      { row: 2, key: '2' },
    ])
  })
})

describe('a file', () => {
  const rows = (cells: string) => `external_id,first_name\n1,Ada\n${cells}`
  it.each<[what: string, file: string | Uint8Array, refusal: unknown]>([
    ['ends inside a quote', rows('2,"Bea\n3,Cleo\n'), `${INCOMPLETE}The file ends inside a quote, in row 2`],
    ['ends at the beginning of a quote', rows('2,"'), `${INCOMPLETE}The file ends inside a quote, in row 2`],
    [
      'has a cell of 10 MB',
      rows(`2,${'x'.repeat(10_000_000)}\n`),
      `${WRONG}Row 2 has more than 64 kB: does a cell lack its closing quote?`,
    ],
    [
      'has a row of empty cells of 10 MB',
      rows(`2${','.repeat(10_000_000)}\n`),
      `${WRONG}Row 2 has more than 64 kB: does a cell lack its closing quote?`,
    ],
    [
      'is half of UTF-16',
      encodings['UTF-16LE'](rows('2,B')).subarray(0, -1),
      `${INCOMPLETE}The file ends in the middle of a character`,
    ],
    [
      'is UTF-16 without a mark',
      Buffer.from(rows('2,Bea'), 'utf16le'),
      expect.stringContaining('UTF-16 without a byte order mark?'),
    ],
    [
      'has a header row that is no UTF-8',
      Buffer.from('external_id,Größe\n', 'latin1'),
      expect.stringContaining('save the file as UTF-8'),
    ],
  ])('that %s is refused', async (_, file, refusal) => {
    expect(await refusalOf(file)).toEqual(refusal)
  })

  it.each<[what: string, line: string, refusal: unknown]>([
    [
      'of a line of 10 MB',
      JSON.stringify({ external_id: 'x'.repeat(10_000_000) }),
      `${WRONG}Row 1 has more than 64 kB: does a cell lack its closing quote?`,
    ],
    [
      'of too many names',
      Array.from({ length: 101 }, (_, n) =>
        JSON.stringify(Object.fromEntries(Array.from({ length: 10 }, (_, m) => [`n${n}-${m}`, '']))),
      ).join('\n'),
      `${WRONG}The lines of the file have more than 1000 names`,
    ],
    ['with the title of two attributes', '{"external_id":"1","Ort":"x"}', expect.stringContaining('location and site')],
  ])('%s is refused', async (_, line, refusal) => {
    expect(await refusalOf(line, { format: 'JSONL' })).toEqual(refusal)
  })

  it('that is read with other columns than before is refused', async () => {
    const [first] = await rowsOf('external_id,Beruf\n1,Koch\n2,Arzt', { definitions: titled })
    const other = titled.map((one) => ({ ...one, title: [] }))
    await expect(rowsOf('external_id,Beruf\n1,Koch\n2,Arzt', { definitions: other }, first?.at)).rejects.toThrow(
      /have changed/,
    )
  })

  it('of more than a million rows is refused', async () => {
    const bytes = Buffer.from('external_id\n1\n2\n')
    const columns = (await rowsOf(bytes))[0]?.at.columns as string
    await expect(rowsOf(bytes, {}, { offset: 12, row: 999_999, columns })).rejects.toThrow(/1000000 rows/)
  })

  it('needs no more memory if it is larger', async () => {
    const head = 'external_id,first_name,email\n'
    const line = `${'k'.repeat(30)},"${'Ada, '.repeat(200)}",ada@example.org\n`
    const count = Math.ceil((12 * 2 ** 20) / line.length)
    const bytes = fileOf(Buffer.from(head + line.repeat(count)), [4 * 2 ** 20, 8 * 2 ** 20])
    const file = await open(bytes)
    let [found, ahead] = [0, 0]
    const { measured } = bytes
    measured.total = 0
    for await (const { row, at } of readRows(file, { offset: 0, row: 0 })) {
      found = row.row
      ahead = Math.max(ahead, measured.total - at.offset)
    }
    // Never more than the piece that is used, and the next one.
    expect(ahead).toBeLessThanOrEqual(2 * 2 ** 20 + 64 * 2 ** 10)
    expect([found, measured.largest]).toEqual([count, 2 ** 20])
  })
})

describe('a row', () => {
  const faultsOf = (rows: FileRow[]) =>
    rows.flatMap(({ row, key, faults }) => faults.map((fault) => [row, key, fault.column, fault.code, fault.detail]))

  it('of another number of cells has no key', async () => {
    const rows = await read('external_id,first_name\n1,Ada,x\n2\n3,C\n4')
    expect(rows.map(({ key, values }) => [key, values])).toEqual([
      [null, {}],
      [null, {}],
      ['3', { external_id: '3', first_name: 'C' }],
      [null, {}],
    ])
    expect(faultsOf(rows)[0]).toEqual([1, null, null, 'VALIDATION_ERROR', 'The row has 3 cells, and the header row 2'])
  })

  it('keeps quotes that begin and end no cell', async () => {
    expect(await read('external_id,first_name,last_name\n1,5" disk,"Ada" King\n2,"",B""C\n')).toMatchObject([
      { values: { first_name: '5" disk', last_name: '"Ada" King' } },
      { values: { external_id: '2', last_name: 'B""C' } },
    ])
  })

  it.each<[key: string, found: string | null, detail?: string]>([
    ['007', '007'],
    [' 42 ', '42'],
    ['1E5', '1E5'],
    ["'=1", '=1'],
    ["''=1", "'=1"],
    ["'abc", "'abc"],
    ['', null, 'external_id must not be empty: it says which user the row is about'],
    ['  ', null, 'external_id must not be empty: it says which user the row is about'],
    [
      '1.23E+05',
      null,
      'external_id must not be a number that a spreadsheet has shortened: format the column as text, and fill it again',
    ],
    [
      '"1,23e+15"',
      null,
      'external_id must not be a number that a spreadsheet has shortened: format the column as text, and fill it again',
    ],
    [
      '4E+17',
      null,
      'external_id must not be a number that a spreadsheet has shortened: format the column as text, and fill it again',
    ],
    ['x'.repeat(256), null, 'external_id must have at most 255 characters'],
    ['a\0b', null, 'external_id must not have the character NUL: is the file encoded as UTF-8?'],
    [
      'a\ufffd',
      null,
      'external_id must be UTF-8, or UTF-16 with a byte order mark: it has characters that cannot be read',
    ],
  ])('with the key %j', async (cell, found, detail) => {
    const [one] = await read(`external_id,email\n${cell},`)
    expect([one?.key, one?.faults]).toEqual([
      found,
      detail ? [{ column: 'external_id', code: 'VALIDATION_ERROR', detail }] : [],
    ])
    if (found) expect(one?.values).toEqual({ external_id: found })
  })

  it.each<[header: string, cell: string, value: unknown, code?: string]>([
    ['status', 'active', { status: 'ACTIVE' }],
    ['status', ' Locked', { status: 'LOCKED' }],
    ['status', 'PENDING_DELETION', {}, 'VALIDATION_ERROR'],
    ['status', 'aktiv', {}, 'VALIDATION_ERROR'],
    ['role', 'Admin', { role: 'ADMIN' }],
    ['role', 'OWNER', {}, 'VALIDATION_ERROR'],
    ['Eintritt', '2026-12-31', { attributes: { entry: '2026-12-31' } }],
    ['Eintritt', '31.12.2026', {}, 'INVALID_DATE_ATTRIBUTE_FORMAT'],
    ['Eintritt', '2026-02-30', {}, 'INVALID_DATE_ATTRIBUTE_FORMAT'],
    ['tags', 'a|b\\|c|d\\', { tags: ['a', 'b|c', 'd\\'] }],
    ['tags', 'a||b', {}, 'VALIDATION_ERROR'],
    ['tags', 'a|', {}, 'VALIDATION_ERROR'],
    ['Beruf', ' ', { attributes: { job_title: ' ' } }],
    ['first_name', ' Ada ', { first_name: 'Ada' }],
    ['username', '1.5E+10', {}, 'VALIDATION_ERROR'],
    ['primary_user_group', 'Sales', { primary_user_group: 'Sales' }],
    ['no such header', '\0\ufffd', {}],
  ])('with %s %j', async (header, cell, value, code) => {
    const [one] = await read(`external_id;${header}\n1;${cell}`)
    expect([one?.key, one?.values]).toEqual(['1', { external_id: '1', ...(value as object) }])
    expect(one?.faults.map((fault) => [fault.column, fault.code])).toEqual(code ? [[header, code]] : [])
  })

  it('names the form of a date', async () => {
    expect(faultsOf(await read('external_id;Eintritt\n1;31.12.2026'))).toEqual([
      [1, '1', 'Eintritt', 'INVALID_DATE_ATTRIBUTE_FORMAT', 'attribute:entry must be a date of the form YYYY-MM-DD'],
    ])
  })

  it('with empty cells leaves fields, or clears those that can be empty', async () => {
    const text =
      'id;external_id;first_name;email;role;status;primary_user_group;preferred_language;tags;Beruf\nada;;;;;;;;;\n'
    expect(await read(text, { match_by: 'ID' })).toEqual([{ row: 1, key: 'ada', values: { id: 'ada' }, faults: [] }])
    const [one] = await read(text, { match_by: 'ID', empty: 'CLEAR' })
    expect(one?.values).toEqual({
      ...{ id: 'ada', external_id: null, email: null, primary_user_group: null, preferred_language: null, tags: [] },
      attributes: { job_title: null },
    })
    expect(one?.faults.map(({ column }) => column)).toEqual(['first_name', 'role', 'status'])
    const [other] = await read('external_id;id\n1;', { empty: 'CLEAR' })
    expect(other).toMatchObject({ values: { external_id: '1' }, faults: [] })
  })
})

describe('a line', () => {
  const lines = (...texts: string[]) => read(texts.join('\n'), { format: 'JSONL' })

  it.each<[line: string, detail: string]>([
    ['[]', 'The line must be one JSON object'],
    ['null', 'The line must be one JSON object'],
    ['"external_id"', 'The line must be one JSON object'],
    ['{"external_id":"1"', 'The line must be one JSON object'],
    ['{"external_id":"1"}{}', 'The line must be one JSON object'],
    ['{"external_id":"1","email":"a","email":"b"}', 'The line has a name twice'],
    ['{"external_id":"1","email":"\\":","e\\u006dail":"b"}', 'The line has a name twice'],
    ['{"email":"a@b.de","E-Mail":"a@b.de"}', 'The names email and E-Mail both name email'],
  ])('%s cannot be read', async (line, detail) => {
    expect(await lines(line)).toEqual([
      { row: 1, key: null, values: {}, faults: [{ column: null, code: 'VALIDATION_ERROR', detail }] },
    ])
  })

  it.each<[line: string, key: string | null, values: object, columns: (string | null)[]]>([
    ['{"external_id":"1","__proto__":{"a":1},"constructor":"x"}', '1', { external_id: '1' }, []],
    ['{"external_id":1}', null, {}, ['external_id', null]],
    [
      '{"external_id":"1","tags":["a|b","c"],"email":null,"Beruf":""}',
      '1',
      { external_id: '1', tags: ['a|b', 'c'] },
      [],
    ],
    [
      '{"external_id":"1","tags":[1],"Beruf":true,"email":["x"]}',
      '1',
      { external_id: '1' },
      ['tags', 'Beruf', 'email'],
    ],
    ['{"external_id":"1","Beruf":"\\ud800"}', '1', { external_id: '1' }, ['Beruf']],
    [
      '{"external_id":"1","email":"\\":","other":{"external_id":"2","a":"b"}}',
      '1',
      { external_id: '1', email: '":' },
      [],
    ],
    ['{"external_id":"\'=1"}', "'=1", { external_id: "'=1" }, []],
    ['{}', null, {}, [null]],
  ])('%s is read', async (line, key, values, columns) => {
    const [one] = await lines(line)
    expect([one?.key, one?.values, one?.faults.map(({ column }) => column)]).toEqual([
      key,
      values,
      columns.filter((_, n) => n === 0 || line !== '{"external_id":1}'),
    ])
  })

  it('may be empty, and counts all the same', async () => {
    expect(
      (await lines('', '{"external_id":"1"}\r', ' ', '{"external_id":"2"}')).map(({ row, key }) => [row, key]),
    ).toEqual([
      [2, '1'],
      [4, '2'],
    ])
  })

  it('may have other names than the lines before', async () => {
    const file = await open('{"external_id":"1","a":"1"}\n{"external_id":"2","b":"2"}', { format: 'JSONL' })
    for await (const _ of readRows(file, { offset: 0, row: 0 }));
    expect(file.columns.ignored).toEqual(['a', 'b'])
  })
})
