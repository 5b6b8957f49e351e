import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { csvRows, csvText, usualSeparator } from '../../console/plans/csv.ts'
import { faultFile } from '../../console/plans/faultFile.ts'
import { byRow, commonFaults, cutText, faultText, personIn } from '../../console/plans/faultText.ts'
import { rowIn } from '../../console/plans/planQuery.ts'
import { cellsOf, chooseFileOf, fileOf, hasFile, saidInFile, separatorInFile } from '../../console/plans/sentFiles.ts'
import { de } from '../../console/texts/de.ts'
import { en } from '../../console/texts/en.ts'
import { checkAction } from '../../domain/people/records/userRules.ts'
import { type Cell, cellValue } from '../../domain/plans/file/cells.ts'
import { columnsOf, meaningsOf, requireClear } from '../../domain/plans/file/columns.ts'
import { beyondLimits, nobody } from '../../domain/plans/file/limits.ts'
import { faultsOfNames } from '../../domain/plans/file/names.ts'
import { faultOf } from '../../domain/plans/verdict.ts'

// The sentences come from the service's own rules: the console must know them as they are.

type Problem = { code: string; detail: string }
const attributes = [{ name: 'date_of_joining', title: 'Date of joining' }]
const says = (fault: Problem, texts = en): string =>
  faultText(fault, { texts, attributes, rowText: (row) => texts.plans.row(row + 1) })

/** The fault of a cell. */
function ofCell(field: string, cell: Cell): Problem {
  const value = cellValue(field, cell, {
    key: 'external_id',
    empty: 'CLEAR',
    typeOf: (name) => (name === 'date_of_joining' ? 'DATE' : 'TEXT'),
  })
  if (!('fault' in value)) return expect.fail('The cell has no fault')
  return { code: value.code, detail: `${field} ${value.fault}` }
}

/** What a rule throws. */
function thrown(rule: () => unknown): Problem {
  try {
    rule()
  } catch (error) {
    const { code, message } = error as { code: string; message: string }
    return { code, detail: message }
  }
  return expect.fail('Nothing was thrown')
}

const user = (part: object) => ({ id: 'user-7', status: 'ACTIVE', ...part }) as Parameters<typeof checkAction>[1]
const naming = { columns: { headerOf: () => 'Username' }, deletes: false }
const nameFault = (holder: object, twice = false): Problem => {
  const taken = { name: 'username#ida', field: 'username' as const, ...holder }
  const row = { row: 3, user: 'user-8', changes: [], faults: [], takes: [taken], gives: [] }
  const all = { has: () => twice, size: 1 } as unknown as ReadonlySet<bigint>
  return faultsOfNames(naming, row, { twice: twice ? all : new Set(), moved: new Set() })[0] ?? expect.fail('No fault')
}

