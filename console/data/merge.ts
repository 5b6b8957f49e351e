// Two people have changed one record: which fields each has changed, and what comes out. Pure.

/** One field of both versions. `before` is what both began with. */
export type Difference = {
  field: string
  before: unknown
  mine: unknown
  theirs: unknown
  /** Both changed it, and not to the same: somebody must choose. */
  isConflict: boolean
}

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b)

/** The fields in which mine or theirs differs from what both began with. */
export function differences<T extends Record<string, unknown>>(before: T, mine: T, theirs: T): Difference[] {
  const fields = [...new Set([before, mine, theirs].flatMap((record) => Object.keys(record)))]
  return fields
    .map((field) => {
      const [a, b, c] = [before[field], mine[field], theirs[field]]
      return { field, before: a, mine: b, theirs: c, isConflict: !isSame(a, b) && !isSame(a, c) && !isSame(b, c) }
    })
    .filter(({ before, mine, theirs }) => !isSame(before, mine) || !isSame(before, theirs))
}

export type Choice = 'MINE' | 'THEIRS'

/** What is kept of a field where nobody has to choose: the side that changed it. */
export const naturalChoice = ({ before, mine, isConflict }: Difference): Choice | undefined =>
  isConflict ? undefined : isSame(before, mine) ? 'THEIRS' : 'MINE'

/** The record that comes out: theirs, with my value in each field where mine was chosen. */
export function merged<T extends Record<string, unknown>>(
  theirs: T,
  fields: readonly Difference[],
  choices: Readonly<Record<string, Choice>>,
): T {
  const mine = fields.filter((one) => (choices[one.field] ?? naturalChoice(one)) === 'MINE')
  return { ...theirs, ...Object.fromEntries(mine.map(({ field, mine: value }) => [field, value])) }
}

/** The fields of `after` that differ from `before`: the body of a PATCH. */
export const changesOf = <T extends Record<string, unknown>>(before: T, after: T): Partial<T> =>
  Object.fromEntries(Object.entries(after).filter(([field, value]) => !isSame(before[field], value))) as Partial<T>
