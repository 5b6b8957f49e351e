/** Puts the properties of a value in the order of a schema. */
export type InOrder = (value: unknown) => unknown

type Members = Readonly<Record<string, unknown>>
type Inner = Readonly<Record<string, InOrder>>

/**
 * The database keeps maps in any order, so equal answers would differ. Compiled contracts say the order as `arrange`, an object
 * literal with all properties that the schema names: a literal is much faster than a loop over names. `inner` are the orders of the
 * properties that are objects, or lists of objects. What the schema leaves open follows, as it is.
 */
export const inOrder = (arrange: (members: Members, inner: Inner) => Record<string, unknown>, inner: Inner): InOrder =>
  function ordered(value): unknown {
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map(ordered)
    const members = value as Members
    const arranged = arrange(members, inner)
    for (const name in members) if (!(name in arranged)) arranged[name] = members[name]
    return arranged
  }
