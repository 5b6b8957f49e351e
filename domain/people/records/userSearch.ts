import { SEPARATOR, sha256 } from '../../base/text.ts'
import { fold, isVisible, wordsOf } from '../../base/words.ts'
import * as keys from '../../table/keys.ts'
import type { Attribute } from './attributes.ts'

// What users are searched and sorted by, as rows of lists and of search words carry it: no record is read for it.

/** What users are searched and sorted by, folded; undefined where the user has none. */
export type Profile = {
  last_name: string
  first_name: string
  username: string
  email: string | undefined
  department: string | undefined
  location: string | undefined
  /** The moment of creation in the short form of hints: milliseconds, base 36. */
  created: string
}

type Names = { id: string; first_name: string; last_name: string }
type Searchable = Names & { username: string; email: string | null; attributes: Attribute[]; created_at: string }

/** A user's value of an attribute. */
export const attributeOf = ({ attributes }: Pick<Searchable, 'attributes'>, name: string): string | undefined =>
  attributes.find((attribute) => attribute.name === name)?.value

/** What a user is searched and sorted by. */
export function profileOf(user: Searchable): Profile {
  const folded = (text: string | null | undefined): string | undefined => (text && fold(text)) || undefined
  return {
    last_name: fold(user.last_name),
    first_name: fold(user.first_name),
    username: fold(user.username),
    email: folded(user.email),
    department: folded(attributeOf(user, 'department')),
    location: folded(attributeOf(user, 'location')),
    created: Date.parse(user.created_at).toString(36),
  }
}

const momentOfCreation = (created: string): string => new Date(Number.parseInt(created, 36)).toISOString()

/** Stands for the username at the beginning of an e-mail address. */
export const USERNAME = '\u0002'

/**
 * A profile as one short string. Search rows and the rows of all sorted lists carry it, so that searching and sorting
 * read no records. Its bytes count in every page of these lists.
 */
export function hintOf({ last_name, first_name, username, email = '', ...rest }: Profile): string {
  const { department = '', location = '', created } = rest
  const shortEmail = email.startsWith(username) ? `${USERNAME}${email.slice(username.length)}` : email
  return [last_name, first_name, username, shortEmail, department, location, created].join(SEPARATOR)
}

// The hint of a user's own rows ends with a mark of the external id, of four characters: these count in every list. The first one is no
// digit, so it ends the number before it, also for functions of earlier releases.

/** The end of a marked hint. */
const marked = /(?:[^\w-][\w-]{3}|~)$/

/** The mark of an external id: about 22 bits of a hash. */
export function externalMark(external_id: string | null): string {
  if (external_id === null) return '~'
  const text = sha256(external_id)
  // One of 32 characters that are no digits, letters, minus signs, or separators of a hint.
  return String.fromCharCode((text.charCodeAt(3) % 32) + 3) + text.slice(0, 3)
}

/** The mark in a hint; undefined in rows of earlier releases. */
export const externalMarkIn = (hint: string): string | undefined =>
  marked.exec(hint.slice(hint.lastIndexOf(SEPARATOR) + 1))?.[0]

/** The profile that a row carries. */
export function profileOfHint(hint: string): Profile {
  const [last_name = '', first_name = '', username = '', email = '', department, location, created = ''] =
    hint.split(SEPARATOR)
  return {
    last_name,
    first_name,
    username,
    email: (email.startsWith(USERNAME) ? `${username}${email.slice(USERNAME.length)}` : email) || undefined,
    department: department || undefined,
    location: location || undefined,
    created: created.replace(marked, ''),
  }
}

const searchedTexts = (profile: Profile): string[] =>
  [profile.first_name, profile.last_name, profile.username, profile.email, profile.department, profile.location].filter(
    (text) => text !== undefined,
  )

/** The words to index. A word that is the beginning of another one is left out, as that one finds it. */
export function indexedWords(profile: Profile): string[] {
  const words = [...new Set(searchedTexts(profile).flatMap(wordsOf))].sort()
  return words.filter((word, index) => !words[index + 1]?.startsWith(word))
}

/**
 * A user's keys in the index of words. A user with too many words has a single key, in a separate list. The first word goes to
 * the user's record. Which word comes first differs from user to user, as DynamoDB Local is slow where many large items follow
 * each other.
 */
export function indexKeysOfWords(profile: Profile, id: string) {
  const words = indexedWords(profile)
  if (words.length > keys.MOST_WORDS) return [keys.manyWordsIndexKeys(id)]
  const first = id.charCodeAt(id.length - 1) % words.length
  return [...words.slice(first), ...words.slice(0, first)].map((word) => keys.wordIndexKeys(word, id))
}

/** A value to sort by. Text without a visible character counts as missing. */
const visible = (text: string | undefined): string | undefined => (text && isVisible(text) ? text : undefined)

type Sorted = { id: string; updated_at: string }

/** A user's sort key in each of the sorted lists, by the index of the list. */
const sortKeyOf = {
  by_last_name: ({ last_name, first_name }: Profile, { id }: Sorted) => keys.nameSortKey(last_name, first_name, id),
  by_first_name: ({ first_name }: Profile, { id }: Sorted) => keys.sortKey(first_name, id),
  by_username_or_change: ({ username }: Profile, { id }: Sorted) => keys.sortKey(username, id),
  by_email: ({ email }: Profile, { id }: Sorted) => keys.sortKey(email, id),
  by_department: ({ department }: Profile, { id }: Sorted) => keys.sortKey(visible(department), id),
  by_location_or_due: ({ location }: Profile, { id }: Sorted) => keys.sortKey(visible(location), id),
  by_created_at: ({ created }: Profile, { id }: Sorted) => keys.sortKey(momentOfCreation(created), id),
  by_updated_at: (_: Profile, { id, updated_at }: Sorted) => keys.sortKey(updated_at, id),
  by_id: (_: Profile, { id }: Sorted) => id,
}
export type UserIndex = keyof typeof sortKeyOf

/** A user's sort keys in the sorted lists. */
export const sortKeysOf = (profile: Profile, user: Sorted): Record<UserIndex, string> =>
  Object.fromEntries(Object.entries(sortKeyOf).map(([index, keyFor]) => [index, keyFor(profile, user)])) as Record<
    UserIndex,
    string
  >

/** The value by which an index orders a user; undefined if the user has none. */
export const sortValueFor = (index: UserIndex, profile: Profile, updated_at: string): string | undefined =>
  keys.valueOrNull(keys.sortValueOf(sortKeyOf[index](profile, { id: '', updated_at }))) ?? undefined

/** A user's sort keys in the lists of groups and channels. */
export const namesInLists = (user: Names) => ({
  by_last_name: keys.sortKey(fold(user.last_name), user.id),
  by_first_name: keys.sortKey(fold(user.first_name), user.id),
})

/** A user's sort key among the recipients of a task. Users who are gone come last. */
export const nameAmongRecipients = (user: Pick<Names, 'id' | 'last_name'>) => ({
  found: keys.sortKey(fold(user.last_name), user.id),
})
