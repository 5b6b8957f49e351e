import { expect, it } from 'vitest'
import { partsOf } from '../../../domain/plans/file/checkFile.ts'

const MB = 1024 * 1024
const MILLION = 1_000_000

it.each([
  ['a file of one row', 30, MILLION, 1],
  ['a small file', 64_000, MILLION, 1],
  // By bytes it would be 4 parts of 125,000 rows, with their users.
  ['half of a million users, in two short columns', 7.5 * MB, MILLION, 123],
  ['a million users in two short columns', 15 * MB, MILLION, 125],
  ['many rows for few users', 15 * MB, 10_000, 8],
  ['a million long rows', 500 * MB, MILLION, 250],
  ['no bytes', 0, 0, 1],
])('%s: %d bytes, %d users', (_, bytes, users, parts) => {
  expect(partsOf(bytes, users)).toBe(parts)
})
