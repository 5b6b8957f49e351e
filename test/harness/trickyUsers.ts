import fc from 'fast-check'
import type { UserRecord } from '../../domain/people/records/user.ts'
import { anyCharacter } from './anyCharacter.ts'

/** Pieces of text that files and spreadsheets take for something else. */
const traps = [
  ...['"', "'", ',', ';', '\t', '\r', '\n', '\r\n', '=1+1', '+49', '-', '@SUM(A1)', '|', '\\', '\\|', ' ', '\u00a0'],
  ...['👩‍🚀', 'שלום', '٣', '\u202e', 'e\u0301', '00123', '1.23E+05', '31.12.2026', 'null', 'TRUE'],
]
const trap = fc.constantFrom(...traps)
/** What cannot be stored, or no file can have. */
const unfit = /[\0\ufffd]/g
const text = fc
  .array(fc.oneof(trap, trap, anyCharacter), { minLength: 1, maxLength: 6 })
  .map((parts) => parts.join('').replaceAll(unfit, 'x'))
/** One line with something to see. It may begin with a trap, and end with one. */
const line = fc
  .tuple(fc.oneof(trap, fc.constant('')), text)
  .map(([first, rest]) => [...`${first}x${rest}`.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, '')].slice(0, 40).join(''))
/** A line without outer white space, as the service stores names. */
const name = line.map((one) => one.trim())
const username = name.map((one) => one.replaceAll(/[^\x20-\x7e\p{L}\p{N}]/gu, ''))

const user = fc.record({
  username,
  external_id: fc.option(name),
  first_name: name,
  last_name: name,
  status: fc.constantFrom('ACTIVE' as const, 'LOCKED' as const, 'DEACTIVATED' as const, 'PENDING_DELETION' as const),
  primary_user_group_id: fc.constantFrom('all-users', 'sales'),
  preferred_language: fc.constantFrom(null, 'de-DE'),
  tags: fc.uniqueArray(line, { maxLength: 3 }).map((names) => names.map((one) => ({ name: one }))),
  attributes: fc
    .record({ department: fc.option(text), joined_on: fc.constantFrom(null, '2024-02-29'), note: fc.option(text) })
    .map((values) => Object.entries(values).flatMap(([key, value]) => (value === null ? [] : [{ name: key, value }]))),
})

/** Users of every status whose texts are hard to write to a file and to read from it; always the same for a seed. */
export const trickyUsers = (count: number, seed: number): Partial<UserRecord>[] =>
  fc.sample(user, { numRuns: count, seed }).map((parts, n) => ({
    ...parts,
    id: `u${n}`,
    username: `${parts.username}#${n}`,
    external_id: parts.external_id === null ? null : `${parts.external_id}#${n}`,
    email: n % 3 === 0 ? `u${n}@example.org` : null,
    created_at: `2026-01-0${1 + (n % 7)}T00:00:00.000Z`,
    ...(parts.status === 'PENDING_DELETION' ? { previous_status: 'ACTIVE' as const, deletion_at: tomorrow } : {}),
  }))

const tomorrow = new Date(Date.now() + 86_400_000).toISOString()
