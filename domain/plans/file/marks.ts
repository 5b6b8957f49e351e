import { hash32 } from '../../base/text.ts'
import { externalMark, externalMarkIn, profileOfHint } from '../../people/records/userSearch.ts'
import * as keys from '../../table/keys.ts'
import type { Item } from '../../table/store.ts'
import { type MatchBy, markOfName, nameOfKey } from './rowKey.ts'

// The rows of lists show what most keys are, so a walk reads the records of those users alone who may be in the file. Marks only save
// reading: the keys decide which user a row is about.

/** The mark of a user's key, as a row of a list shows it: null if they have no key, undefined if the row does not say. */
export function markIn(by: MatchBy, row: Item): number | null | undefined {
  const hint = String(row.hint)
  if (by === 'EXTERNAL_ID') {
    const mark = externalMarkIn(hint)
    return mark === externalMark(null) ? null : mark === undefined ? mark : hash32(mark)
  }
  return markOfName(nameOfKey(by, by === 'ID' ? keys.userOfRow(row) : profileOfHint(hint).username))
}

/** Returns a test: whether a row of the file has a mark. */
export function matchingMarks(marks: Uint32Array): (mark: number) => boolean {
  const sorted = marks.sort()
  return (mark) => {
    let [low, high] = [0, sorted.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((sorted[middle] as number) < mark) low = middle + 1
      else high = middle
    }
    return sorted[low] === mark
  }
}
