import type { Section } from '../../schemas/sections.ts'
import { type LinePosition, linesOf } from '../base/lines.ts'
import { isObject } from '../base/values.ts'
import { type DirectoryFile, emptyFile, isSection, takeRecord } from './directoryFile.ts'
import { idOf } from './importedUser.ts'
import type { Slice } from './importSlice.ts'

/**
 * A directory as a file of lines, for imports that are too large to hold: each line is one record under the name of its
 * section, `{"users":{…}}`. What users refer to comes first, then users, each followed by their roles.
 */
export type LineFile = {
  /** Bytes of the file. */
  size: number
  /** Its bytes from an offset on. */
  read: (from: number) => AsyncIterable<Uint8Array>
}

/** A record of the file; `line` counts from 1. `afterUser` is set for a role that follows its user: the user's id. */
export type Line = { line: number; section: Section; record: unknown; afterUser?: unknown }

/** A slice of a file of lines; `to` is where the next slice begins. */
export type LineSlice = Slice & { lines: Line[]; to: LinePosition }

/** The sections of the head: what users refer to. The head is one slice. */
const headSections: ReadonlySet<string> = new Set([
  'organisation',
  'roles',
  'user_groups',
  'attribute_definitions',
  'channels',
  'channel_user_groups',
  'user_group_rules',
] satisfies Section[])
/** The sections of the slices after the head: users, and their roles. */
const userSections: ReadonlySet<string> = new Set([
  'users',
  'user_group_assignments',
  'channel_assignments',
] satisfies Section[])

/** After this many faults the rest of a file is not read. */
export const ENOUGH_FAULTS = 1_000

/** Lines in a slice of users. A user's roles are never cut off, so a slice may be longer. */
const LINES_PER_SLICE = 1_000
/** The most lines of the head. */
const LONGEST_HEAD = 50_000
/** The most bytes of a line. */
const LONGEST_LINE = 1_000_000
const limit = {
  longest: LONGEST_LINE,
  tooLong: (line: number) => new Error(`Line ${line} has more than ${LONGEST_LINE} bytes: is it a file of lines?`),
}

/** The slices of a file of lines from a position on: the head, if `from` is the beginning, then slices of users. */
export async function* slicesOf(lineFile: LineFile, from: LinePosition): AsyncGenerator<LineSlice> {
  let slice = emptySlice(from, from.offset === 0)
  const withUser = following()
  for await (const { text, line, end } of linesOf(lineFile.read(from.offset), from, limit)) {
    const one = withUser(parsed(text, line))
    if (one && isFull(slice, one)) {
      yield slice
      slice = emptySlice(slice.to, false, slice.file.leftOut)
    }
    if (one) take(slice, one)
    slice.to = { offset: end, line }
  }
  yield slice
}

/** Marks the roles that follow their user. The roles of a user end with the first line about another one. */
function following(): (one: Parsed | undefined) => Parsed | undefined {
  let user: unknown
  return (one) => {
    if (!one || 'reason' in one) return one
    const about = userOf(one)
    const isUser = one.section === 'users'
    if (!isUser && about !== undefined && about === user) return { ...one, afterUser: about }
    user = isUser ? about : undefined
    return one
  }
}

/** A slice without lines. `leftOut` are the records with faults in the slices before. */
function emptySlice(to: LinePosition, isHead: boolean, leftOut?: DirectoryFile['leftOut']): LineSlice {
  const file = { ...emptyFile(), isInLines: true }
  return { isHead, file: leftOut ? { ...file, leftOut } : file, lines: [], to }
}

/** Whether a line begins another slice. A user and their roles are in one slice, unless there are very many faults. */
function isFull({ isHead, file, lines }: LineSlice, one: Parsed): boolean {
  if (file.faults.length >= ENOUGH_FAULTS) return true
  return (
    !('reason' in one) &&
    userSections.has(one.section) &&
    (isHead || (lines.length >= LINES_PER_SLICE && one.afterUser === undefined))
  )
}

type Parsed = Line | { line: number; reason: string }

function take({ file, lines, isHead }: LineSlice, one: Parsed): void {
  const addFault = (section: string, reason: string) =>
    file.faults.push({ section, index: one.line, property: '', reason })
  if ('reason' in one) addFault('', one.reason)
  else if (!isHead && headSections.has(one.section)) addFault(one.section, 'must come before all users and their roles')
  else if (isHead && lines.length >= LONGEST_HEAD)
    addFault(one.section, `must not follow ${LONGEST_HEAD} other lines that users refer to`)
  else {
    lines.push(one)
    takeRecord(file, one.section, one.record, one.line)
  }
}

/** The id of the user that a line is about, if any. */
function userOf({ section, record }: Line): unknown {
  if (!userSections.has(section) || !isObject(record)) return undefined
  if (section !== 'users') return record.user_id
  const { id, username } = record
  return typeof id === 'string' || typeof username !== 'string' ? id : idOf({ id: null, username: username.trim() })
}

/** A line as a record; undefined for an empty line. */
function parsed(text: string, line: number): Parsed | undefined {
  if (text.trim() === '') return undefined
  const [entry, ...others] = entriesOf(text)
  if (!entry || others.length > 0) return { line, reason: 'must be one record under the name of its section, as JSON' }
  const [section, record] = entry
  if (!isSection(section)) return { line, reason: 'must name a section of a directory' }
  if (headSections.has(section) || userSections.has(section)) return { line, section, record }
  return { line, reason: `has a record of ${section}, which only a directory in one document may have` }
}

function entriesOf(text: string): [string, unknown][] {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? Object.entries(value) : []
  } catch {
    return []
  }
}
