/** Adds to several attributes of a counter in one update; they may have any names. */
export const adding = (by: readonly (readonly [attribute: string, by: number])[]) => ({
  change: `ADD ${by.map((_, n) => `#c${n} :c${n}`).join(', ')}`,
  names: Object.fromEntries(by.map(([attribute], n) => [`c${n}`, attribute])),
  values: Object.fromEntries(by.map(([, count], n) => [`c${n}`, count])),
})
