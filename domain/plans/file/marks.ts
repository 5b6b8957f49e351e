import { fold } from '../../base/words.ts'
import type { Match } from '../../people/records/userMatch.ts'
import { profileOfHint } from '../../people/records/userSearch.ts'
import { hashOf } from './key.ts'
import type { RowValues } from './row.ts'

// The lists of users show some texts of each. A row that gives one of them has a mark: a walk reads the records of those users alone who
// have the mark of a row. A mark only saves reading: the keys decide which user a row is about.

/** The mark of a row; undefined if it gives no text that lists show. */
export function markOf({ username, email, first_name, last_name }: RowValues): number | undefined {
  if (username) return hashOf(`username ${fold(username.trim())}`)
  if (email) return hashOf(`email ${fold(email)}`)
  return first_name && last_name ? markOfName(fold(first_name), fold(last_name)) : undefined
}

const markOfName = (first_name: string, last_name: string): number => hashOf(`name ${first_name} ${last_name}`)

/** Returns a test: whether the user of a hint has one of these marks. */
export function matchingMarks(marks: Uint32Array): Match {
  const sorted = marks.sort()
  return (hint) => {
    const { username, email, first_name, last_name } = profileOfHint(hint)
    return (
      has(sorted, hashOf(`username ${username}`)) ||
      (email !== undefined && has(sorted, hashOf(`email ${email}`))) ||
      has(sorted, markOfName(first_name, last_name))
    )
  }
}

function has(sorted: Uint32Array, mark: number): boolean {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle] as number) < mark) low = middle + 1
    else high = middle
  }
  return sorted[low] === mark
}
