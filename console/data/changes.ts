// The changes of an event as they are shown. Pure.

/** A field, with its value before and after; without both, neither is shown. */
export type Change = { field: string; before?: unknown; after?: unknown }

/** The prefix of a field that is one attribute. */
export const attributePrefix = 'attribute:'

/** Attributes are one field of a record. Each one that differs is a change here. */
export const separateChanges = (changes: readonly Change[]): Change[] =>
  changes.flatMap((change) => {
    const [before, after] = [valuesIn(change.before), valuesIn(change.after)]
    if (change.field !== 'attributes' || before.size + after.size === 0) return [change]
    return [...new Set([...before.keys(), ...after.keys()])]
      .filter((name) => before.get(name) !== after.get(name))
      .map((name) => ({
        field: attributePrefix + name,
        before: before.get(name) ?? null,
        after: after.get(name) ?? null,
      }))
  })

function valuesIn(value: unknown): ReadonlyMap<string, unknown> {
  if (!Array.isArray(value)) return new Map()
  return new Map(value.map(({ name, value: one }: { name: string; value: unknown }) => [name, one]))
}

const titleFields = ['title', 'name', 'url']

/** What a deleted record, or a task, was called, as the changes of its event say it. Others are read by their ids. */
export function titleInEvent({
  type,
  record,
  changes,
}: {
  type: string
  record: { kind: string }
  changes: readonly Change[]
}): unknown {
  if (record.kind !== 'task' && !type.endsWith('.deleted')) return undefined
  const title = changes.find(({ field }) => titleFields.includes(field))
  return title?.after ?? title?.before ?? undefined
}
