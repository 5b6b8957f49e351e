import { hash } from 'node:crypto'

/** Names that have been seen in a file, and where. */
export type Seen = {
  /** Remembers where a name is. Returns where it was first; undefined for a new name. */
  add: (name: string, at: number) => number | undefined
  has: (name: string) => boolean
}

/** Lists that hashes are spread over: short ones, so that a new hash moves few others. */
const LISTS = 4096
/** Numbers that one name takes: a hash of 64 bits in two halves, and where it is in the file. */
const PER_NAME = 3
const GROWTH = 1.25

type List = { numbers: Uint32Array; count: number }

/**
 * Remembers names of a file that is too large for a map of them, as sorted hashes of 64 bits: 12 to 15 bytes each, however
 * long they are. Among three million names, two that differ are taken for equal with a probability of 1 : 4,000,000.
 */
export function seenNames(): Seen {
  const lists: List[] = Array.from({ length: LISTS }, () => ({ numbers: new Uint32Array(0), count: 0 }))
  const find = (name: string) => {
    const digest = hash('sha1', name)
    const half = (from: number) => Number.parseInt(digest.slice(from, from + 8), 16)
    const [high, low] = [half(0), half(8)]
    const list = lists[half(16) % LISTS] as List
    const slot = slotIn(list, high, low)
    return { list, high, low, slot, isFound: isAt(list, slot, high, low) }
  }
  return {
    has: (name) => find(name).isFound,
    add: (name, at) => {
      const { list, high, low, slot, isFound } = find(name)
      if (isFound) return list.numbers[slot * PER_NAME + 2]
      insert(list, slot, [high, low, at])
      return undefined
    },
  }
}

/** The slot of the first name that is not smaller. */
function slotIn({ numbers, count }: List, high: number, low: number): number {
  let [from, to] = [0, count]
  while (from < to) {
    const middle = (from + to) >> 1
    const [h = 0, l = 0] = [numbers[middle * PER_NAME], numbers[middle * PER_NAME + 1]]
    if (h < high || (h === high && l < low)) from = middle + 1
    else to = middle
  }
  return from
}

const isAt = ({ numbers, count }: List, at: number, high: number, low: number): boolean =>
  at < count && numbers[at * PER_NAME] === high && numbers[at * PER_NAME + 1] === low

function insert(list: List, at: number, one: readonly number[]): void {
  if ((list.count + 1) * PER_NAME > list.numbers.length) {
    const larger = new Uint32Array(Math.ceil(((list.count + 8) * GROWTH) | 0) * PER_NAME)
    larger.set(list.numbers)
    list.numbers = larger
  }
  list.numbers.copyWithin((at + 1) * PER_NAME, at * PER_NAME, list.count * PER_NAME)
  list.numbers.set(one, at * PER_NAME)
  list.count++
}
