import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Key, Store } from '../../domain/table/store.ts'
import { directoryFrom, fillTable } from '../../local/start/fillTable.ts'

beforeEach(() => {
  vi.spyOn(console, 'log').mockImplementation(() => undefined)
})
afterEach(() => vi.restoreAllMocks())

const holding = (found: object | undefined) =>
  ({ get: async ({ pk }: Key) => (pk === 'LOCAL' ? undefined : found) }) as unknown as Store

test('a table that holds a directory keeps it', async () => {
  expect(await fillTable(holding({ pk: 'x', sk: 'y' }), 'any.json')).toBe('kept')
})

test.each<[string, string | undefined, RegExp]>([
  ['no file', undefined, /^DIRECTORY_FILE=\S+: there is no such file\.$/],
  ['no JSON', 'first: line\nsecond: line', /^DIRECTORY_FILE=\S+ is not JSON: [^\n]+$/],
  ['a list', '[{ "id": "ann" }]', /^DIRECTORY_FILE=\S+ holds a list: a directory must be an object with [^\n]+$/],
  ['null', 'null', /^DIRECTORY_FILE=\S+ holds a single value: [^\n]+$/],
  ['a text', '"users"', /^DIRECTORY_FILE=\S+ holds a single value: [^\n]+$/],
])('%s as DIRECTORY_FILE is refused in one line', async (name, text, message) => {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-'))
  const file = join(folder, `${name.replace(' ', '-')}.json`)
  if (text !== undefined) writeFileSync(file, text)
  await expect(directoryFrom(file)).rejects.toThrow(message)
  rmSync(folder, { recursive: true })
})

test('without DIRECTORY_FILE no directory is given', async () => {
  expect(await directoryFrom(undefined)).toBeUndefined()
})

describe('the import reports the numbers of the file', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'rollcall-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  test.each<[unknown, string]>([
    [{}, ''],
    [{ users: [], roles: 'x', organisation: { languages: ['en-GB'] } }, ''],
    [{ users: [{}] }, ' (1 user)'],
    [{ users: [{ id: 'service-account-admin' }, {}], user_groups: [{}], tasks: [] }, ' (2 users, 1 user group)'],
    [
      { roles: [{}], attribute_definitions: [{}, {}], channels: [{}, {}], tasks: [{}] },
      ' (1 role, 2 attribute definitions, 2 channels, 1 task)',
    ],
  ])('%j', async (directory, said) => {
    const file = join(folder, 'some.json')
    writeFileSync(file, JSON.stringify(directory))
    // The import itself finds no store to go to: that is not what is looked at.
    await fillTable(holding(undefined), file, await directoryFrom(file)).catch(() => undefined)
    expect(console.log).toHaveBeenCalledExactlyOnceWith(`Importing ${file}${said} …`)
  })

  test('the demo organisation', async () => {
    await fillTable(holding(undefined), undefined).catch(() => undefined)
    expect(console.log).toHaveBeenCalledExactlyOnceWith(
      expect.stringMatching(
        /^Importing the demo organisation \(\d{3} users, \d+ user groups, \d+ roles, .* tasks\) …$/,
      ),
    )
  })
})
