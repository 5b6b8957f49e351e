import { hash } from 'node:crypto'

/** Identities of records that have been seen in a file, and where. */
export type Seen = {
  /** Remembers where an identity is. Returns where it was first; undefined for a new one. */
  add: (identity: string, at: number) => number | undefined
  has: (identity: string) => boolean
}

/** Lists that hashes are spread over: short ones, so that a new hash moves few others. */
const LISTS = 4096
/** Numbers that one identity takes: a hash of 64 bits in two halves, and where it is in the file. */
const PER_IDENTITY = 3
const GROWTH = 1.25

type List = { numbers: Uint32Array; count: number }

/**
 * Remembers identities in a file that is too large for a map of them, as sorted hashes of 64 bits: 12 to 15 bytes each, however
 * long they are. Among three million identities, two that differ are taken for equal with a probability of 1 : 4,000,000.
 */
export function seenIdentities(): Seen {
  const lists: List[] = Array.from({ length: LISTS }, () => ({ numbers: new Uint32Array(0), count: 0 }))
  const find = (identity: string) => {
    const digest = hash('sha1', identity)
    const half = (from: number) => Number.parseInt(digest.slice(from, from + 8), 16)
    const [high, low] = [half(0), half(8)]
    const list = lists[half(16) % LISTS] as List
    const slot = slotIn(list, high, low)
    return { list, high, low, slot, isFound: isAt(list, slot, high, low) }
  }
  return {
    has: (identity) => find(identity).isFound,
    add: (identity, at) => {
      const { list, high, low, slot, isFound } = find(identity)
      if (isFound) return list.numbers[slot * PER_IDENTITY + 2]
      insert(list, slot, [high, low, at])
      return undefined
    },
  }
}

/** The slot of the first identity that is not smaller. */
function slotIn({ numbers, count }: List, high: number, low: number): number {
  let [from, to] = [0, count]
  while (from < to) {
    const middle = (from + to) >> 1
    const [h = 0, l = 0] = [numbers[middle * PER_IDENTITY], numbers[middle * PER_IDENTITY + 1]]
    if (h < high || (h === high && l < low)) from = middle + 1
    else to = middle
  }
  return from
}

const isAt = ({ numbers, count }: List, at: number, high: number, low: number): boolean =>
  at < count && numbers[at * PER_IDENTITY] === high && numbers[at * PER_IDENTITY + 1] === low

function insert(list: List, at: number, one: readonly number[]): void {
  if ((list.count + 1) * PER_IDENTITY > list.numbers.length) {
    const larger = new Uint32Array(Math.ceil(((list.count + 8) * GROWTH) | 0) * PER_IDENTITY)
    larger.set(list.numbers)
    list.numbers = larger
  }
  list.numbers.copyWithin((at + 1) * PER_IDENTITY, at * PER_IDENTITY, list.count * PER_IDENTITY)
  list.numbers.set(one, at * PER_IDENTITY)
  list.count++
}
