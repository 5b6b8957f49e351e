import { compareBytes, fold, isVisible, wordsOf } from '../base/text.ts'
import * as keys from '../table/keys.ts'
import * as places from '../table/places.ts'
import { attributePlace, wordPlace, wordyPlace } from '../table/search.ts'
import type { Item } from '../table/store.ts'
import { attributeOf, type UserRecord } from './userRecord.ts'
import { countedMark } from './userUses.ts'

/** What users are searched and sorted by, folded; undefined where the user has none. */
export type Profile = {
  last_name: string
  first_name: string
  username: string
  email: string | undefined
  department: string | undefined
  location: string | undefined
  created_at: string
}

const fields = ['last_name', 'first_name', 'username', 'email', 'department', 'location', 'created_at'] as const
const HINT_SEPARATOR = '\u0001'

/** The searchable, sortable side of a user. */
export function profileOf(user: UserRecord): Profile {
  const folded = (text: string | null | undefined): string | undefined => (text && fold(text)) || undefined
  return {
    last_name: fold(user.last_name),
    first_name: fold(user.first_name),
    username: fold(user.username),
    email: folded(user.email),
    department: folded(attributeOf(user, 'department')),
    location: folded(attributeOf(user, 'location')),
    created_at: user.created_at,
  }
}

/** A profile as one string, small enough to lie beside every search row: search and sorting need no record. */
export const hintOf = (profile: Profile): string => fields.map((field) => profile[field] ?? '').join(HINT_SEPARATOR)

/** The profile that a search row carries. */
export function profileOfHint(hint: string): Profile {
  const parts = hint.split(HINT_SEPARATOR)
  const part = (index: number): string | undefined => parts[index] || undefined
  return {
    last_name: parts[0] ?? '',
    first_name: parts[1] ?? '',
    username: parts[2] ?? '',
    email: part(3),
    department: part(4),
    location: part(5),
    created_at: parts[6] ?? '',
  }
}

const searched = (profile: Profile): string[] =>
  [profile.first_name, profile.last_name, profile.username, profile.email, profile.department, profile.location].filter(
    (text) => text !== undefined,
  )

const startsWords = (texts: readonly string[], term: readonly string[]): boolean => {
  const words = texts.flatMap(wordsOf)
  return term.every((wanted) => words.some((word) => word.startsWith(wanted)))
}

/** Every word of the term begins a word of the profile. */
export const matches = (profile: Profile, term: readonly string[]): boolean => startsWords(searched(profile), term)

/** The same among the fields by which the people of groups and channels are searched. */
export const matchesMember = ({ first_name, last_name, department }: Profile, term: readonly string[]): boolean =>
  startsWords([first_name, last_name, department ?? ''], term)

/** The words to index: a word that begins another one is found through that. */
export function indexedWords(profile: Profile): string[] {
  const words = [...new Set(searched(profile).flatMap(wordsOf))].sort()
  return words.filter((word, index) => !words[index + 1]?.startsWith(word))
}

/** The value that somebody is sorted by: one that nobody can see is none. */
const visible = (text: string | undefined): string | undefined => (text && isVisible(text) ? text : undefined)

/** A user's places in the sorted lists, one per index. */
export function placesOf(profile: Profile, { id, updated_at }: Pick<UserRecord, 'id' | 'updated_at'>) {
  return {
    by_last_name: places.namePlace(profile.last_name, profile.first_name, id),
    by_first_name: places.place(profile.first_name, id),
    by_username_or_change: places.place(profile.username, id),
    by_email: places.place(profile.email, id),
    by_department: places.place(visible(profile.department), id),
    by_location_or_due: places.place(visible(profile.location), id),
    by_created_at: places.place(profile.created_at, id),
    by_updated_at: places.place(updated_at, id),
    by_id: id,
  }
}

/** The item of a user; while he is pending deletion it expires by itself at his deadline. */
export function userItem(user: UserRecord): Item {
  const profile = profileOf(user)
  return {
    ...keys.userKey(user.id),
    list: places.userList(user.status, user.role),
    ...placesOf(profile, user),
    ...wordPlaces(profile, user.id)[0],
    hint: hintOf(profile),
    ...(user.deletion_at ? { deletion_at: user.deletion_at, ttl: places.ttlOf(user.deletion_at) } : {}),
    data: counted(user),
  }
}

/** The record as it is stored: whatever writes it counts all of its attributes in the same transaction. */
const counted = ({ counted: _before, ...user }: UserRecord): UserRecord => ({ ...user, ...countedMark(user) })

/**
 * What lies beside a user's record: the names that are his alone, then what else he is found by. Each of his search words
 * needs an item that stands for it in the index `find`: his record is the first, then come those that he has anyway, as
 * each item less makes every import and every change of a name cheaper.
 */
export function besideUser(user: UserRecord): Item[] {
  const profile = profileOf(user)
  const hint = hintOf(profile)
  const places = wordPlaces(profile, user.id).slice(1)
  const anyway = [...reservations(user), ...attributeRows(user, hint)]
  const own = places.slice(anyway.length).map((_, slot) => keys.wordKey(user.id, slot))
  return [...anyway, ...own].map((item, nth) => (places[nth] ? { ...item, ...places[nth], hint } : item))
}

/** Where a user is found by his words; who has too many stands among the wordy. */
function wordPlaces(profile: Profile, id: string) {
  const words = indexedWords(profile)
  return words.length > keys.MOST_WORDS ? [wordyPlace(id)] : words.map((word) => wordPlace(word, id))
}

/**
 * What keeps a user's names for him, the username first, as that is the order in which conflicts are told. Those of a user
 * pending deletion are free again from his deadline on.
 */
function reservations({ id, username, external_id, deletion_at }: UserRecord): Item[] {
  const terms = deletion_at ? { expires_at: deletion_at, ttl: places.ttlOf(deletion_at) } : {}
  const taken = [keys.usernameKey(username), ...(external_id === null ? [] : [keys.externalIdKey(external_id)])]
  return taken.map((key) => ({ ...key, owner: id, ...terms }))
}

/** In the order of their names: the same attributes in another order are no change. */
const attributeRows = ({ id, attributes }: UserRecord, hint: string): Item[] =>
  attributes
    .toSorted((a, b) => compareBytes(a.name, b.name))
    .map(({ name, value }) => ({
      ...keys.attributeValueKey(id, name),
      ...attributePlace(name, value, id),
      source: hint,
    }))

/** A user's places in the lists of groups and channels. */
export const namesInLists = (user: Pick<UserRecord, 'id' | 'first_name' | 'last_name'>) => ({
  by_last_name: places.place(fold(user.last_name), user.id),
  by_first_name: places.place(fold(user.first_name), user.id),
})

/** A user's place among the recipients of a task; whoever is gone comes last. */
export const nameAmongRecipients = (user: Pick<UserRecord, 'id' | 'last_name'>) => ({
  found: places.place(fold(user.last_name), user.id),
})
