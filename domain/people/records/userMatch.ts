import { SEPARATOR } from '../../base/text.ts'
import { beginsWords } from '../../base/words.ts'
import { profileOfHint, USERNAME } from './userSearch.ts'

// Which users a search finds, by the hints of rows.

/** The searched texts in a hint. It does not split the hint, as searches call it for every row. */
function textOfHint(hint: string): string {
  const text = hint.slice(0, hint.lastIndexOf(SEPARATOR))
  const at = text.indexOf(USERNAME)
  if (at < 0) return text
  const username = text.slice(text.lastIndexOf(SEPARATOR, at - 2) + 1, at - 1)
  return `${text.slice(0, at)}${username}${text.slice(at + USERNAME.length)}`
}

/** Whether the user of a hint is found by a search. */
export type Match = (hint: string) => boolean

/** Returns a test: whether each word of a term is the beginning of a word of the user. */
export function matching(term: readonly string[]): Match {
  const begins = beginsWords(term)
  return (hint) => begins(textOfHint(hint))
}

/** Fields of which some searches leave some out. */
export type SearchField = 'first_name' | 'last_name' | 'department' | 'location'

/** Like `matching`, for some fields only. */
export function matchingIn(fields: readonly SearchField[], term: readonly string[]): Match {
  const begins = beginsWords(term)
  return (hint) => {
    const profile = profileOfHint(hint)
    return begins(fields.map((field) => profile[field] ?? '').join(' '))
  }
}
