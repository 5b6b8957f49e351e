import type { Attribute } from '../attributes/attributeDefinition.ts'
import { beginsWords, fold, isVisible, wordsOf } from '../base/text.ts'
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

const HINT_SEPARATOR = '\u0001'
/** Stands for the username at the beginning of an e-mail address. */
const USERNAME = '\u0002'

/**
 * A profile as one short string. Search rows and the rows of all sorted lists carry it, so that searching and sorting
 * read no records. Its bytes count in every page of these lists.
 */
export function hintOf({ last_name, first_name, username, email = '', ...rest }: Profile): string {
  const { department = '', location = '', created_at } = rest
  const shortEmail = email.startsWith(username) ? `${USERNAME}${email.slice(username.length)}` : email
  const createdAt = Date.parse(created_at).toString(36)
  return [last_name, first_name, username, shortEmail, department, location, createdAt].join(HINT_SEPARATOR)
}

/** The profile that a row carries. */
export function profileOfHint(hint: string): Profile {
  const [last_name = '', first_name = '', username = '', email = '', department, location, createdAt = ''] =
    hint.split(HINT_SEPARATOR)
  return {
    last_name,
    first_name,
    username,
    email: (email.startsWith(USERNAME) ? `${username}${email.slice(USERNAME.length)}` : email) || undefined,
    department: department || undefined,
    location: location || undefined,
    created_at: new Date(Number.parseInt(createdAt, 36)).toISOString(),
  }
}

const searchedTexts = (profile: Profile): string[] =>
  [profile.first_name, profile.last_name, profile.username, profile.email, profile.department, profile.location].filter(
    (text) => text !== undefined,
  )

/** Whether a profile is found by a search. */
export type Match = (profile: Profile) => boolean

/** Tells whether every word of a term begins a word of a profile. */
export function matching(term: readonly string[]): Match {
  const begins = beginsWords(term)
  return (profile) => begins(searchedTexts(profile).join(' '))
}

/** The same among the fields by which members of groups and channels are searched. */
export function matchingMembers(term: readonly string[]): Match {
  const begins = beginsWords(term)
  return ({ first_name, last_name, department = '' }) => begins(`${first_name} ${last_name} ${department}`)
}

/** The words to index. A word that begins another one is found through that. */
export function indexedWords(profile: Profile): string[] {
  const words = [...new Set(searchedTexts(profile).flatMap(wordsOf))].sort()
  return words.filter((word, index) => !words[index + 1]?.startsWith(word))
}

/**
 * Where users are found by their words. Those with too many words are in a list of their own. The first word lies on the
 * user's record. It is another one from user to user: DynamoDB Local is slow where many large items come in a row.
 */
export function wordPlaces(profile: Profile, id: string) {
  const words = indexedWords(profile)
  if (words.length > keys.MOST_WORDS) return [wordyPlace(id)]
  const first = id.charCodeAt(id.length - 1) % words.length
  return [...words.slice(first), ...words.slice(0, first)].map((word) => wordPlace(word, id))
}

/** A value to sort by. Text without a visible character counts as missing. */
const visible = (text: string | undefined): string | undefined => (text && isVisible(text) ? text : undefined)

type Standing = { id: string; updated_at: string }

/** Where a user stands in each of the sorted lists of users, by the list's index. */
const placeOf = {
  by_last_name: ({ last_name, first_name }: Profile, { id }: Standing) => places.namePlace(last_name, first_name, id),
  by_first_name: ({ first_name }: Profile, { id }: Standing) => places.place(first_name, id),
  by_username_or_change: ({ username }: Profile, { id }: Standing) => places.place(username, id),
  by_email: ({ email }: Profile, { id }: Standing) => places.place(email, id),
  by_department: ({ department }: Profile, { id }: Standing) => places.place(visible(department), id),
  by_location_or_due: ({ location }: Profile, { id }: Standing) => places.place(visible(location), id),
  by_created_at: ({ created_at }: Profile, { id }: Standing) => places.place(created_at, id),
  by_updated_at: (_: Profile, { id, updated_at }: Standing) => places.place(updated_at, id),
  by_id: (_: Profile, { id }: Standing) => id,
}
export type UserIndex = keyof typeof placeOf

/** A user's places in the sorted lists. */
export const placesOf = (profile: Profile, user: Standing): Record<UserIndex, string> =>
  Object.fromEntries(Object.entries(placeOf).map(([index, place]) => [index, place(profile, user)])) as Record<
    UserIndex,
    string
  >

/** What a user is ordered by in the list of an index; undefined where they have no such value. */
export const leadOf = (index: UserIndex, profile: Profile, updated_at: string): string | undefined =>
  places.valueOfLead(places.leadOf(placeOf[index](profile, { id: '', updated_at }))) ?? undefined

/** A user's places in the lists of groups and channels. */
export const namesInLists = (user: Names) => ({
  by_last_name: places.place(fold(user.last_name), user.id),
  by_first_name: places.place(fold(user.first_name), user.id),
})

/** A user's place among the recipients of a task. Users who are gone come last. */
export const nameAmongRecipients = (user: Pick<Names, 'id' | 'last_name'>) => ({
  found: places.place(fold(user.last_name), user.id),
})
