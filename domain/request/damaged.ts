/** What is wrong with a text that holds U+FFFD: decoders put it in place of bytes that they cannot read. */
export const damage = 'holds U+FFFD, which stands for text that was not UTF-8'

const isDamaged = (text: unknown): boolean => typeof text === 'string' && text.includes('\ufffd')

const LONGEST_PLACE = 200
type Node = { value: unknown; place: string }

/** The places of a JSON value, keys included, whose text was lost on its way here: `tags.3.name`; '' for the value itself. */
export function damagedAt(value: unknown): string[] {
  const found = new Set<string>()
  const nodes: Node[] = [{ value, place: '' }]
  // A list that grows while it is read: calls within calls would run out of stack where a body is nested deeply.
  for (const node of nodes) {
    if (isDamaged(node.value)) found.add(node.place)
    for (const [name, inner] of inside(node)) {
      if (isDamaged(name)) found.add(inner.place)
      nodes.push(inner)
    }
  }
  return [...found]
}

const inside = ({ value, place }: Node): [name: string, Node][] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).map(([name, inner]) => [
        name,
        { value: inner, place: `${place}${place && '.'}${name}`.slice(0, LONGEST_PLACE) },
      ])
    : []
