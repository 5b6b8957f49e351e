const list = ['ul', 'ol']
const table = ['table']
const cells = ['td', 'th']
const rows = [...cells, 'tr', 'caption']
const groups = [...rows, 'thead', 'tbody', 'tfoot']
const ofTables = [...groups, ...table]

/** What ends where a tag opens, although nobody closes it: as far out as the first of `within`, as browsers have it. */
const ending: Readonly<Record<string, { ends: readonly string[]; within: readonly string[] }>> = {
  ...Object.fromEntries(
    'p ul ol h1 h2 h3 h4 h5 h6 blockquote pre table'
      .split(' ')
      .map((tag) => [tag, { ends: ['p'], within: [...list, ...table, ...cells, 'li', 'blockquote', 'caption'] }]),
  ),
  li: { ends: ['li'], within: [...list, ...table] },
  td: { ends: cells, within: table },
  th: { ends: cells, within: table },
  tr: { ends: rows, within: table },
  thead: { ends: groups, within: table },
  tbody: { ends: groups, within: table },
  tfoot: { ends: groups, within: table },
}

/** How deep tags may stand in each other: far deeper than any editor makes them. */
const DEEPEST = 100

/**
 * Follows tags in their order, so that each is closed once, in the reverse order: HTML that ends as it began can be put
 * anywhere. Answers what is to be written in place of a tag; what stands too deep is left out.
 */
export function openTags() {
  const open: string[] = []
  const leftOut = new Map<string, number>()
  const closedFrom = (level: number): string =>
    open
      .splice(level)
      .reverse()
      .map((tag) => `</${tag}>`)
      .join('')
  return {
    opened: (tag: string, written: string): string => {
      const closed = closedFrom(endedBy(tag, open))
      if (open.length === DEEPEST) {
        leftOut.set(tag, (leftOut.get(tag) ?? 0) + 1)
        return closed
      }
      open.push(tag)
      return `${closed}${written}`
    },
    closed: (tag: string): string => {
      const left = leftOut.get(tag) ?? 0
      if (left > 0) leftOut.set(tag, left - 1)
      const level = left > 0 ? -1 : open.lastIndexOf(tag)
      // What was opened outside of a cell is not closed in it.
      const isOutside = !ofTables.includes(tag) && level < open.findLastIndex((one) => cells.includes(one))
      return level < 0 || isOutside ? '' : closedFrom(level)
    },
    atEnd: (): string => closedFrom(0),
  }
}

/** The outermost of the open tags that end where another opens, not looking out of what holds them. */
function endedBy(tag: string, open: readonly string[]): number {
  const { ends, within } = ending[tag] ?? { ends: [], within: [] }
  const from = open.findLastIndex((one) => within.includes(one)) + 1
  const found = open.findIndex((one, level) => level >= from && ends.includes(one))
  return found < 0 ? open.length : found
}
