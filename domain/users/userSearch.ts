import type { Attribute } from '../attributes/attributeDefinition.ts'
import { fold, isVisible, wordsOf } from '../base/text.ts'
import * as keys from '../table/keys.ts'
import * as places from '../table/places.ts'
import { wordPlace, wordyPlace } from '../table/places.ts'

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
    created_at: user.created_at,
  }
}

const fields = ['last_name', 'first_name', 'username', 'email', 'department', 'location', 'created_at'] as const
const HINT_SEPARATOR = '\u0001'

/** A profile as one string. Each search row carries it, so that searching and sorting read no records. */
export const hintOf = (profile: Profile): string => fields.map((field) => profile[field] ?? '').join(HINT_SEPARATOR)

/** The profile that a search row carries. */
export function profileOfHint(hint: string): Profile {
  const [last_name = '', first_name = '', username = '', email, department, location, created_at = ''] =
    hint.split(HINT_SEPARATOR)
  return {
    last_name,
    first_name,
    username,
    email: email || undefined,
    department: department || undefined,
    location: location || undefined,
    created_at,
  }
}

const searchedTexts = (profile: Profile): string[] =>
  [profile.first_name, profile.last_name, profile.username, profile.email, profile.department, profile.location].filter(
    (text) => text !== undefined,
  )

const startsWords = (texts: readonly string[], term: readonly string[]): boolean => {
  const words = texts.flatMap(wordsOf)
  return term.every((wanted) => words.some((word) => word.startsWith(wanted)))
}

/** Whether every word of the term begins a word of the profile. */
export const matches = (profile: Profile, term: readonly string[]): boolean => startsWords(searchedTexts(profile), term)

/** The same among the fields by which members of groups and channels are searched. */
export const matchesMember = ({ first_name, last_name, department }: Profile, term: readonly string[]): boolean =>
  startsWords([first_name, last_name, department ?? ''], term)

/** The words to index. A word that begins another one is found through that. */
export function indexedWords(profile: Profile): string[] {
  const words = [...new Set(searchedTexts(profile).flatMap(wordsOf))].sort()
  return words.filter((word, index) => !words[index + 1]?.startsWith(word))
}

/** Where users are found by their words. Those with too many words are in a list of their own. */
export function wordPlaces(profile: Profile, id: string) {
  const words = indexedWords(profile)
  return words.length > keys.MOST_WORDS ? [wordyPlace(id)] : words.map((word) => wordPlace(word, id))
}

/** A value to sort by. Text without a visible character counts as missing. */
const visible = (text: string | undefined): string | undefined => (text && isVisible(text) ? text : undefined)

/** A user's places in the sorted lists, one per index. */
export function placesOf(profile: Profile, { id, updated_at }: { id: string; updated_at: string }) {
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

/** A user's places in the lists of groups and channels. */
export const namesInLists = (user: Names) => ({
  by_last_name: places.place(fold(user.last_name), user.id),
  by_first_name: places.place(fold(user.first_name), user.id),
})

/** A user's place among the recipients of a task. Users who are gone come last. */
export const nameAmongRecipients = (user: Pick<Names, 'id' | 'last_name'>) => ({
  found: places.place(fold(user.last_name), user.id),
})
