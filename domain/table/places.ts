import { compareBytes, cut, SEPARATOR } from '../base/text.ts'
import { LAST, sortOf } from './expressions.ts'
import { two } from './keys.ts'
import type { Item, Key, Range } from './store.ts'

export { LAST }

// Names of lists, and where records stand in them: partition and sort keys of the indexes.

/** The list of users of one status and role; every user is in exactly one. */
export const userList = (status: string, role: string): string => `USERS#${status}#${role}`
/** The list of the users with a role in a user group. */
export const groupList = (group: string, role: string): string => `GROUP#${group}#${role}`
/** The list of the users with a role on a channel, given directly. */
export const channelList = (channel: string, role: string): string => `CHANNEL#${channel}#${role}`

/** Sort keys stay below DynamoDB's 1,024 bytes with an id and a second name behind the first. */
const FIRST_PART = 440
const ONLY_PART = 900

/** A place in a list sorted by text or time. Records without the value come after all others. */
export const place = (value: string | undefined, id: string): string =>
  value !== undefined ? `0${cut(value, ONLY_PART)}${SEPARATOR}${id}` : `1${SEPARATOR}${id}`

/** A place in a list sorted by last name, then first name. Both are folded already. */
export const namePlace = (lastName: string, firstName: string, id: string): string =>
  `0${cut(lastName, FIRST_PART)}${SEPARATOR}${cut(firstName, FIRST_PART)}${SEPARATOR}${id}`

/** What a place starts with when the value is there, and when it is missing. */
export const PRESENT = '0'
export const MISSING = '1'

/** The value that orders a place before its ties: what stands before the first separator. */
export const leadOf = (rank: string): string => rank.slice(0, rank.indexOf(SEPARATOR))

/** The value that such a beginning stands for; null where the record has none. */
export const valueOfLead = (lead: string): string | null => (lead.startsWith(MISSING) ? null : lead)

/** The id that a place ends with, and the place of an id behind a value. */
export const idOfPlace = (rank: string): string => rank.slice(rank.lastIndexOf(SEPARATOR) + 1)
export const placeAt = (lead: string, id: string): string => `${lead}${SEPARATOR}${id}`

/** The last text before a place. The character that a place ends with, one of an id, has another one before it. */
export const justBefore = (place: string): string =>
  place.slice(0, -1) + String.fromCharCode(place.charCodeAt(place.length - 1) - 1) + LAST

/** Indexes that some records have no value for: those stand at the end, whatever the direction. */
const optional: ReadonlySet<string> = new Set(['by_email', 'by_department', 'by_location_or_due', 'find'])

/** Where a row stands in an index. */
export const placeIn = (row: Item, index: string): string => String(row[sortOf(index)])

/** The order of an index, up or down; `backwards` reads it from its end. */
export type Order = { index: string; descending: boolean; backwards?: boolean }

/**
 * The ranges that hold one list in this order, one behind the other, from `start` on: up, it is left out, down, it is not.
 * Rows without a value are a range of their own where the index has them at the wrong end.
 */
export function listRanges(list: string, { index, descending, backwards = false }: Order, start?: string): Range[] {
  const range: Range = { index, hash: list, descending: descending !== backwards }
  if (!descending || !optional.has(index)) {
    if (start === undefined) return [range]
    return [range.descending ? { ...range, to: start } : { ...range, from: start }]
  }
  const parts = backwards ? [MISSING, PRESENT] : [PRESENT, MISSING]
  const left = start === undefined ? parts : parts.slice(parts.indexOf(start.slice(0, 1)))
  return left.map((part, n) => {
    if (start === undefined || n > 0) return { ...range, beginsWith: part }
    return range.descending ? { ...range, from: part, to: start } : { ...range, from: start, to: `${part}${LAST}` }
  })
}

/** Whether an order is read from high places to low ones. */
export const isDownwards = ({ descending, backwards = false }: Order): boolean => descending !== backwards

/** The place where a list goes on behind a run of equal values. */
export const behindRun = (order: Order, lead: string): string => (isDownwards(order) ? lead : placeAt(lead, LAST))

/** Compares rows by their places in an order. */
export function comparingRows({ index, descending, backwards = false }: Order): (a: Item, b: Item) => number {
  const sign = descending === backwards ? 1 : -1
  const isMissing = (at: string): number => Number(index !== 'by_id' && at.startsWith(MISSING))
  return (a, b) => {
    const [x, y] = [placeIn(a, index), placeIn(b, index)]
    const missing = isMissing(x) - isMissing(y)
    if (missing !== 0) return backwards ? -missing : missing
    // Two roles of one user stand at the same place: the role, which ends the key, orders them.
    // Stryker disable next-line ArithmeticOperator: a sign divides as it multiplies
    return (compareBytes(x, y) || compareBytes(a.sk, b.sk)) * sign
  }
}

