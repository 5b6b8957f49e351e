// Which controls of a form are wrong, and which have changed since somebody was told. Pure.

/** A control, as far as it matters here: `groups` are the names of the fieldsets around it. */
type Control = { id: string; name: string; groups: readonly string[] }

/** Whatever a control changes: itself, and the groups that it is in. */
export const changedBy = ({ id, name, groups }: Control): string[] => [id, name, ...groups].filter(Boolean)

/** What is wrong still: the faults found, and what cannot be sent, without what has changed since. */
export function stillWrong(
  faults: Iterable<string>,
  unfit: Iterable<string>,
  mended: ReadonlySet<string>,
): ReadonlySet<string> {
  return new Set([...faults, ...unfit].filter((name) => !mended.has(name)))
}