describe('what a fault says', () => {
  it.each<[string, Problem, string]>([
    [
      'a German date',
      ofCell('attribute:date_of_joining', '25.01.2006'),
      'Write the date as 2006-01-25: year, month, day.',
    ],
    ['another word', ofCell('status', 'aktiv'), 'Write ACTIVE, LOCKED or DEACTIVATED.'],
    ['another role', ofCell('role', 'Chef'), 'Write USER or ADMIN.'],
    ['an empty key', ofCell('external_id', ' '), 'This cell is empty, so nobody can tell who the row is about.'],
    ['an empty name', ofCell('last_name', ''), 'This cell must not be empty: each person has such a value.'],
    ['a shortened number', ofCell('external_id', '1.23E+05'), 'The spreadsheet has shortened this number.'],
    ['wrong characters', ofCell('first_name', 'J\ufffdrg'), 'There are characters that cannot be read.'],
    ['a long name', ofCell('username', 'x'.repeat(256)), 'This is too long: at most 255 characters.'],
    [
      'the same key',
      { code: 'VALIDATION_ERROR', detail: 'Nr is the same as in row 4' },
      'Row 5 is about the same person.',
    ],
    ['a name taken twice', nameFault({}, true), 'Another row of the file takes the same name.'],
    ['a name of somebody else', nameFault({ holder: 'user-9' }), en.errors.USERNAME_ALREADY_EXISTS],
    [
      'a name that is kept',
      nameFault({ holder: 'user-9', until: '2026-12-11T10:00:00.000Z' }),
      'The name belongs to somebody who is being deleted. It is free from 11 Dec 2026 on.',
    ],
    [
      'somebody protected',
      thrown(() => checkAction('lock', user({ protected: true }), 'me')),
      en.plans.says.isProtected,
    ],
    [
      'somebody who is being deleted',
      thrown(() => checkAction('lock', user({ status: 'PENDING_DELETION' }), 'me')),
      en.plans.says.isLeaving,
    ],
    [
      'somebody in another state',
      thrown(() => checkAction('lock', user({ status: 'DEACTIVATED' }), 'me')),
      'This person is in the state “Deactivated”, in which this cannot be done.',
    ],
    ['oneself', thrown(() => checkAction('lock', user({}), 'user-7')), en.errors.ACTOR_MUST_NOT_CHANGE_ITSELF],
    [
      'no key',
      thrown(() => columnsOf(['Vorname'], meaningsOf([]), 'external_id')),
      'No column is “External ID”, by which people are found.',
    ],
    [
      'two headers of one field',
      thrown(() => columnsOf(['Username', 'user_name'], meaningsOf([]), 'username')),
      'Both “Username” and “user_name” are “Username”.',
    ],
    [
      'a new person without a name',
      { code: 'VALIDATION_ERROR', detail: 'last_name must be given' },
      'A new person needs a value here: Last name.',
    ],
    ['an empty file', { code: 'VALIDATION_ERROR', detail: 'The file is empty: it has no header row' }, 'is empty'],
    [
      'a title of two attributes',
      thrown(() => requireClear('Ort', { oneOf: ['attribute:a', 'attribute:b'] })),
      '“Ort” is the title of several attributes.',
    ],
    [
      'a file that is cut off',
      { code: 'PLAN_FILE_INCOMPLETE', detail: 'The file ends inside a quote, in row 4' },
      'Row 5 begins a text with a quotation mark that ends nowhere.',
    ],
    [
      'a long row',
      { code: 'VALIDATION_ERROR', detail: 'Row 4 has more than 64 kB: does a cell lack its closing quote?' },
      'Row 5 has more than 64 kB.',
    ],
    [
      'too many rows',
      { code: 'VALIDATION_ERROR', detail: 'The file has more than 1000000 rows' },
      'The file has more than 1,000,000 rows.',
    ],
    ['too many columns', thrown(() => columnsOf(Array(1001).fill('A'), () => 'NOTHING', 'id')), 'than 1,000 columns.'],
    [
      'a row without its key',
      {
        code: 'PLAN_FILE_INCOMPLETE',
        detail: 'The key of row 3 cannot be read, so nobody can be found to be absent',
      },
      'Row 4 does not say who it is about',
    ],
    [
      'faults that refuse all',
      { code: 'PLAN_LIMIT_EXCEEDED', detail: '2 rows have faults, and on_fault is REFUSE' },
      '2 rows have faults, and this plan is refused if there is any.',
    ],
    [
      'a file that has not arrived',
      { code: 'PLAN_FILE_INCOMPLETE', detail: 'sha256 must be that of the uploaded file' },
      'The file did not arrive whole.',
    ],
    ['what nobody knows yet', { code: 'NEW_CODE', detail: 'Something new' }, 'NEW_CODE'],
  ])('%s', (_, fault, text) => expect(says(fault)).toContain(text))

  it('limits with their numbers, in the language of the reader', () => {
    const people = { ...nobody, changed: 90, cleared: { 'attribute:date_of_joining': 20, email: 5 } }
    const fault = beyondLimits({}, { people, scope: 346, planned: 90 }) ?? expect.fail('It is allowed')
    expect(says(fault)).toContain(
      'People changed: 90 of 346, and at most 70 are allowed (20 %). People who lose this value: Date of joining: 20 of 346, and at most 18 are allowed (5 %).',
    )
    expect(says(fault, de)).toContain('Geänderte Personen: 90 von 346, erlaubt sind höchstens 70 (20 %).')
    const lifecycle = beyondLimits({}, { people: { ...nobody, changed: 20, lifecycle: 20 }, scope: 346, planned: 20 })
    expect(says(lifecycle ?? expect.fail('It is allowed'))).toContain('deactivated or deleted: 20 of 346')
    const changes = beyondLimits({ changes: 5 }, { people: nobody, scope: 346, planned: 9 })
    expect(says(changes ?? expect.fail('It is allowed'))).toContain('Changes: 9, and at most 5 are allowed.')
  })

  it('a count that is a bound says so', () => {
    const people = { ...nobody, changed: 90, lifecycle: 90 }
    const fault = beyondLimits({}, { people, scope: 346, planned: 90, unjudged: 200 }) ?? expect.fail('It is allowed')
    expect(says(fault)).toContain('People changed: at least 90 of 346, and at most 70 are allowed (20 %).')
    expect(says(fault, de)).toContain('Geänderte Personen: mindestens 90 von 346')
  })

  it('of one person, whom it names', () => {
    const problem = {
      code: 'USER_MODIFICATION_NOT_ALLOWED',
      detail: 'This user is protected against every change',
    } as const
    const [fault] = faultOf(null, 'user-7', problem)
    expect(personIn(fault ?? expect.fail('No fault'))).toBe('user-7')
    expect(says(fault ?? expect.fail('No fault'))).toBe(en.plans.says.isProtected)
    expect(personIn({ detail: 'User must be given' })).toBeUndefined()
  })
})