/** The text of a value, and the value that a text is. */
export const textOf = (value: string): string => value.slice(PRESENT.length)
export const valueOfText = (text: string): string => `${PRESENT}${text}`

/** The kinds of records whose lists are read as a whole. */
export type Catalogue = 'ROLES' | 'GROUPS' | 'CHANNELS'
/** Where a record stands in the catalogue of its kind. */
export const cataloguePlace = (kind: Catalogue, id: string) => ({ find: kind, found: id })
/** All records of a kind. */
export const catalogue = (kind: Catalogue): Range => ({ index: 'find', hash: kind })

/** TTL: DynamoDB may drop an item from this epoch second on, rounded up so that it is never early. */
export const ttlOf = (moment: string): number => Math.ceil(Date.parse(moment) / 1000)

// Part of the table's map in keys.ts: where users are found by words and attribute values.

/** How many words of a search term are looked up, the longest; the others are checked on what those find. */
export const WORDS_READ = 16

/** Search words longer than this many bytes are cut, and matches checked against the whole word. */
const WORD_BYTES = 900

/** Where a search word is found: partitions by first character, so that no partition holds the words of all users. */
export const wordPlace = (word: string, id: string) => ({
  find: `W#${firstCharacter(word)}`,
  found: `${cut(word, WORD_BYTES)}${SEPARATOR}${id}`,
})
/** Where users with too many words are found. */
export const wordyPlace = (id: string) => ({ find: 'W#', found: id })
/** The user that a row of a search word stands for. */
export const userOfWord = (row: Item): string => idOfPlace(String(row.found))
/** The list of the users with exactly this value of an attribute. */
export const attributePlace = (name: string, value: string, id: string) => ({ list: pair(name, value), by_id: id })

/** What a search reads of a row of a word, and of one of an attribute's value: who it is, and the hint. */
const OF_WORD = ['found', 'hint']
const OF_VALUE = ['pk', 'hint']

/** Rows of all users with a word that begins like this. */
export const wordsLike = (word: string): Range => ({
  index: 'find',
  hash: `W#${firstCharacter(word)}`,
  beginsWith: cut(word, WORD_BYTES),
  only: OF_WORD,
})
export const wordyUsers: Range = { index: 'find', hash: 'W#', only: OF_WORD }
export const havingAttribute = (name: string, value: string): Range => ({
  index: 'by_id',
  hash: pair(name, value),
  only: OF_VALUE,
})

/** Name and value may hold any character: the length of the name says where the value begins. */
const pair = (name: string, value: string): string => `A#${name.length}#${name}#${value}`

const firstCharacter = (word: string): string => String.fromCodePoint(word.codePointAt(0) ?? 0)

// Part of the table's map in keys.ts: where a task's own items lie, and the lists of tasks, assignments and recipients.

/** The shards of a task's progress: thousands of recipients may finish it within a minute. */
export const PROGRESS_SHARDS = 64

export const taskProgressKey = (id: string, shard: number): Key => ({ pk: `TASK#${id}`, sk: `P#${two(shard)}` })
export const taskTombstoneKey = (id: string): Key => ({ pk: `TASK#${id}`, sk: 'GONE' })
/** External ids of tasks are unique per author; ids have no `#`. */
export const taskExternalIdKey = (author: string, externalId: string): Key => ({
  pk: `TASK_EXTERNAL#${author}#${externalId}`,
  sk: 'EXTERNAL',
})
/** A task and the shards that count its progress. */
export const ofTask = (id: string): Range => ({ hash: `TASK#${id}`, consistent: true })

/** The lists of a user's assignments: of tasks from others, and of the user's own tasks. */
export const ownTaskList = (user: string, isAuthor: boolean): string =>
  `MINE#${user}#${isAuthor ? 'AUTHORED' : 'GIVEN'}`
/** The list of the tasks that a user is the author of. */
export const authoredList = (author: string): string => `TASKS#${author}`
/** The list of a task's recipients, in the index `find`. */
export const recipientList = (task: string): string => `TASK#${task}`
/** The rows of a task's recipients. */
export const recipientsOf = (task: string): Range => ({ index: 'find', hash: recipientList(task) })
/** Whether a row stands for a task; otherwise for an assignment. The task of either. */
export const isTaskRow = ({ pk }: Key): boolean => pk.startsWith('TASK#')
export const taskOfRow = (row: Key): string => (isTaskRow(row) ? row.pk.slice('TASK#'.length) : taskOfAssignment(row))
/** The task of an assignment's key. */
export const taskOfAssignment = ({ sk }: Key): string => sk.slice('TA#'.length)
