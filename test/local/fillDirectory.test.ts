import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Store } from '../../domain/store/store.ts'
import { fillDirectory } from '../../local/fillDirectory.ts'

beforeEach(() => {
  vi.spyOn(console, 'log').mockImplementation(() => undefined)
})
afterEach(() => vi.restoreAllMocks())

const holding = (found: object | undefined) => ({ get: async () => found }) as unknown as Store

test('a table that holds a directory keeps it', async () => {
  expect(await fillDirectory(holding({ pk: 'x', sk: 'y' }), 'any.json')).toBe('kept')
})

test.each(['/nowhere/directory.json', 'serverless.yml'])('DIRECTORY_FILE=%s is refused in one line', async (file) => {
  await expect(fillDirectory(holding(undefined), file)).rejects.toThrow(/^DIRECTORY_FILE=\S+ cannot be read: [^\n]+$/)
})