describe('the row of a fault', () => {
  it.each<[string, number | null, number | undefined]>([
    ['CSV', 1, 2],
    ['JSONL', 1, 1],
    ['CSV', null, undefined],
  ])('%s, %s', (format, row, shown) => expect(rowIn({ kind: 'FILE', request: { format } }, row)).toBe(shown))
  it('of a plan that takes another one back is none of a file', () =>
    expect(rowIn({ kind: 'UNDO', request: {} }, 1)).toBeUndefined())
})

it('a text with a header is read and written as CSV', () => {
  const text = 'row,column,detail\r\n1,"A, ""b""","two\r\nlines"\r\n,,\r\n'
  const rows = [...csvRows(text, ',')]
  expect(rows).toEqual([
    ['row', 'column', 'detail'],
    ['1', 'A, "b"', 'two\r\nlines'],
    ['', '', ''],
  ])
  expect(csvText(rows)).toBe(text)
  const semicolons = csvText([['a;b', 'c,d', 'say "e"']], ';')
  expect(semicolons).toBe('"a;b";c,d;"say ""e"""\r\n')
  expect([...csvRows(semicolons, ';')]).toEqual([['a;b', 'c,d', 'say "e"']])
  expect([...csvRows('a;b\r\n\r\n\n1;2\r3;', ';')]).toEqual([
    ['a', 'b'],
    ['1', '2'],
    ['3', ''],
  ])
})

it('what a file says in a row that is at fault', async () => {
  const text = '\uFEFFNr;;Vorname;Nachname;Eintritt\r\n\r\nHR-1;;Jörg;Weiß;25.01.2006\r\n"HR-2";;"Änne";;\r\n'
  const asked = {
    matchBy: 'EXTERNAL_ID' as const,
    columns: { Nr: 'external_id', Vorname: 'first_name', Nachname: 'last_name' },
  }
  const { rows, saidIn } = await cellsOf({ file: new Blob([text]), asked, attributes: [] })
  expect(rows).toBe(2)
  expect(saidIn(1, 'Eintritt')).toEqual({ key: 'HR-1', name: 'Jörg Weiß', value: '25.01.2006' })
  expect(saidIn(2, null)).toEqual({ key: 'HR-2', name: 'Änne', value: '' })
  expect(saidIn(3, null)).toBeUndefined()
})

