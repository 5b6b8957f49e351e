import { hash } from 'node:crypto'

/** Names that have been seen in a file, and where. */
export type Seen = {
  /** Remembers the place of a name. Returns its earlier place; undefined for a new name. */
  add: (name: string, at: number) => number | undefined
  has: (name: string) => boolean
}

/** Lists that hashes are spread over: short ones, so that a new hash moves few others. */
const LISTS = 4096
/** Numbers that one entry takes: a hash of 64 bits in two halves, and a place. */
const ENTRY = 3
const GROWTH = 1.25

type List = { entries: Uint32Array; count: number }

/**
 * Remembers names of a file that is too large for a map of them, as sorted hashes of 64 bits: 12 to 15 bytes each, however
 * long they are. Among three million names, two that differ are taken for equal with a probability of 1 : 4,000,000.
 */
export function seenNames(): Seen {
  const lists: List[] = Array.from({ length: LISTS }, () => ({ entries: new Uint32Array(0), count: 0 }))
  const find = (name: string) => {
    const digest = hash('sha1', name)
    const half = (from: number) => Number.parseInt(digest.slice(from, from + 8), 16)
    const [high, low] = [half(0), half(8)]
    const list = lists[half(16) % LISTS] as List
    const place = placeIn(list, high, low)
    return { list, high, low, place, isFound: isAt(list, place, high, low) }
  }
  return {
    has: (name) => find(name).isFound,
    add: (name, at) => {
      const { list, high, low, place, isFound } = find(name)
      if (isFound) return list.entries[place * ENTRY + 2]
      insert(list, place, [high, low, at])
      return undefined
    },
  }
}

/** The place of the first entry that is not smaller. */
function placeIn({ entries, count }: List, high: number, low: number): number {
  let [from, to] = [0, count]
  while (from < to) {
    const middle = (from + to) >> 1
    const [h = 0, l = 0] = [entries[middle * ENTRY], entries[middle * ENTRY + 1]]
    if (h < high || (h === high && l < low)) from = middle + 1
    else to = middle
  }
  return from
}

const isAt = ({ entries, count }: List, at: number, high: number, low: number): boolean =>
  at < count && entries[at * ENTRY] === high && entries[at * ENTRY + 1] === low

function insert(list: List, at: number, entry: readonly number[]): void {
  if ((list.count + 1) * ENTRY > list.entries.length) {
    const larger = new Uint32Array(Math.ceil(((list.count + 8) * GROWTH) | 0) * ENTRY)
    larger.set(list.entries)
    list.entries = larger
  }
  list.entries.copyWithin((at + 1) * ENTRY, at * ENTRY, list.count * ENTRY)
  list.entries.set(entry, at * ENTRY)
  list.count++
}
