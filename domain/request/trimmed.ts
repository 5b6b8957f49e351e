type Change = (value: unknown) => unknown

/** A record without the white space around the named texts, be they one each or localized; itself where there is none. */
export const trimmed = (record: unknown, names: readonly string[]): unknown =>
  changed(record, names, (value) =>
    Array.isArray(value) ? value.map((one) => changed(one, ['text'], bare)) : bare(value),
  )

const bare: Change = (value) => (typeof value === 'string' ? value.trim() : value)

function changed(record: unknown, names: readonly string[], change: Change): unknown {
  if (typeof record !== 'object' || record === null || Array.isArray(record)) return record
  const entries = Object.entries(record).filter(([name]) => names.includes(name))
  const other = entries.map(([name, value]) => [name, change(value)] as const)
  return other.every(([, value], n) => value === entries[n]?.[1]) ? record : { ...record, ...Object.fromEntries(other) }
}