it('a file that is chosen once more must have as many rows as that of the plan', async () => {
  const plan = { id: 'p', request: { columns: { Nr: 'external_id' } }, counts: { rows: 1 } } as never
  expect(await chooseFileOf(plan, new File(['Nr\r\nHR-1\r\nHR-2'], 'other.csv'))).toBe(false)
  expect(hasFile('p')).toBe(false)
  expect(await chooseFileOf(plan, new File(['Nr;Ort\r\nHR-1;Kiel'], 'hr.csv'))).toBe(true)
  expect(await saidInFile('p', 1, 'Ort')).toEqual({ key: 'HR-1', name: '', value: 'Kiel' })
  expect([await separatorInFile('p'), await separatorInFile('unknown')]).toEqual([';', undefined])
})

it('a file that is chosen once more is that of the plan by its size and its sum', async () => {
  const sent = new File(['Nr;Ort\r\nHR-1;Kiel'], 'hr.csv')
  const sha256 = createHash('sha256')
    .update(await sent.bytes())
    .digest('hex')
  const plan = { id: 'q', request: { file: { bytes: sent.size, sha256 } }, counts: { rows: 1 } } as never
  expect(await chooseFileOf(plan, new File(['Nr;Ort\r\nHR-1;Bonn'], 'hr.csv'))).toBe(false)
  expect([hasFile('q'), fileOf('q')]).toEqual([false, undefined])
  expect(await chooseFileOf(plan, sent)).toBe(true)
  expect([hasFile('q'), fileOf('q')]).toEqual([true, sent])
})

it('the file of faults names the row, the person and the value, and runs nothing', () => {
  const line = { row: 26, key: 'HR-1', name: '=1+1', column: 'Eintritt', value: '-25.01.2006', says: 'Write, "so"' }
  const text = faultFile(en.plans.faultsHead, [{ ...line, code: 'C', detail: "'=D" }], ';')
  expect([...csvRows(text.slice(1), ';')]).toEqual([
    ['Row', 'Key or ID', 'Name', 'Column', 'Value in the file', 'Fault', 'Code', 'Details for support'],
    ['26', 'HR-1', "'=1+1", 'Eintritt', "'-25.01.2006", 'Write, "so"', 'C', "'=D"],
  ])
  expect(de.plans.faultsHead.length).toBe(en.plans.faultsHead.length)
})

it('a file for spreadsheets has between its cells what they expect in this language', () => {
  expect([en, de].map(({ language }) => usualSeparator(language))).toEqual([',', ';'])
})

it('faults are in the order of rows, and long values are cut', () => {
  const faults = [{ row: 7 }, { row: null }, { row: 2 }]
  expect(byRow(faults)).toEqual([{ row: null }, { row: 2 }, { row: 7 }])
  expect(cutText('é'.repeat(100))).toBe('é'.repeat(100))
  expect(cutText('😀'.repeat(101))).toBe(`${'😀'.repeat(100)}…`)
})

it('a fault that many rows have is said once, with the first of them', () => {
  const of = (detail: string, column: string, ...rows: (number | null)[]) =>
    rows.map((row) => ({ row, column, code: 'VALIDATION_ERROR', detail }))
  const faults = [
    ...of('email must be an e-mail address', 'Mail', 9, 8, 7, 6, 5),
    ...of('status must be ACTIVE, LOCKED or DEACTIVATED', 'Status', 4, 3, 2, 6, 5, 7),
    ...of('status must be ACTIVE, LOCKED or DEACTIVATED', 'Zustand', 1, 2, 3, 4),
    ...of('No header names', '', null, null, null, null, null),
  ]
  expect(commonFaults(faults, says)).toEqual([
    { row: 2, column: 'Status', text: 'Write ACTIVE, LOCKED or DEACTIVATED.', count: 6 },
    { row: 5, column: 'Mail', text: en.problems.notAnEmail, count: 5 },
  ])
})
